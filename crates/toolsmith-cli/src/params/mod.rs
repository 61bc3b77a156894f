//! The input of a call from the command line: `key=value`, typed by the tool's schema.

mod pair;
mod types;

use std::{io, path::Path};

use serde_json::{Map, Value};

use self::pair::Pair;
use crate::{
    exit::UsageError,
    files,
    wording::{TOO_DEEP, json_mistake},
};

/// The longest file that an argument may name, in bytes.
pub const MAX_BYTES: usize = 16 << 20;

/// The mark that some editors put before UTF-8 text.
pub(crate) const MARK: &str = "\u{feff}";

/// Where a piece of JSON was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// In an argument, where the shell may have eaten its quotes.
    Argument,
    /// In a file, or on standard input.
    Elsewhere,
}

/// Reads what an argument names: a path, or `-` for standard input.
pub type Read<'a> = &'a mut dyn FnMut(&str) -> io::Result<String>;

/// Builds an input from pairs on top of a whole input, typed by the schema of the input.
///
/// What does not fit the schema is passed on as text: the engine says everything that is wrong with
/// an input at once, and says it better.
///
/// ```
/// use serde_json::json;
/// use toolsmith_cli::params::build_input;
///
/// let schema = json!({"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}});
/// let pairs = ["n=3".to_owned(), "s=3".to_owned(), "list:=[1]".to_owned()];
/// let mut no_files = |_: &str| Err(std::io::ErrorKind::NotFound.into());
/// let input = build_input(&schema, &pairs, None, &mut no_files).unwrap();
/// assert_eq!(input, json!({"n": 3, "s": "3", "list": [1]}));
/// ```
pub fn build_input(
    schema: &Value,
    pairs: &[String],
    base: Option<Value>,
    read: Read<'_>,
) -> Result<Value, UsageError> {
    let mut input = match base {
        None => Map::new(),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err(UsageError::new("--params must be a JSON object")),
    };
    let mut seen: Vec<&str> = Vec::new();
    for pair in pairs {
        let pair = Pair::parse(pair)?;
        if seen.contains(&pair.key) {
            let key = pair.key;
            return Err(UsageError::new(format!(
                "`{key}` is given twice; for a list write {key}:='[…]'"
            )));
        }
        seen.push(pair.key);
        let value = pair.value(schema, read)?;
        input.insert(pair.key.to_owned(), value);
    }
    Ok(Value::Object(input))
}

/// Reads the value of `--params`: JSON, `@file`, or `-` for standard input.
pub fn whole_input(text: &str, read: Read<'_>) -> Result<Value, UsageError> {
    let (content, origin) = match text.strip_prefix('@') {
        Some(path) => (read_named("--params", path, read)?, Origin::Elsewhere),
        None if text == "-" => (read_named("--params", "-", read)?, Origin::Elsewhere),
        None => (text.to_owned(), Origin::Argument),
    };
    parse_json("--params", &content, origin)
}

/// Returns a reader of files and of standard input, which it reads only once.
pub fn reader() -> impl FnMut(&str) -> io::Result<String> {
    let mut is_used = false;
    move |path| match path {
        "-" if is_used => Err(io::Error::other("standard input can be read only once")),
        "-" => {
            is_used = true;
            files::read_all(io::stdin().lock(), MAX_BYTES)
        }
        path => files::read_text(Path::new(path), MAX_BYTES),
    }
}

fn read_named(key: &str, path: &str, read: Read<'_>) -> Result<String, UsageError> {
    read(path).map_err(|error| {
        let reason = files::explain(&error);
        UsageError::new(format!("`{key}`: cannot read `{path}`: {reason}"))
    })
}

fn parse_json(key: &str, text: &str, origin: Origin) -> Result<Value, UsageError> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    serde_json::from_str(text).map_err(|error| {
        let (what, line, column) = (json_mistake(&error), error.line(), error.column());
        let message = format!("`{key}`, line {line}, column {column}: {what}");
        UsageError::new(match origin {
            Origin::Argument if what != TOO_DEEP => {
                format!("{message}. Quote it for the shell, as in '{{\"a\": 1}}'")
            }
            _ => message,
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "s": {"type": "string"},
                "i": {"type": "integer"},
                "n": {"type": "number"},
                "b": {"type": "boolean"},
                "list": {"type": "array"},
                "map": {"type": "object"},
                "maybe": {"type": ["integer", "null"]},
                "text_or_null": {"type": ["string", "null"]},
                "mixed": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "array"}]},
                "level": {"enum": ["1", "high", 2]},
                "anything": {},
                "there": {"$ref": "#/$defs/count"}
            },
            "$defs": {"count": {"type": "integer"}}
        })
    }

    fn build(pairs: &[&str]) -> Result<Value, String> {
        let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        build_input(&schema(), &pairs, None, &mut file).map_err(|error| error.to_string())
    }

    fn file(path: &str) -> io::Result<String> {
        match path {
            "marked.json" => Ok("\u{feff}{}".to_owned()),
            "note.txt" => Ok("line\n".to_owned()),
            "list.json" => Ok("[1, 2]\n".to_owned()),
            "five" => Ok("5\n".to_owned()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }

    #[test]
    fn the_schema_decides_what_a_value_is() {
        for (pair, expected) in [
            ("s=3", json!({"s": "3"})),
            ("s=true", json!({"s": "true"})),
            ("s=", json!({"s": ""})),
            ("s=a=b", json!({"s": "a=b"})),
            ("s= 中文 ", json!({"s": " 中文 "})),
            ("i=3", json!({"i": 3})),
            ("i=-3", json!({"i": -3})),
            ("i=+3", json!({"i": 3})),
            ("n=1e3", json!({"n": 1000.0})),
            ("n=.5", json!({"n": 0.5})),
            ("b=false", json!({"b": false})),
            ("list=[1, \"a\"]", json!({"list": [1, "a"]})),
            ("map={\"a\": 1}", json!({"map": {"a": 1}})),
            ("there=7", json!({"there": 7})),
            ("anything=3", json!({"anything": "3"})),
            ("unknown=3", json!({"unknown": "3"})),
        ] {
            assert_eq!(build(&[pair]), Ok(expected), "{pair}");
        }
    }

    #[test]
    fn unions_take_the_first_type_that_fits() {
        for (pair, expected) in [
            ("maybe=null", json!({"maybe": null})),
            ("maybe=4", json!({"maybe": 4})),
            ("text_or_null=null", json!({"text_or_null": "null"})),
            ("mixed=4", json!({"mixed": 4})),
            ("mixed=four", json!({"mixed": "four"})),
            ("mixed=[4]", json!({"mixed": [4]})),
            ("mixed=[4", json!({"mixed": "[4"})),
            ("mixed={}", json!({"mixed": "{}"})),
            ("level=1", json!({"level": "1"})),
            ("level=2", json!({"level": 2})),
            ("level=high", json!({"level": "high"})),
        ] {
            assert_eq!(build(&[pair]), Ok(expected), "{pair}");
        }
    }

    #[test]
    fn what_does_not_fit_stays_text_for_the_engine_to_judge() {
        assert_eq!(build(&["i=three"]), Ok(json!({"i": "three"})));
        assert_eq!(build(&["n=inf"]), Ok(json!({"n": "inf"})));
        assert_eq!(build(&["b=yes"]), Ok(json!({"b": "yes"})));
        assert_eq!(build(&["list=a"]), Ok(json!({"list": "a"})));
    }

    #[test]
    fn json_can_be_forced_and_files_read() {
        assert_eq!(build(&["s:=3"]), Ok(json!({"s": 3})));
        assert_eq!(build(&["unknown:={\"a\": null}"]), Ok(json!({"unknown": {"a": null}})));
        assert_eq!(build(&["s=@note.txt"]), Ok(json!({"s": "line\n"})));
        assert_eq!(build(&["s=@list.json"]), Ok(json!({"s": "[1, 2]\n"})));
        assert_eq!(build(&["list=@list.json"]), Ok(json!({"list": [1, 2]})));
        assert_eq!(build(&["i=@five"]), Ok(json!({"i": 5})));
        assert_eq!(build(&["s:=@five"]), Ok(json!({"s": 5})));
        assert_eq!(build(&["s=@@note.txt"]), Ok(json!({"s": "@note.txt"})));
        assert_eq!(build(&["s=a@b"]), Ok(json!({"s": "a@b"})));
    }

    #[test]
    fn mistakes_say_what_to_write() {
        for (pairs, expected) in [
            (&["hello"][..], "`hello` is not KEY=VALUE; write hello=…, or give JSON with --params"),
            (&["=3"], "`=3` has no key before the `=`"),
            (&[":=3"], "`:=3` has no key before the `=`"),
            (&["s=1", "s=2"], "`s` is given twice; for a list write s:='[…]'"),
            (&["s=@nowhere"], "`s`: cannot read `nowhere`: there is no such file"),
            (&["s=@"], "`s=@` names no file; a plain `@` is written `s=@@`"),
        ] {
            assert_eq!(build(pairs), Err(expected.to_owned()));
        }
        for pair in ["s:=hello", "list=[1", "map={a: 1}"] {
            let message = build(&[pair]).unwrap_err();
            assert!(message.contains(", line 1, column "), "{message}");
            assert!(message.contains("Quote it for the shell"), "{message}");
        }
    }

    #[test]
    fn json_from_a_file_has_no_business_with_the_shell() {
        let message = whole_input("@note.txt", &mut file).unwrap_err().to_string();
        assert_eq!(
            message,
            "`--params`, line 1, column 1: this is not valid JSON; text stands in double quotes"
        );
        let message = whole_input("-", &mut |_| Ok("[".repeat(1_000))).unwrap_err().to_string();
        assert!(message.ends_with(": nested too deep"), "{message}");
        assert!(!build(&["s:=@note.txt"]).unwrap_err().contains("shell"));
        assert!(!build(&["list=@note.txt"]).is_err_and(|error| error.contains("shell")));
        assert_eq!(whole_input("@marked.json", &mut file).unwrap(), json!({}));
    }

    #[test]
    fn pairs_go_on_top_of_a_whole_input() {
        let base = whole_input(r#"{"i": 1, "s": "a"}"#, &mut file).unwrap();
        let pairs = ["i=2".to_owned()];
        let input = build_input(&schema(), &pairs, Some(base), &mut file).unwrap();
        assert_eq!(input, json!({"i": 2, "s": "a"}));
        assert_eq!(whole_input("@list.json", &mut file).unwrap(), json!([1, 2]));
        assert_eq!(whole_input("-", &mut |path| Ok(format!("{path:?}"))).unwrap(), json!("-"));
        let list = Some(json!([1]));
        assert_eq!(
            build_input(&schema(), &[], list, &mut file).unwrap_err().to_string(),
            "--params must be a JSON object"
        );
        assert_eq!(build_input(&schema(), &[], None, &mut file).unwrap(), json!({}));
    }
}
