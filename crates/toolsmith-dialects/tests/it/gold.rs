//! Every gold call of BFCL survives the way into every dialect and back.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};
use toolsmith_core::ToolSpec;
use toolsmith_dialects::{
    Dialect, RenderSettings, Settings, Shape, ShownCall, Tools, Wanted, parse, render_calls,
    render_tools,
};
use toolsmith_testing::skip;

/// The sets of single questions with gold calls.
pub(crate) const SETS: [&str; 10] = [
    "simple_python",
    "simple_java",
    "simple_javascript",
    "multiple",
    "parallel",
    "parallel_multiple",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
];

/// One question: its tools, and the calls that answer it.
pub(crate) struct Row {
    id: String,
    pub(crate) tools: Vec<(String, Value)>,
    calls: Vec<(String, Value)>,
    /// How many types were added to the schemas so that the calls keep to them.
    widened: usize,
}

#[test]
fn every_gold_call_survives_the_way_into_every_dialect_and_back() {
    let Some(folder) = data() else {
        return skip("BFCL is not installed; run ./test");
    };
    let rows: Vec<Row> = SETS.iter().flat_map(|set| rows(&folder, set)).collect();
    assert!(rows.len() > 2_400, "{} rows", rows.len());
    let widened: usize = rows.iter().map(|row| row.widened).sum();
    println!("{} rows; {widened} types added to schemas that the gold calls break", rows.len());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in &rows {
        for &dialect in Dialect::ALL {
            match round_trip(row, dialect) {
                None => *counts.entry(dialect.as_str()).or_default() += row.calls.len(),
                Some(difference) => wrong.push(difference),
            }
        }
    }
    for (dialect, count) in &counts {
        println!("{dialect}: {count} calls");
    }
    wrong.truncate(40);
    assert!(wrong.is_empty(), "lost on the way:\n{}", wrong.join("\n"));
}

fn round_trip(row: &Row, dialect: Dialect) -> Option<String> {
    let tools = tools(row);
    let specs: Vec<ToolSpec> = row
        .tools
        .iter()
        .map(|(name, schema)| ToolSpec::new(name).unwrap().with_input_schema(schema))
        .collect();
    let definitions =
        render_tools(dialect, &specs.iter().collect::<Vec<_>>(), &RenderSettings::default());
    let tools = tools.shown_as(&definitions);
    let calls = shown(row);
    let text = render_calls(dialect, &calls, &tools);
    let reply = parse(dialect, &text, &tools, &Settings::default());
    let read: Vec<_> =
        reply.calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
    let gold: Vec<_> = row.calls.iter().map(|(name, value)| (name.as_str(), value)).collect();
    (read != gold || !reply.text().trim().is_empty())
        .then(|| format!("{dialect} {}: {}", row.id, first_difference(&read, &gold)))
}

#[test]
fn the_dialect_of_gold_calls_is_found_out() {
    let Some(folder) = data() else {
        return skip("BFCL is not installed; run ./test");
    };
    let rows: Vec<Row> = SETS.iter().flat_map(|set| rows(&folder, set)).collect();
    let mut wrong = Vec::new();
    for row in rows.iter().step_by(10) {
        let (tools, calls) = (tools(row), shown(row));
        for &dialect in Dialect::ALL {
            let text = render_calls(dialect, &calls, &tools);
            let told = parse(dialect, &text, &tools, &Settings::default()).calls;
            let found = parse(Dialect::Auto, &text, &tools, &Settings::default()).calls;
            if found != told {
                wrong.push(format!("{dialect} {}: {} of {}", row.id, found.len(), told.len()));
            }
        }
    }
    wrong.truncate(40);
    assert!(wrong.is_empty(), "not found out:\n{}", wrong.join("\n"));
}

fn tools(row: &Row) -> Tools {
    Tools::of_schemas(row.tools.iter().map(|(name, schema)| (name.as_str(), schema)))
}

fn shown(row: &Row) -> Vec<ShownCall<'_>> {
    let calls = row.calls.iter();
    calls.map(|(name, arguments)| ShownCall { id: None, name, arguments }).collect()
}

fn first_difference(read: &[(&str, &Value)], gold: &[(&str, &Value)]) -> String {
    let pair = read.iter().zip(gold).find(|(read, gold)| read != gold);
    pair.map_or_else(|| format!("{} of {}", read.len(), gold.len()), |pair| format!("{pair:?}"))
}

/// Returns the folder of the data, which the test command installs.
pub(crate) fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?.join("test-deps/bfcl");
    folder.join("possible_answer").is_dir().then_some(folder)
}

pub(crate) fn rows(folder: &Path, set: &str) -> Vec<Row> {
    let read = |path: PathBuf| -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let file = format!("BFCL_v4_{set}.json");
    let questions = read(folder.join(&file));
    let answers: BTreeMap<String, Value> = read(folder.join("possible_answer").join(&file))
        .into_iter()
        .map(|answer| (answer["id"].as_str().unwrap().to_owned(), answer))
        .collect();
    let rows = questions.iter().filter_map(|question| {
        let id = question["id"].as_str()?;
        let mut tools: Vec<_> = question["function"]
            .as_array()?
            .iter()
            .map(|tool| (tool["name"].as_str().unwrap().to_owned(), schema(&tool["parameters"])))
            .collect();
        let gold = answers.get(id)?["ground_truth"].as_array()?;
        let calls: Vec<_> = gold.iter().flat_map(|call| alternatives(call, &tools)).collect();
        let widened = calls.iter().map(|call| widen(&mut tools, call)).sum();
        Some(Row { id: id.to_owned(), tools, calls, widened })
    });
    rows.collect()
}

/// Returns the calls that a gold answer allows: every allowed value occurs in one of them.
fn alternatives(call: &Value, tools: &[(String, Value)]) -> Vec<(String, Value)> {
    let (name, parameters) = call.as_object().unwrap().iter().next().unwrap();
    let parameters = parameters.as_object().unwrap();
    let shape =
        tools.iter().find(|(tool, _)| tool == name).map(|(_, schema)| Shape::of_schema(schema));
    let most = parameters.values().map(|values| values.as_array().map_or(1, Vec::len)).max();
    let pick = |place: usize| {
        let arguments: Map<String, Value> = parameters
            .iter()
            .filter_map(|(key, values)| {
                let values = values.as_array()?;
                let value = values.get(place).or_else(|| values.first())?;
                let wanted = shape.as_ref().and_then(|shape| shape.wanted(key));
                // An empty string says that the parameter may be left out.
                let is_left_out = value == "" && wanted != Some(Wanted::STRING);
                (!is_left_out).then(|| (key.clone(), first_choice(value)))
            })
            .collect();
        (name.clone(), Value::Object(arguments))
    };
    (0..most.unwrap_or(1)).map(pick).collect()
}

/// Adds the types of values that break the schema, and returns how many.
///
/// Some gold calls give null for a string, or a parameter that is not there. Where values are
/// written without a type, only the schema can tell that `null` is not the word.
fn widen(tools: &mut [(String, Value)], (name, arguments): &(String, Value)) -> usize {
    let Some((_, schema)) = tools.iter_mut().find(|(tool, _)| tool == name) else { return 0 };
    let shape = Shape::of_schema(schema);
    let mut added = 0;
    for (key, value) in arguments.as_object().unwrap() {
        let (types, kind) = type_of(value);
        if shape.wanted(key).is_some_and(|wanted| wanted.has(types)) {
            continue;
        }
        added += 1;
        let property = &mut schema["properties"][key];
        let known = property.get("type").cloned();
        let known =
            known.map_or_else(Vec::new, |known| known.as_array().cloned().unwrap_or(vec![known]));
        let mut types = known;
        types.push(kind.into());
        // The listed values would rule the added type out again.
        if let Some(property) = property.as_object_mut() {
            property.remove("enum");
        }
        property["type"] = Value::Array(types);
    }
    added
}

fn type_of(value: &Value) -> (Wanted, &'static str) {
    match value {
        Value::Null => (Wanted::NULL, "null"),
        Value::Bool(_) => (Wanted::BOOLEAN, "boolean"),
        Value::Number(number) if number.is_f64() => (Wanted::NUMBER, "number"),
        Value::Number(_) => (Wanted::INTEGER, "integer"),
        Value::String(_) => (Wanted::STRING, "string"),
        Value::Array(_) => (Wanted::ARRAY, "array"),
        Value::Object(_) => (Wanted::OBJECT, "object"),
    }
}

/// Takes the first of the values that each member of a nested object may have.
fn first_choice(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, values)| {
                let first = values.as_array().and_then(|values| values.first());
                (key.clone(), first_choice(first.unwrap_or(values)))
            })
            .collect(),
        other => other.clone(),
    }
}

/// Writes the types of the benchmark as those of JSON Schema.
fn schema(parameters: &Value) -> Value {
    match parameters {
        Value::Array(members) => members.iter().map(schema).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, value)| match value.as_str().filter(|_| key == "type") {
                Some(kind) => Some((key.clone(), json_type(kind)?.into())),
                None => Some((key.clone(), schema(value))),
            })
            .collect(),
        other => other.clone(),
    }
}

fn json_type(kind: &str) -> Option<&'static str> {
    Some(match kind.to_ascii_lowercase().as_str() {
        "dict" | "object" | "hashmap" | "hashtable" => "object",
        "array" | "list" | "tuple" | "arraylist" | "queue" | "stack" => "array",
        "integer" | "long" | "short" | "byte" | "bigint" => "integer",
        "float" | "double" | "number" => "number",
        "boolean" => "boolean",
        "string" | "char" => "string",
        // `any`, and what is no type at all.
        _ => return None,
    })
}
