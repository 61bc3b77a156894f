//! The body of an operation: which of its media types is sent, and what it is made of.

use toolsmith_core::{Map, Value};

use super::{
    document::{Dialect, Document},
    flat::{self, Flat, flatten},
    model::{Body, BodyContent, BodyKind, File, Location, Operation, Parameter, Style},
    notes::Notes,
    parameters,
};

/// How many fields of a body become arguments of their own.
const MOST_FIELDS: usize = 100;

/// Returns the body of an operation.
pub(super) fn read<'a>(
    document: &Document<'a>,
    operation: &Operation<'a>,
    notes: &mut Notes,
) -> Result<Option<Body<'a>>, String> {
    match document.dialect {
        Dialect::Two => of_swagger(document, operation, notes),
        Dialect::Three => of_openapi(document, operation, notes),
    }
}

fn of_openapi<'a>(
    document: &Document<'a>,
    operation: &Operation<'a>,
    notes: &mut Notes,
) -> Result<Option<Body<'a>>, String> {
    let Some(raw) = operation.own.get("requestBody").filter(|raw| !raw.is_null()) else {
        return Ok(None);
    };
    let raw = document.follow(raw).map_err(|why| format!("of the body: {why}"))?;
    let content = raw.get("content").and_then(Value::as_object);
    let types = content.map(|content| content.keys().map(String::as_str).collect::<Vec<_>>());
    let types = types.unwrap_or_default();
    let Some((media_type, kind)) = choose(&types) else {
        notes.warn(&operation.label(), "its body has no media type, so none is sent");
        return Ok(None);
    };
    tell_choice(operation, &types, (media_type, kind), notes);
    let media = content.and_then(|content| content.get(media_type));
    let media = media.and_then(|media| document.follow(media).ok());
    let schema = media.and_then(|media| media.get("schema"));
    let encoding = media.and_then(|media| media.get("encoding")).and_then(Value::as_object);
    Ok(Some(Body {
        media_type: sent_as(media_type, kind),
        kind,
        is_required: raw.get("required") == Some(&Value::Bool(true)),
        description: raw.get("description").and_then(Value::as_str).unwrap_or_default(),
        content: content_of(document, kind, schema, encoding),
    }))
}

fn of_swagger<'a>(
    document: &Document<'a>,
    operation: &Operation<'a>,
    notes: &mut Notes,
) -> Result<Option<Body<'a>>, String> {
    let listed = operation.own.get("consumes").or(document.root.get("consumes"));
    let types: Vec<&str> =
        listed.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let fields = parameters::form_fields(document, operation)?;
    if !fields.is_empty() {
        let has_file = fields.iter().any(|field| field.file.is_some());
        let is_multipart =
            has_file || types.first().is_some_and(|word| word.starts_with("multipart/"));
        let kind = if is_multipart { BodyKind::Multipart } else { BodyKind::Form };
        let is_required = fields.iter().any(|field| field.is_required);
        let content = BodyContent::Fields(fields);
        let media_type = String::new();
        return Ok(Some(Body { media_type, kind, is_required, description: "", content }));
    }
    let raw = parameters::raw(document, operation)?;
    let Some(raw) = raw.into_iter().find(|raw| raw.get("in").is_some_and(|place| place == "body"))
    else {
        return Ok(None);
    };
    let (media_type, kind) = choose(&types).unwrap_or(("application/json", BodyKind::Json));
    tell_choice(operation, &types, (media_type, kind), notes);
    Ok(Some(Body {
        media_type: sent_as(media_type, kind),
        kind,
        is_required: raw.get("required") == Some(&Value::Bool(true)),
        description: raw.get("description").and_then(Value::as_str).unwrap_or_default(),
        content: content_of(document, kind, raw.get("schema"), None),
    }))
}

/// Tells which media types are not offered, and which one nobody checks.
fn tell_choice(
    operation: &Operation<'_>,
    types: &[&str],
    (chosen, kind): (&str, BodyKind),
    notes: &mut Notes,
) {
    let is_any = chosen.contains('*') && kind == BodyKind::Json;
    let chosen = if is_any { "application/json" } else { chosen };
    let shown: String = chosen.chars().take(60).collect();
    if types.len() > 1 {
        let why = format!("its body can have several media types; `{shown}` is sent");
        notes.warn(&operation.label(), why);
    }
    if kind == BodyKind::Text && chosen.to_ascii_lowercase().contains("xml") {
        let why = format!("its body is `{shown}`, which is written as text and not checked");
        notes.warn(&operation.label(), why);
    }
}

/// Chooses the media type that a model writes best: JSON, forms, text, bytes.
fn choose<'t>(types: &[&'t str]) -> Option<(&'t str, BodyKind)> {
    let ranked = types.iter().map(|media_type| (rank(media_type), *media_type));
    let ((_, kind), media_type) = ranked.min_by_key(|((rank, _), _)| *rank)?;
    Some((media_type, kind))
}

fn rank(media_type: &str) -> (u8, BodyKind) {
    let lower = media_type.to_ascii_lowercase();
    let word = lower.split(';').next().unwrap_or_default().trim();
    match word {
        "application/json" | "text/json" => (0, BodyKind::Json),
        "*/*" | "application/*" => (2, BodyKind::Json),
        "application/merge-patch+json" => (1, BodyKind::Json),
        word if word.ends_with("+json") => (3, BodyKind::Json),
        "application/x-www-form-urlencoded" => (4, BodyKind::Form),
        "multipart/form-data" => (5, BodyKind::Multipart),
        word if word.starts_with("multipart/") => (6, BodyKind::Multipart),
        "text/plain" => (7, BodyKind::Text),
        word if is_text(word) => (8, BodyKind::Text),
        _ => (9, BodyKind::Binary),
    }
}

fn is_text(word: &str) -> bool {
    const TEXTS: [&str; 8] =
        ["xml", "yaml", "csv", "sdp", "jsonl", "ndjson", "javascript", "graphql"];
    word.starts_with("text/") || TEXTS.iter().any(|text| word.ends_with(text))
}

/// Returns the media type that is written down, where the kind of body does not say it.
fn sent_as(media_type: &str, kind: BodyKind) -> String {
    let is_usual = match kind {
        BodyKind::Json => matches!(media_type, "application/json" | "*/*" | "application/*"),
        BodyKind::Form | BodyKind::Multipart => true,
        BodyKind::Text => media_type == "text/plain",
        BodyKind::Binary => media_type == "application/octet-stream",
    };
    let is_legal = media_type.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'{');
    if is_usual || media_type.contains('*') || !is_legal || media_type.contains("${") {
        return String::new();
    }
    media_type.to_owned()
}

fn content_of<'a>(
    document: &Document<'a>,
    kind: BodyKind,
    schema: Option<&'a Value>,
    encoding: Option<&'a Map<String, Value>>,
) -> BodyContent<'a> {
    let Some(schema) = schema else { return BodyContent::Whole(None) };
    if !matches!(kind, BodyKind::Json | BodyKind::Form | BodyKind::Multipart) {
        return BodyContent::Whole(Some(schema));
    }
    let Some(flat) = flatten(document, schema).filter(|flat| is_closed(flat, kind)) else {
        return BodyContent::Whole(Some(schema));
    };
    let field = |(name, field): &(&'a str, &'a Value)| {
        let said = encoding.and_then(|encoding| encoding.get(*name));
        Parameter {
            name,
            location: Location::Body,
            is_required: flat.required.contains(name),
            description: "",
            schema: Some(field),
            style: said.map_or_else(|| Style::usual(Location::Body), field_style),
            file: (kind == BodyKind::Multipart).then(|| file(document, field, said)).flatten(),
            around: None,
        }
    };
    BodyContent::Fields(flat.fields.iter().map(field).collect())
}

/// Fields become arguments when they are all there is: a body that takes any other is one argument.
fn is_closed(flat: &Flat<'_>, kind: BodyKind) -> bool {
    let is_closed = matches!(flat.more, None | Some(Value::Bool(false)));
    // A form with further fields is still a form of these; nothing else could be sent.
    let is_form = kind != BodyKind::Json;
    (is_closed || is_form) && !flat.is_nullable && flat.fields.len() <= MOST_FIELDS
}

fn field_style(said: &Value) -> Style {
    let is_json = said
        .get("contentType")
        .and_then(Value::as_str)
        .is_some_and(|media_type| media_type.contains("json"));
    let style = parameters::style(said, Location::Body);
    if is_json { Style { word: "json", ..style } } else { style }
}

/// Returns how a field of a multipart body is a file.
fn file<'a>(document: &Document<'a>, field: &'a Value, said: Option<&Value>) -> Option<File> {
    let content_type = said.and_then(|said| said.get("contentType")).and_then(Value::as_str);
    let single = content_type.filter(|word| !word.contains([',', '*']) && word.is_ascii());
    let single = single.filter(|word| !word.contains("${") && !word.contains(char::is_control));
    let schema = document.follow(field).ok()?;
    let items = schema.get("items").and_then(|items| document.follow(items).ok());
    let is_bytes = |schema: &Value| {
        let word = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        matches!(word("format"), "binary" | "base64" | "byte")
            || !word("contentMediaType").is_empty()
            || word("contentEncoding") == "binary"
    };
    let is_file = is_bytes(schema) || items.is_some_and(is_bytes);
    let says_bytes =
        content_type.is_some_and(|word| !word.contains("json") && !word.starts_with("text/plain"));
    let is_word = flat::shape(document, Some(field), 2) == flat::Shape::Single;
    (is_file || (says_bytes && is_word))
        .then(|| File::Part { content_type: single.map(str::to_owned) })
}
