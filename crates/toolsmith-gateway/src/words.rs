//! What readers of JSON say, in words for people who have never seen our code.

use std::fmt::Display;

/// What readers say, and what is meant; longer ones first, where one begins another.
const MEANINGS: [(&str, &str); 21] = [
    ("invalid type: ", "found "),
    ("invalid value: ", "found "),
    ("floating point `", "the number `"),
    ("integer `", "the number `"),
    ("boolean `", "`"),
    ("found map, ", "found an object, "),
    ("found sequence, ", "found a list, "),
    ("found null, ", "found `null`, "),
    ("found string ", "found the text "),
    ("expected a sequence", "expected a list"),
    ("expected a map", "expected an object"),
    ("expected a boolean", "expected `true` or `false`"),
    ("expected unit", "expected `null`"),
    ("expected f64", "expected a number"),
    ("expected f32", "expected a number"),
    ("EOF while parsing", "it ends in the middle of"),
    ("missing field ", "missing is "),
    ("unknown field ", "there is no "),
    ("unknown variant ", "there is no "),
    ("expected one of ", "only "),
    ("invalid digit found in string", "expected a whole number"),
];

/// The names of our numbers, as readers say them.
const WHOLE: [&str; 8] = ["i8", "i16", "i32", "i64", "isize", "i128", "integer", "int"];
const FROM_ZERO: [&str; 6] = ["u8", "u16", "u32", "u64", "usize", "u128"];

/// Says why something cannot be read, without words of the language that we write in.
pub(crate) fn plain(error: &impl Display) -> String {
    let mut text = error.to_string();
    // A list of fields can stand for an object, but nobody means it.
    if text.starts_with("invalid length") && text.contains("expected struct") {
        "found a list, expected an object".clone_into(&mut text);
    }
    for (theirs, ours) in MEANINGS {
        if text.contains(theirs) {
            text = text.replace(theirs, ours);
        }
    }
    let Some((before, wanted)) = text.split_once("expected ") else { return text };
    let end = wanted.find([' ', ',', '.']).unwrap_or(wanted.len());
    let (word, rest) = wanted.split_at(end);
    match word {
        // What follows is the name of a type; its fields are told by the next attempt.
        "struct" | "enum" | "variant" | "tuple" | "newtype" => {
            let rest = rest.trim_start();
            let end = rest.find([' ', ',']).unwrap_or(rest.len());
            let what = if word == "tuple" { "a list" } else { "an object" };
            format!("{before}expected {what}{}", rest.get(end..).unwrap_or_default())
        }
        word if WHOLE.contains(&word) => format!("{before}expected a whole number{rest}"),
        word if FROM_ZERO.contains(&word) => {
            format!("{before}expected a whole number from 0 on{rest}")
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wanted {
        #[serde(rename = "name")]
        _name: String,
        #[serde(default, rename = "wait")]
        _wait: Option<f64>,
        #[serde(default, rename = "priority")]
        _priority: i32,
        #[serde(default, rename = "limit")]
        _limit: u32,
        #[serde(default, rename = "tags")]
        _tags: Vec<String>,
        #[serde(default, rename = "fast")]
        _fast: bool,
        #[serde(default, rename = "inner")]
        _inner: Option<Box<Self>>,
    }

    fn said(text: &str) -> String {
        plain(&serde_json::from_str::<Wanted>(text).unwrap_err())
    }

    #[test]
    fn nobody_hears_of_our_types() {
        for (text, begins) in [
            ("[]", "found a list, expected an object"),
            ("7", "found the number `7`, expected an object"),
            ("{}", "missing is `name`"),
            (r#"{"name":"a","nam":1}"#, "there is no `nam`, only `name`"),
            (r#"{"name":1}"#, "found the number `1`, expected a string"),
            (r#"{"name":"a","wait":"x"}"#, "found the text \"x\", expected a number"),
            (r#"{"name":"a","priority":1.5}"#, "found the number `1.5`, expected a whole number"),
            (r#"{"name":"a","limit":-1}"#, "found the number `-1`, expected a whole number from 0"),
            (r#"{"name":"a","tags":{}}"#, "found an object, expected a list"),
            (r#"{"name":"a","fast":"y"}"#, "found the text \"y\", expected `true` or `false`"),
            (r#"{"name":"a","inner":3}"#, "found the number `3`, expected an object"),
            (r#"{"name":"a""#, "it ends in the middle of an object"),
        ] {
            let said = said(text);
            assert!(said.starts_with(begins), "{text}: {said}");
            for word in ["struct", "f64", "i32", "u32", "Wanted", "sequence", "map"] {
                assert!(!said.contains(word), "{text}: {said}");
            }
        }
    }
}
