//! Values as YAML that a person would keep: blocks, few quotes, long texts over several lines.

use serde_json::{Map, Value};

use super::{Content, scalar};

/// How long a line should be at most.
const WIDTH: usize = 100;

/// The longest key that needs no mark of its own (YAML 1.2, section 7.4.2), with room for quotes.
const LONGEST_KEY: usize = 500;

/// Words that older readers take for true, false or nothing.
const OLD_WORDS: [&str; 8] = ["y", "n", "yes", "no", "on", "off", "true", "false"];

/// Writes a value; what [`parse`](super::parse) reads from it is the same value.
///
/// ```
/// use serde_json::json;
/// use toolsmith_definitions::yaml;
///
/// let text = yaml::write(&json!({"name": "greet", "tags": ["a", "b c"], "path": "/{who}"}));
/// assert_eq!(text, "name: greet\ntags: [a, b c]\npath: /{who}\n");
/// ```
pub fn write(value: &Value) -> String {
    let mut writer = Writer::default();
    match value {
        Value::Object(map) if !map.is_empty() => writer.map(map, 0),
        Value::Array(items) if !items.is_empty() => writer.list(items, 0),
        value => {
            writer.text.push_str(&word(value, Inside::Block));
            writer.text.push('\n');
        }
    }
    writer.text
}

/// Where a word stands: between brackets, commas and braces mean something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Block,
    Brackets,
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn map(&mut self, map: &Map<String, Value>, indent: usize) {
        for (place, (key, value)) in map.iter().enumerate() {
            // The first key of an item stands behind its dash.
            if place > 0 || !self.text.ends_with("- ") {
                self.indent(indent);
            }
            let start = self.text.rfind('\n').map_or(0, |end| end + 1);
            self.text.push_str(&key_text(key, indent));
            self.text.push(':');
            let column = self.text.get(start..).map_or(0, |line| line.chars().count());
            self.value(value, indent, column);
        }
    }

    fn list(&mut self, items: &[Value], indent: usize) {
        for item in items {
            self.indent(indent);
            match item {
                Value::Object(map)
                    if !map.is_empty() && brackets(item, indent + 2, indent + 2).is_none() =>
                {
                    self.text.push_str("- ");
                    self.map(map, indent + 2);
                }
                item => {
                    self.text.push('-');
                    self.value(item, indent, indent + 1);
                }
            }
        }
    }

    /// Writes what follows a key or a dash, on its line or below it.
    fn value(&mut self, value: &Value, indent: usize, column: usize) {
        if let Some(text) = brackets(value, indent, column + 1) {
            self.line(&text);
            return;
        }
        match value {
            Value::Object(map) => {
                self.text.push('\n');
                self.map(map, indent + 2);
            }
            Value::Array(items) => {
                self.text.push('\n');
                self.list(items, indent + 2);
            }
            Value::String(text) => self.long(text, indent + 2, column),
            value => self.line(&word(value, Inside::Block)),
        }
    }

    fn long(&mut self, text: &str, indent: usize, column: usize) {
        let plain = word(&Value::String(text.to_owned()), Inside::Block);
        let is_short = column + 1 + plain.chars().count() <= WIDTH;
        if is_foldable(text) && !is_short {
            self.line(">-");
            self.wrapped(text, indent);
        } else if text.contains('\n') && is_literal(text) {
            self.line(if text.ends_with('\n') { "|" } else { "|-" });
            for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                if !line.is_empty() {
                    self.indent(indent);
                }
                self.text.push_str(line);
                self.text.push('\n');
            }
        } else {
            self.line(&plain);
        }
    }

    fn wrapped(&mut self, text: &str, indent: usize) {
        let mut column = 0;
        for word in text.split(' ') {
            let length = word.chars().count();
            if column == 0 || column + 1 + length > WIDTH {
                if column > 0 {
                    self.text.push('\n');
                }
                self.indent(indent);
                column = indent;
            } else {
                self.text.push(' ');
                column += 1;
            }
            self.text.push_str(word);
            column += length;
        }
        self.text.push('\n');
    }

    fn line(&mut self, text: &str) {
        self.text.push(' ');
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn indent(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
    }
}

fn key_text(key: &str, indent: usize) -> String {
    let text = word(&Value::String(key.to_owned()), Inside::Brackets);
    if key.len() > LONGEST_KEY {
        return format!("? {text}\n{}", " ".repeat(indent));
    }
    text
}

/// Writes a value on one line when it is small: a word, or a list or map of a few words.
fn brackets(value: &Value, indent: usize, column: usize) -> Option<String> {
    let words: Vec<String> = match value {
        Value::Array(items) if items.is_empty() => return Some("[]".to_owned()),
        Value::Object(map) if map.is_empty() => return Some("{}".to_owned()),
        Value::Array(items) => items.iter().map(|item| inner(item, 1)).collect::<Option<_>>()?,
        // The keys of a document are its outline, and stand below each other.
        Value::Object(map) if indent == 0 && !map.values().all(Value::is_boolean) => return None,
        Value::Object(map) => pairs(map)?,
        Value::String(_) => return None,
        value => return Some(word(value, Inside::Block)),
    };
    let text = enclose(value, &words);
    (column + text.chars().count() <= WIDTH).then_some(text)
}

fn pairs(map: &Map<String, Value>) -> Option<Vec<String>> {
    // A schema or an example reads better down the page than along the line.
    let has_map = map.values().any(|value| value.as_object().is_some_and(|map| !map.is_empty()));
    if map.len() > 4 || has_map || map.keys().any(|key| key.len() > 60) {
        return None;
    }
    let key_text = |key: &String| word(&Value::String(key.clone()), Inside::Brackets);
    let pair =
        |(key, value): (&String, &Value)| Some(format!("{}: {}", key_text(key), inner(value, 1)?));
    map.iter().map(pair).collect()
}

fn inner(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::Array(items) if items.is_empty() => Some("[]".to_owned()),
        Value::Object(map) if map.is_empty() => Some("{}".to_owned()),
        Value::Array(_) | Value::Object(_) if depth == 0 => None,
        Value::Array(items) => {
            let words: Vec<String> =
                items.iter().map(|item| inner(item, 0)).collect::<Option<_>>()?;
            Some(enclose(value, &words))
        }
        Value::Object(map) => Some(enclose(value, &pairs(map)?)),
        Value::String(text) if text.contains('\n') || text.len() > WIDTH => None,
        value => Some(word(value, Inside::Brackets)),
    }
}

fn enclose(value: &Value, words: &[String]) -> String {
    let words = words.join(", ");
    match value {
        Value::Array(_) => format!("[{words}]"),
        _ if words.is_empty() => "{}".to_owned(),
        _ => format!("{{ {words} }}"),
    }
}

/// Writes a value without parts.
fn word(value: &Value, inside: Inside) -> String {
    match value {
        Value::String(text) if is_plain(text, inside) => text.clone(),
        Value::String(text) => quoted(text),
        Value::Array(_) => "[]".to_owned(),
        Value::Object(_) => "{}".to_owned(),
        value => value.to_string(),
    }
}

/// Tells whether a text means itself without quotes, also for readers of older YAML.
fn is_plain(text: &str, inside: Inside) -> bool {
    let begins = |c: char| c.is_alphabetic() || matches!(c, '_' | '/' | '(' | '$');
    let is_mark = |c: char| matches!(c, ',' | '[' | ']' | '{' | '}');
    text.starts_with(begins)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(|c| c == ' ' || (is_printable(c) && !c.is_whitespace()))
        && !(inside == Inside::Brackets && (text.contains(is_mark) || text.contains(':')))
        && !OLD_WORDS.contains(&text.to_ascii_lowercase().as_str())
        && scalar(text).value == Content::Text(text.to_owned())
}

/// Writes a text in quotes: JSON, with the characters escaped that YAML wants escaped too.
fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        if is_printable(c) {
            quoted.push(c);
        } else {
            quoted.extend([format!("\\U{:08x}", u32::from(c))]);
        }
    }
    quoted
}

fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Tells whether a text can be broken at its spaces and come back as it was.
fn is_foldable(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !text.contains("  ")
        && text.chars().all(|c| c == ' ' || (is_printable(c) && !c.is_whitespace()))
}

/// Tells whether the lines of a text can stand below each other as they are.
fn is_literal(text: &str) -> bool {
    let is_line = |line: &str| {
        !line.ends_with(char::is_whitespace)
            && line.chars().all(|c| c == ' ' || (is_printable(c) && !c.is_whitespace()))
    };
    let body = text.strip_suffix('\n').unwrap_or(text);
    !body.is_empty()
        && !body.starts_with([' ', '\n'])
        && !body.ends_with('\n')
        && body.split('\n').all(is_line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::yaml;

    fn read(text: &str) -> Value {
        let documents = yaml::parse(text).unwrap_or_else(|error| panic!("{error} in:\n{text}"));
        assert_eq!(documents.len(), 1, "{text}");
        documents[0].to_json()
    }

    #[test]
    fn a_definition_reads_well() {
        let long = "word ".repeat(30).trim().to_owned();
        let value = json!({
            "name": "add_pet",
            "description": long,
            "tags": ["pets", "2 words", "x: y"],
            "input_schema": {
                "type": "object",
                "properties": { "id": { "type": "integer", "description": "Which." }, "no": {} },
                "required": ["id"]
            },
            "entry": { "path": "/pets/{id}", "body": "{id}", "url": "${URL:https://a.example}/v1" },
            "examples": [{ "a": 1, "text": "one\ntwo\n" }, 2, [3, [4]]],
            "annotations": { "read_only": true }
        });
        let text = write(&value);
        insta::assert_snapshot!(text, @r#"
        name: add_pet
        description: >-
          word word word word word word word word word word word word word word word word word word word
          word word word word word word word word word word word
        tags: [pets, "2 words", "x: y"]
        input_schema:
          type: object
          properties:
            id: { type: integer, description: Which. }
            "no": {}
          required: [id]
        entry:
          path: /pets/{id}
          body: "{id}"
          url: ${URL:https://a.example}/v1
        examples:
          - a: 1
            text: |
              one
              two
          - 2
          - [3, [4]]
        annotations: { read_only: true }
        "#);
        assert_eq!(read(&text), value);
    }

    #[test]
    fn texts_that_mean_something_else_are_quoted() {
        for text in [
            "",
            " a",
            "a ",
            "- a",
            "a: b",
            "a #b",
            "#",
            "3",
            "1.5",
            "true",
            "Yes",
            "null",
            "~",
            "a\tb",
            "2022-06-28",
            "{x}",
            "[x]",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a",
            "'a'",
            "\"a\"",
            "a\u{85}b",
            "\u{feff}",
            "---",
            "a\u{2028}b",
            "? a",
            "a:",
            "<<",
            "=",
            "0x1f",
            ".inf",
            "a\r\nb",
            "\n",
            "\n\n",
            "a\n\n",
            " a\nb",
            "a\n b\n",
            "a \nb",
            "日本",
        ] {
            for value in [
                json!(text),
                json!([text]),
                json!({ "k": text }),
                json!({ text: { text: [text, { text: 1 }] } }),
            ] {
                assert_eq!(read(&write(&value)), value, "{}", write(&value));
            }
        }
        let key = "k".repeat(5_000);
        let value = json!({ "a": { key.clone(): [1], "b": { key: "x" } } });
        assert_eq!(read(&write(&value)), value);
    }

    fn values() -> impl Strategy<Value = Value> {
        let text =
            prop_oneof!["[ -~]{0,12}", "[a-c \\n#:,-]{0,40}", "\\PC{0,10}", "([a-z]{1,9} ?){1,40}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.clone().prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((text.clone(), inner), 0..5)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_it_was(value in values()) {
            let text = write(&value);
            prop_assert_eq!(read(&text), value, "{}", text);
        }
    }
}
