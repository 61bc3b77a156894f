//! One tool, for people: what it does, what it wants, and how to call it.

use std::fmt::Write as _;

use toolsmith_core::{Map, ToolSpec, Value};

use crate::{output::Colour, params::build_input, table::Table, wording::facts};

/// Returns everything that a caller wants to know.
pub(super) fn text(spec: &ToolSpec, colour: Colour) -> String {
    let schema = spec.input_schema.to_value();
    let mut text = colour.bold(&format!("{} {}", spec.name, spec.version));
    if let Some(title) = &spec.title {
        write!(text, "  {title}").ok();
    }
    write!(text, "\n{}\n\n", spec.description.trim_end()).ok();
    text.push_str(&described(spec));
    text.push_str(&parameters(&schema, colour));
    let examples = examples(spec, &schema);
    if !examples.is_empty() {
        write!(text, "\n{}\n", colour.bold("EXAMPLES")).ok();
        text.extend(examples.iter().map(|line| format!("  {line}\n")));
    }
    text
}

fn described(spec: &ToolSpec) -> String {
    let annotations = spec.annotations;
    let hints = [
        (annotations.read_only, "changes nothing"),
        (annotations.destructive, "may destroy something"),
        (annotations.idempotent, "may be repeated"),
        (annotations.open_world, "talks to the outside"),
        (spec.approval.is_some(), "asks a person first"),
        (!spec.enabled, "switched off"),
    ];
    let hints = hints.iter().filter(|(holds, _)| *holds).map(|(_, hint)| *hint);
    facts(&[
        ("category", Some(spec.category.to_string())),
        ("kind", Some(format!("{}, {}", spec.kind, spec.backend_runtime))),
        ("tags", joined(spec.tags.iter().map(AsRef::as_ref))),
        ("hints", joined(hints)),
        ("timeout", spec.timeout.map(|timeout| format!("{} s", timeout.as_secs_f64()))),
        ("deprecated", spec.deprecated.as_ref().map(ToString::to_string)),
    ])
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let words: Vec<&str> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn parameters(schema: &Value, colour: Colour) -> String {
    let Some(Value::Object(properties)) = schema.get("properties") else { return String::new() };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|n| n == name));
    let mut table = Table::new(&["PARAMETER", "TYPE", "REQUIRED", "DEFAULT", "DESCRIPTION"]);
    for (name, property) in properties {
        let needed = if is_required(name) { "yes" } else { "no" };
        let default = property.get("default").map(Value::to_string).unwrap_or_default();
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        table.row([name, &type_of(property), needed, &default, description]);
    }
    if table.is_empty() { String::new() } else { format!("\n{}", table.render(colour)) }
}

/// Says the type of a parameter in a word or two.
fn type_of(property: &Value) -> String {
    if let Some(Value::Array(words)) = property.get("enum") {
        let words: Vec<String> = words.iter().map(Value::to_string).collect();
        return words.join("|");
    }
    match property.get("type") {
        Some(Value::String(word)) if word == "array" => property
            .get("items")
            .map_or_else(|| word.clone(), |i| format!("array of {}", type_of(i))),
        Some(Value::String(word)) => word.clone(),
        Some(Value::Array(words)) => {
            words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|")
        }
        _ => "any".to_owned(),
    }
}

/// Writes the examples of a tool as commands, ready to be run.
fn examples(spec: &ToolSpec, schema: &Value) -> Vec<String> {
    let inputs = spec.examples.iter().filter_map(|example| match example.to_value() {
        Value::Object(mut fields) => match fields.remove("input") {
            Some(Value::Object(input)) => Some(input),
            _ => Some(fields),
        },
        _ => None,
    });
    inputs.map(|input| command(spec, schema, &input)).collect()
}

fn command(spec: &ToolSpec, schema: &Value, input: &Map<String, Value>) -> String {
    let pairs = input.iter().map(|(key, value)| pair(schema, key, value));
    pairs.fold(format!("toolsmith run {}", spec.name), |command, pair| command + " " + &pair)
}

/// Writes a parameter as an argument that is read back as the same value.
fn pair(schema: &Value, key: &str, value: &Value) -> String {
    let plain = match value {
        Value::String(text) if text.starts_with('@') => format!("@{text}"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut no_files = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let read_back = build_input(schema, &[format!("{key}={plain}")], None, &mut no_files);
    if read_back.is_ok_and(|input| input.get(key) == Some(value)) {
        return format!("{}={}", quoted(key), quoted(&plain));
    }
    format!("{}:={}", quoted(key), quoted(&value.to_string()))
}

/// Quotes a text for the shell, where that is needed.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{JsonText, json};

    use super::*;

    #[test]
    fn examples_are_read_back_as_what_they_are() {
        let schema = json!({"properties": {
            "s": {"type": "string"}, "n": {"type": "integer"}, "l": {"type": "array"}
        }});
        for (key, value, expected) in [
            ("s", json!("hi"), "s=hi"),
            ("s", json!("2*(3+4)"), "s='2*(3+4)'"),
            ("s", json!("it's"), r"s='it'\''s'"),
            ("s", json!(""), "s=''"),
            ("s", json!("@home"), "s=@@home"),
            ("s", json!(3), "s:=3"),
            ("n", json!(3), "n=3"),
            ("n", json!("3"), r#"n:='"3"'"#),
            ("l", json!([1, "a"]), r#"l='[1,"a"]'"#),
            ("unknown", json!(null), "unknown:=null"),
        ] {
            assert_eq!(pair(&schema, key, &value), expected);
        }
    }

    #[test]
    fn an_example_may_be_the_bare_input() {
        let spec = ToolSpec::new("t").unwrap().with(|spec| {
            spec.examples = vec![JsonText::of(&json!({"a": 1})), JsonText::of(&json!([]))];
        });
        assert_eq!(examples(&spec, &json!({})), ["toolsmith run t a:=1"]);
    }

    #[test]
    fn types_are_said_in_a_word_or_two() {
        for (property, expected) in [
            (json!({"type": "string"}), "string"),
            (json!({"type": ["integer", "null"]}), "integer|null"),
            (json!({"enum": ["a", 1]}), r#""a"|1"#),
            (json!({"type": "array", "items": {"type": "number"}}), "array of number"),
            (json!({"type": "array"}), "array"),
            (json!({"$ref": "#/x"}), "any"),
        ] {
            assert_eq!(type_of(&property), expected);
        }
    }
}
