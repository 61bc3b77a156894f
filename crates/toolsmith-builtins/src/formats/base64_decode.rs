//! `base64_decode`: reads text that was written as base64.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolError, ToolSpec, Value, json};

use crate::{
    about::{READS, about},
    input,
};

/// Padding may be there or not; people cut it off, and so do URLs.
const FORGIVING: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::function(spec()?, |_cx, input| std::future::ready(run(input))))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let encoded = Parameter::string("encoded")
        .required()
        .with_description("The base64; the URL-safe letters `-` and `_` are taken too.");
    let spec = ToolSpec::new("base64_decode")?
        .with_description(
            "Reads base64 and returns the text in it. Line breaks in it and missing padding do \
             not matter. What is not UTF-8 text inside is refused.",
        )
        .with_category("data")
        .with_parameters(&[encoded])
        .with_output_schema(&json!({
            "type": "object",
            "properties": { "decoded": { "type": "string", "description": "The text." } },
            "required": ["decoded"],
            "additionalProperties": false
        }))
        .with_annotations(READS);
    let example = json!({ "input": { "encoded": "aGVsbG8=" }, "output": { "decoded": "hello" } });
    Ok(about(spec, "Decode base64", &["base64", "decode"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    encoded: String,
}

fn run(input: Value) -> Result<Value, ToolError> {
    let Input { encoded } = input::read(input)?;
    let letters: String = encoded
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| match letter {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    let bytes = GeneralPurpose::new(&alphabet::STANDARD, FORGIVING)
        .decode(letters)
        .map_err(|error| ToolError::try_differently(format!("The text is not base64: {error}.")))?;
    let decoded = String::from_utf8(bytes).map_err(|error| {
        let (at, length) = (error.utf8_error().valid_up_to(), error.as_bytes().len());
        ToolError::failed(format!(
            "The base64 holds {length} bytes that are not UTF-8 text (byte {at} is not), so they \
             cannot be given as text; write_file can save them with the encoding `base64`."
        ))
    })?;
    Ok(json!({ "decoded": decoded }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(encoded: &str) -> Result<Value, ToolError> {
        run(json!({ "encoded": encoded })).map(|output| output["decoded"].clone())
    }

    #[test]
    fn all_usual_forms_are_read() {
        for encoded in ["w7/Dvw==", "w7_Dvw==", "w7_Dvw", " w7/D\n vw== "] {
            assert_eq!(decoded(encoded).unwrap(), "ÿÿ", "{encoded}");
        }
        assert_eq!(decoded("").unwrap(), "");
    }

    #[test]
    fn what_is_no_base64_or_no_text_is_refused_and_explained() {
        assert!(decoded("a!b").unwrap_err().message().contains("not base64"));
        let error = decoded("aP8=").unwrap_err();
        assert!(error.message().contains("2 bytes that are not UTF-8 text (byte 1"), "{error}");
    }
}
