//! The input schema of a tool: every argument in one object, no larger than a model wants it.

use toolsmith_core::{JsonText, Map, Value, json};
use toolsmith_engine::schema::Schema;

use super::{
    arguments::Argument,
    constraints::{self, is_short},
    document::Document,
    model::{File, Location},
    schema::{Direction, OUTER_TEXT, Translator},
    wording,
};

/// How large the schema may be, in bytes of JSON.
const LARGEST: usize = 32 * 1024;

/// How many schemas are translated: when the result is too large, fewer.
const BUDGETS: [usize; 4] = [600, 200, 60, 20];

/// What a file is, for the model.
const FILE: &str = "The content of the file: text as it is, other bytes as a data: URL \
                    (data:image/png;base64,…).";

/// The schema of an input, and what there is to say about it.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) schema: Value,
    /// The arguments that may be null.
    pub(super) nullable: Vec<String>,
    pub(super) warnings: Vec<String>,
    /// How much work it was.
    pub(super) effort: usize,
}

/// Makes the schema; in a hurry, of the outer parts only.
pub(super) fn schema(document: &Document<'_>, arguments: &[Argument<'_>], hurry: Hurry) -> Input {
    let budgets = match hurry {
        Hurry::No => BUDGETS.as_slice(),
        Hurry::Yes => BUDGETS.get(3..).unwrap_or_default(),
    };
    let mut effort = 0;
    for budget in budgets {
        let mut translator = Translator::new(document, Direction::Request, *budget, LARGEST);
        let made = whole(&mut translator, arguments);
        effort += budget - translator.budget;
        if translator.is_full() {
            continue;
        }
        let is_cut = translator.is_cut;
        let text = JsonText::of(&made);
        if text.as_str().len() > LARGEST || Schema::inspect(&text).is_err() {
            continue;
        }
        let mut warnings = Vec::new();
        if is_cut {
            warnings.push(
                "its input is larger than a model wants; inner parts are left open".to_owned(),
            );
        }
        warnings.extend(translator.remarks);
        let nullable = nullable(&made);
        return Input { schema: made, nullable, warnings, effort };
    }
    let schema = bare(arguments);
    let warnings = vec!["its input cannot be described; every argument takes anything".to_owned()];
    Input { schema, nullable: Vec::new(), warnings, effort }
}

/// Whether there is time to look at everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hurry {
    No,
    Yes,
}

fn whole<'a>(translator: &mut Translator<'a, '_>, arguments: &[Argument<'a>]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for argument in arguments {
        let mut schema = one(translator, argument);
        if argument.parameter.is_required && !has_default(argument, &mut schema) {
            required.push(argument.name.clone());
        }
        properties.insert(argument.name.clone(), schema);
        if matches!(argument.parameter.file, Some(File::Part { .. })) {
            let text = format!("The name of the file `{}`, with its ending.", argument.name);
            properties.insert(
                filename(argument, arguments),
                json!({ "description": text, "type": "string" }),
            );
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    translator.finish(Value::Object(schema))
}

/// Returns the argument that says how a file is called.
pub(super) fn filename(argument: &Argument<'_>, arguments: &[Argument<'_>]) -> String {
    let wish = format!("{}_filename", argument.name);
    super::arguments::another(&wish, arguments, Location::Body)
}

fn one<'a>(translator: &mut Translator<'a, '_>, argument: &Argument<'a>) -> Value {
    let parameter = &argument.parameter;
    let own = parameter.schema.and_then(|schema| schema.get("description")).and_then(Value::as_str);
    let text = match parameter.description {
        "" => own.unwrap_or_default(),
        text => text,
    };
    if let Some(file) = &parameter.file {
        let text = wording::brief(text, OUTER_TEXT);
        let text = match file {
            File::Text { media_type } => {
                let kind = if media_type.is_empty() { "text" } else { media_type };
                wording::joined(&text, &format!("The body, as {kind}."), OUTER_TEXT)
            }
            File::Part { .. } | File::Bytes => {
                wording::joined(&text, FILE, OUTER_TEXT + FILE.len())
            }
        };
        let is_list = parameter.schema.is_some_and(|schema| schema.get("items").is_some());
        return match file {
            File::Part { .. } if is_list => {
                json!({ "description": text, "type": "array", "items": { "type": "string" } })
            }
            _ => json!({ "description": text, "type": "string" }),
        };
    }
    let mut schema =
        parameter.schema.map_or_else(|| json!({}), |schema| translator.translate(schema));
    let Value::Object(words) = &mut schema else { return schema };
    let said = words.shift_remove("description");
    // The translation may have added the default, or what else is worth saying.
    let added = said.as_ref().and_then(Value::as_str).and_then(|said| {
        let place = said.find("Default: ").or_else(|| said.find("One of: "))?;
        said.get(place..)
    });
    let text = match added {
        Some(added) => format!("{} {added}", wording::sentence(&wording::brief(text, OUTER_TEXT))),
        None => wording::brief(text, OUTER_TEXT),
    };
    let text = text.trim().to_owned();
    let mut described = Map::new();
    if !text.is_empty() {
        described.insert("description".to_owned(), text.into());
    }
    described.extend(std::mem::take(words));
    if let Some(around) = parameter.around {
        constraints::examples(around, &mut described);
        if around.get("deprecated") == Some(&Value::Bool(true)) {
            described.insert("deprecated".to_owned(), Value::Bool(true));
        }
    }
    Value::Object(described)
}

/// Lets what the API insists on, and has a default for, be filled in.
fn has_default(argument: &Argument<'_>, schema: &mut Value) -> bool {
    let parameter = &argument.parameter;
    if matches!(parameter.location, Location::Body | Location::Path) {
        return false;
    }
    let default = parameter.schema.and_then(|schema| schema.get("default"));
    let Some(default) = default.filter(|value| is_short(value) && !value.is_null()) else {
        return false;
    };
    let fits = match schema.get("type").and_then(Value::as_str) {
        Some("string") => default.is_string(),
        Some("integer") => default.is_i64() || default.is_u64(),
        Some("number") => default.is_number(),
        Some("boolean") => default.is_boolean(),
        _ => false,
    };
    let is_listed =
        schema.get("enum").and_then(Value::as_array).is_none_or(|list| list.contains(default));
    if let (true, true, Value::Object(words)) = (fits, is_listed, schema) {
        words.insert("default".to_owned(), default.clone());
        return true;
    }
    false
}

/// Describes arguments by their names alone.
fn bare(arguments: &[Argument<'_>]) -> Value {
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.clone(), json!({}))).collect();
    let required: Vec<&str> = arguments
        .iter()
        .filter(|argument| argument.parameter.is_required)
        .map(|argument| argument.name.as_str())
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Lists the arguments whose null means something.
fn nullable(schema: &Value) -> Vec<String> {
    let is_null = |words: &Value| match words.get("type") {
        Some(Value::String(word)) => word == "null",
        Some(Value::Array(list)) => list.iter().any(|word| word == "null"),
        _ => false,
    };
    let takes_null = |words: &Value| {
        let members = words.get("anyOf").and_then(Value::as_array);
        is_null(words) || members.into_iter().flatten().any(is_null)
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let found = properties.into_iter().flatten().filter(|(_, words)| takes_null(words));
    found.map(|(name, _)| name.clone()).collect()
}
