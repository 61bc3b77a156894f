//! What code returns, as the output of its tool.

use toolsmith_core::{ToolError, Value};

/// Reads the JSON text that the engine has written.
pub(super) fn read(text: &str) -> Result<Value, ToolError> {
    let read = serde_json::from_str(text).or_else(|_| serde_json::from_str(&mend(text)));
    read.map_err(|error| {
        ToolError::failed("The code returned something nested too deeply to be an output.")
            .with_source(error)
    })
}

/// Replaces halves of characters by `�`: text that was cut in the middle of an emoji has them.
///
/// The engine writes whole characters as they are, so every such escape is a half without its other.
fn mend(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        let (before, escape) = rest.split_at(start);
        mended.push_str(before);
        let is_half = matches!(
            escape.as_bytes(),
            [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]
        );
        let length = if is_half { 6 } else { 2 };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        mended.push_str(if is_half { "\u{fffd}" } else { escape });
        rest = after;
    }
    mended.push_str(rest);
    mended
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[test]
    fn halves_of_characters_are_replaced() {
        assert_eq!(read(r#""a\ud83d""#).unwrap(), json!("a\u{fffd}"));
        assert_eq!(
            read(r#"["\\ud83d", "\udE00x", "\ud7ff"]"#).unwrap(),
            json!(["\\ud83d", "\u{fffd}x", "\u{d7ff}"])
        );
    }

    #[test]
    fn what_is_nested_too_deeply_is_an_error() {
        let text = "[".repeat(500) + &"]".repeat(500);
        assert!(read(&text).unwrap_err().message().contains("nested"));
    }
}
