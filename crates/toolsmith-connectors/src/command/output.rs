//! What a program wrote, as the output of its tool.

use toolsmith_core::{ToolError, Value};

/// How the output of a program is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON if it is that, else text.
    Auto,
    Json,
    Text,
    Lines,
}

impl Form {
    /// The words of `output`.
    pub(super) const WORDS: [&'static str; 4] = ["auto", "json", "text", "lines"];

    /// Finds the form of a word.
    pub(super) fn of(word: Option<&str>) -> Self {
        match word {
            Some("json") => Self::Json,
            Some("text") => Self::Text,
            Some("lines") => Self::Lines,
            _ => Self::Auto,
        }
    }

    /// Reads an output; text comes without its last line break, and never invalid.
    pub(super) fn read(self, stdout: Vec<u8>) -> Result<Value, ToolError> {
        match self {
            Self::Auto => {
                Ok(serde_json::from_slice(&stdout).unwrap_or_else(|_| text(stdout).into()))
            }
            Self::Json => {
                serde_json::from_slice(&stdout).map_err(|error| not_json(&stdout, &error))
            }
            Self::Text => Ok(text(stdout).into()),
            Self::Lines => Ok(text(stdout).lines().collect()),
        }
    }
}

/// Reads bytes as text without its last line break; what is no text is replaced by `�`.
pub(super) fn text(bytes: Vec<u8>) -> String {
    let mut text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}

fn not_json(stdout: &[u8], error: &serde_json::Error) -> ToolError {
    if stdout.trim_ascii().is_empty() {
        return ToolError::failed("The program wrote nothing, and its tool promises JSON.");
    }
    ToolError::failed(format!(
        "The program wrote something that is not JSON, as its tool promises (line {}, column {}).",
        error.line(),
        error.column()
    ))
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[test]
    fn json_is_found_and_everything_else_is_text() {
        let auto = |bytes: &[u8]| Form::Auto.read(bytes.to_vec()).unwrap();
        assert_eq!(auto(b"{\"a\": [1, null]}\n"), json!({ "a": [1, null] }));
        assert_eq!(auto(b"42\n"), json!(42));
        assert_eq!(auto(b"two words\r\n"), json!("two words"));
        assert_eq!(auto(b"{\"a\": 1} {\"a\": 2}\n"), json!("{\"a\": 1} {\"a\": 2}"));
        assert_eq!(auto(b""), json!(""));
        assert_eq!(auto(b"\xff\xfeA\n\n"), json!("\u{fffd}\u{fffd}A\n"));
    }

    #[test]
    fn text_and_lines_are_what_they_say() {
        assert_eq!(Form::Text.read(b"42\n".to_vec()).unwrap(), json!("42"));
        assert_eq!(Form::Lines.read(b"a\r\n\nb\n".to_vec()).unwrap(), json!(["a", "", "b"]));
        assert_eq!(Form::Lines.read(Vec::new()).unwrap(), json!([]));
    }

    #[test]
    fn promised_json_that_is_none_is_an_error() {
        assert_eq!(Form::Json.read(b" [1] ".to_vec()).unwrap(), json!([1]));
        let error = Form::Json.read(b"{\"a\": oops}".to_vec()).unwrap_err();
        assert!(error.message().contains("line 1, column 7"), "{error}");
        assert!(Form::Json.read(b"\n".to_vec()).unwrap_err().message().contains("nothing"));
        assert!(Form::Json.read(b"\"\xff\"".to_vec()).is_err());
    }
}
