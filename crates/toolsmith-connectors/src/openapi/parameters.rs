//! The parameters of an operation, from documents of every version.

use toolsmith_core::Value;

use super::{
    document::{Dialect, Document},
    model::{File, Location, Operation, Parameter, Style},
    notes::Notes,
};

/// How many parameters an operation may have.
const MOST: usize = 500;

/// Lists the parameters; those of the operation replace those of its path.
///
/// Bodies of older documents are parameters too; they are left to [`bodies`](super::bodies).
pub(super) fn list<'a>(
    document: &Document<'a>,
    operation: &Operation<'a>,
    notes: &mut Notes,
) -> Result<Vec<Parameter<'a>>, String> {
    let mut found: Vec<Parameter<'a>> = Vec::new();
    for raw in raw(document, operation)? {
        let Some(location) = location(document, raw)? else { continue };
        let parameter = match document.dialect {
            Dialect::Two => of_swagger(raw, location),
            Dialect::Three => of_openapi(document, raw, location)?,
        };
        if is_joined_otherwise(document, raw, location) {
            let why = "a list in its path or headers has commas, whatever `collectionFormat` says";
            notes.warn(&operation.label(), why);
        }
        match parameter {
            Some(parameter) => found.push(parameter),
            None => notes.warn(&operation.label(), "one of its parameters has no name"),
        }
    }
    Ok(found)
}

/// Lists the fields of a form of an older document.
pub(super) fn form_fields<'a>(
    document: &Document<'a>,
    operation: &Operation<'a>,
) -> Result<Vec<Parameter<'a>>, String> {
    let raw = raw(document, operation)?;
    let fields =
        raw.into_iter().filter(|raw| raw.get("in").is_some_and(|place| place == "formData"));
    Ok(fields.filter_map(|raw| of_swagger(raw, Location::Body)).collect())
}

/// Returns every parameter as it stands, without references; a later one replaces its like.
pub(super) fn raw<'a>(
    document: &Document<'a>,
    operation: &Operation<'a>,
) -> Result<Vec<&'a Value>, String> {
    let lists = [operation.shared.get("parameters"), operation.own.get("parameters")];
    let lists: Vec<&Vec<Value>> = lists.into_iter().flatten().filter_map(Value::as_array).collect();
    if lists.iter().map(|list| list.len()).sum::<usize>() > MOST {
        return Err(format!("it has more than {MOST} parameters"));
    }
    let mut found: Vec<&'a Value> = Vec::new();
    for raw in lists.into_iter().flatten() {
        let raw = document.follow(raw).map_err(|why| format!("of a parameter: {why}"))?;
        let is_body = raw.get("in").is_some_and(|place| place == "body");
        let is_like = |known: &Value| {
            known.get("in") == raw.get("in")
                && (is_body || (name(raw).is_some() && name(known) == name(raw)))
        };
        match found.iter_mut().find(|known| is_like(known)) {
            Some(known) => *known = raw,
            None => found.push(raw),
        }
    }
    Ok(found)
}

/// Tells where a parameter stands; bodies are none of ours.
fn location(document: &Document<'_>, raw: &Value) -> Result<Option<Location>, String> {
    Ok(Some(match raw.get("in").and_then(Value::as_str) {
        Some("path") => Location::Path,
        Some("query") => Location::Query,
        Some("header") => Location::Header,
        Some("cookie") => Location::Cookie,
        Some("body" | "formData") if document.dialect == Dialect::Two => return Ok(None),
        other => {
            let place: String = other.unwrap_or("nowhere").chars().take(40).collect();
            return Err(format!("one of its parameters stands in `{place}`, which is not known"));
        }
    }))
}

/// Tells whether an older document wants something else than commas where nothing else is known.
fn is_joined_otherwise(document: &Document<'_>, raw: &Value, location: Location) -> bool {
    let word = raw.get("collectionFormat").and_then(Value::as_str).unwrap_or("csv");
    document.dialect == Dialect::Two
        && word != "csv"
        && matches!(location, Location::Path | Location::Header)
}

fn of_swagger(raw: &Value, location: Location) -> Option<Parameter<'_>> {
    let is_file = raw.get("type").is_some_and(|word| word == "file");
    let style = match raw.get("collectionFormat").and_then(Value::as_str).unwrap_or("csv") {
        "ssv" => ("spaceDelimited", false),
        "tsv" => ("tabDelimited", false),
        "pipes" => ("pipeDelimited", false),
        "multi" => ("form", true),
        _ => ("form", false),
    };
    let (word, explode) = match location {
        Location::Path | Location::Header => ("simple", false),
        Location::Query | Location::Cookie | Location::Body => style,
    };
    Some(Parameter {
        name: name(raw)?,
        location,
        is_required: is_required(raw, location),
        description: text(raw, "description"),
        schema: Some(raw),
        style: Style { word, explode, allow_reserved: false },
        file: is_file.then_some(File::Part { content_type: None }),
        around: None,
    })
}

fn of_openapi<'a>(
    document: &Document<'a>,
    raw: &'a Value,
    location: Location,
) -> Result<Option<Parameter<'a>>, String> {
    let Some(name) = name(raw) else { return Ok(None) };
    let mut schema = raw.get("schema");
    let mut style = style(raw, location);
    if let Some(content) = raw.get("content").and_then(Value::as_object) {
        let Some((media_type, media)) = content.iter().next() else {
            return Err(format!("its parameter `{name}` has an empty `content`"));
        };
        schema = document.follow(media).ok().and_then(|media| media.get("schema"));
        if media_type.to_ascii_lowercase().contains("json") {
            style.word = "json";
        }
    }
    Ok(Some(Parameter {
        name,
        location,
        is_required: is_required(raw, location),
        description: text(raw, "description"),
        schema,
        style,
        file: None,
        around: Some(raw),
    }))
}

/// Reads a style; one that does not go with its place counts as not said.
pub(super) fn style(raw: &Value, location: Location) -> Style {
    let usual = Style::usual(location);
    let word = match (raw.get("style").and_then(Value::as_str), location) {
        (Some("label"), Location::Path) => "label",
        (Some("matrix"), Location::Path) => "matrix",
        (Some("spaceDelimited"), Location::Query | Location::Body) => "spaceDelimited",
        (Some("pipeDelimited"), Location::Query | Location::Body) => "pipeDelimited",
        (Some("deepObject"), Location::Query | Location::Body) => "deepObject",
        _ => usual.word,
    };
    let explode = raw.get("explode").and_then(Value::as_bool);
    let allow_reserved = raw.get("allowReserved").and_then(Value::as_bool).unwrap_or_default()
        && matches!(location, Location::Query | Location::Path);
    Style {
        word,
        explode: explode.unwrap_or(matches!(word, "form" | "deepObject")),
        allow_reserved,
    }
}

fn name(raw: &Value) -> Option<&str> {
    raw.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
}

fn is_required(raw: &Value, location: Location) -> bool {
    location == Location::Path || raw.get("required") == Some(&Value::Bool(true))
}

fn text<'a>(raw: &'a Value, key: &str) -> &'a str {
    raw.get(key).and_then(Value::as_str).unwrap_or_default()
}
