//! What is wrong with a piece of JSON, without the words of its parser.

/// What is said of JSON that is nested deeper than the parser follows.
pub(crate) const TOO_DEEP: &str = "nested too deep";

/// Says what is wrong, without the place.
pub(crate) fn json_mistake(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    if let Some(wrong) = wrong_kind(text) {
        return wrong;
    }
    let quoted = |beginning: &str| text.strip_prefix(beginning)?.split('`').next();
    if let Some(field) = quoted("missing field `") {
        return format!("`{field}` is missing");
    }
    if let Some(field) = quoted("unknown field `") {
        let known = text.split_once(", expected ").map_or("", |(_, known)| known);
        let known = known.strip_prefix("one of ").unwrap_or(known);
        return format!("`{field}` is not known here; there are {known}");
    }
    if let Some(field) = quoted("duplicate field `") {
        return format!("`{field}` is given twice, perhaps under another of its names");
    }
    syntax(text).map_or_else(|| text.to_owned(), str::to_owned)
}

fn syntax(text: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 15] = [
        ("EOF while parsing", "the JSON ends too early; something is not closed"),
        ("expected value", "this is not valid JSON; text stands in double quotes"),
        ("expected ident", "this is not valid JSON; text stands in double quotes"),
        ("key must be a string", "a key stands in double quotes"),
        ("expected `:`", "a `:` is missing after a key"),
        ("expected `,` or `}`", "a `,` or `}` is missing"),
        ("expected `,` or `]`", "a `,` or `]` is missing"),
        ("expected `\"`", "a `\"` is missing"),
        ("trailing comma", "there is a comma too many"),
        ("trailing characters", "something stands behind the end of the JSON"),
        ("recursion limit exceeded", TOO_DEEP),
        ("invalid number", "this is not a number of JSON"),
        ("number out of range", "the number is too large"),
        (
            "control character",
            "a line break or control character in a text is written as \\n, \\u…",
        ),
        ("invalid escape", "a `\\` in a text is written as \\\\"),
    ];
    if text.contains("unicode") || text.contains("surrogate") || text.contains("hex escape") {
        return Some("it is not UTF-8 text");
    }
    WORDS.into_iter().find(|(jargon, _)| text.starts_with(jargon)).map(|(_, words)| words)
}

/// Reads `invalid type: integer `7`, expected a string`.
fn wrong_kind(text: &str) -> Option<String> {
    let rest = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "));
    let (found, expected) = rest?.rsplit_once(", expected ")?;
    let expected = match expected {
        "a string" | "string" => "text",
        "a map" => "an object",
        "a sequence" => "a list",
        "a boolean" => "`true` or `false`",
        "i32" | "u32" | "i64" | "u64" => "a whole number that is not too large",
        "f64" => "a number",
        other => other,
    };
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    let found = match kind {
        "integer" | "floating" | "number" => {
            format!("the number {}", value.trim_start_matches("point ").trim_matches('`'))
        }
        "string" => format!("the text {value}"),
        "boolean" => value.to_owned(),
        "map" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        _ => found.to_owned(),
    };
    Some(format!("expected {expected}, found {found}"))
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, de::DeserializeOwned};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[serde(alias = "name")]
        #[expect(dead_code, reason = "only errors are looked at")]
        tool: String,
        #[expect(dead_code, reason = "only errors are looked at")]
        n: Option<i32>,
    }

    fn mistake<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        json_mistake(&serde_json::from_str::<T>(text).unwrap_err())
    }

    #[test]
    fn every_mistake_is_said_in_plain_words() {
        for (text, words) in [
            ("nul", "the JSON ends too early; something is not closed"),
            ("nope", "this is not valid JSON; text stands in double quotes"),
            ("wrong", "this is not valid JSON; text stands in double quotes"),
            ("{a: 1}", "a key stands in double quotes"),
            ("[1 2]", "a `,` or `]` is missing"),
            ("{\"a\": 1 \"b\"}", "a `,` or `}` is missing"),
            ("{\"a\" 1}", "a `:` is missing after a key"),
            ("[1,]", "there is a comma too many"),
            ("1 2", "something stands behind the end of the JSON"),
            (&"[".repeat(1_000), "nested too deep"),
        ] {
            assert_eq!(mistake::<serde_json::Value>(text), words, "{text}");
        }
        for (text, words) in [
            ("{}", "`tool` is missing"),
            ("{\"tol\": 1}", "`tol` is not known here; there are `name`, `tool`, `n`"),
            (
                "{\"tool\": \"a\", \"name\": \"b\"}",
                "`tool` is given twice, perhaps under another of its names",
            ),
            ("{\"tool\": 7}", "expected text, found the number 7"),
            ("{\"tool\": [7]}", "expected text, found a list"),
            (
                "{\"tool\": \"a\", \"n\": 1.5}",
                "expected a whole number that is not too large, found the number 1.5",
            ),
        ] {
            assert_eq!(mistake::<Sample>(text), words, "{text}");
        }
    }
}
