//! How the bytes of a file are written as text.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use toolsmith_core::{Parameter, ToolError, json};

/// How the bytes of a file are written as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) enum Encoding {
    /// As they are, when they are UTF-8.
    #[default]
    #[serde(rename = "utf-8", alias = "utf8")]
    Utf8,
    /// As base64, for anything that is not text.
    #[serde(rename = "base64")]
    Base64,
    /// Each byte as the character of that number.
    #[serde(rename = "latin1")]
    Latin1,
}

impl Encoding {
    /// Returns the stable name.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Base64 => "base64",
            Self::Latin1 => "latin1",
        }
    }

    /// Describes the parameter.
    pub(super) fn parameter(description: &str) -> Parameter {
        Parameter::string("encoding")
            .with_description(description)
            .with_rule("enum", json!(["utf-8", "base64", "latin1"]))
            .with_default("utf-8")
    }

    /// Writes bytes as text.
    pub(super) fn decode(self, bytes: Vec<u8>) -> Result<String, ToolError> {
        match self {
            Self::Utf8 => String::from_utf8(bytes).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                ToolError::try_differently(format!(
                    "The file is not UTF-8 text (byte {at} of what was read is not). Read it with \
                     the encoding `base64` if it is binary, or `latin1` if it is old text."
                ))
            }),
            Self::Base64 => Ok(STANDARD.encode(bytes)),
            Self::Latin1 => Ok(bytes.into_iter().map(char::from).collect()),
        }
    }

    /// Turns text into bytes.
    pub(super) fn encode(self, text: String) -> Result<Vec<u8>, ToolError> {
        match self {
            Self::Utf8 => Ok(text.into_bytes()),
            Self::Base64 => STANDARD.decode(text.trim()).map_err(|error| {
                ToolError::validation(format!("`content` is not base64: {error}."))
            }),
            Self::Latin1 => {
                let bytes = text.chars().map(u8::try_from).collect::<Result<_, _>>();
                bytes.map_err(|_| {
                    ToolError::validation(
                        "`content` has characters that latin1 does not have; write it as utf-8.",
                    )
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_base64_and_latin1() {
        let bytes: Vec<u8> = (0..=255).collect();
        for encoding in [Encoding::Base64, Encoding::Latin1] {
            let text = encoding.decode(bytes.clone()).unwrap();
            assert_eq!(encoding.encode(text).unwrap(), bytes, "{encoding:?}");
        }
        assert!(Encoding::Utf8.decode(bytes).unwrap_err().message().contains("byte 128"));
    }

    #[test]
    fn text_that_does_not_fit_is_refused() {
        assert!(Encoding::Latin1.encode("€".to_owned()).is_err());
        assert!(Encoding::Base64.encode("not base64!".to_owned()).is_err());
    }
}
