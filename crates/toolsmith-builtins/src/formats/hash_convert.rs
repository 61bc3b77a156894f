//! `hash_convert`: computes the hash of a text.

use md5::Md5;
use serde::Deserialize;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use toolsmith_core::{Parameter, Tool, ToolError, ToolSpec, Value, json};

use crate::{
    about::{READS, about},
    input,
};

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::function(spec()?, |_cx, input| std::future::ready(run(input))))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let text = Parameter::string("text").required().with_description("The text, taken as UTF-8.");
    let algorithm = Parameter::string("algorithm")
        .with_description("How to hash it; md5 and sha1 are no protection against forgery.")
        .with_rule("enum", json!(["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]))
        .with_default("sha256");
    let spec = ToolSpec::new("hash_convert")?
        .with_description("Computes the hash of a text and returns it in hexadecimal.")
        .with_category("data")
        .with_parameters(&[text, algorithm])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "hash": { "type": "string", "description": "The hash, in small hex digits." },
                "algorithm": { "type": "string", "description": "How it was hashed." }
            },
            "required": ["hash", "algorithm"],
            "additionalProperties": false
        }))
        .with_annotations(READS);
    let example = json!({
        "input": { "text": "hello", "algorithm": "md5" },
        "output": { "hash": "5d41402abc4b2a76b9719d911017c592", "algorithm": "md5" }
    });
    Ok(about(spec, "Hash", &["hash", "md5", "sha256", "checksum"], &[example]))
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    #[default]
    Sha256,
    Sha384,
    Sha512,
}

#[derive(Deserialize)]
struct Input {
    text: String,
    #[serde(default)]
    algorithm: Algorithm,
}

fn run(input: Value) -> Result<Value, ToolError> {
    let Input { text, algorithm } = input::read(input)?;
    let (name, hash) = match algorithm {
        Algorithm::Md5 => ("md5", hex(&Md5::digest(text))),
        Algorithm::Sha1 => ("sha1", hex(&Sha1::digest(text))),
        Algorithm::Sha224 => ("sha224", hex(&Sha224::digest(text))),
        Algorithm::Sha256 => ("sha256", hex(&Sha256::digest(text))),
        Algorithm::Sha384 => ("sha384", hex(&Sha384::digest(text))),
        Algorithm::Sha512 => ("sha512", hex(&Sha512::digest(text))),
    };
    Ok(json!({ "hash": hash, "algorithm": name }))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of the standards for the text `abc`.
    #[test]
    fn known_answers_come_out() {
        for (algorithm, start, length) in [
            ("md5", "900150983cd24fb0d6963f7d28e17f72", 32),
            ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d", 40),
            ("sha224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7", 56),
            ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 64),
            ("sha384", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163", 96),
            ("sha512", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea2", 128),
        ] {
            let output = run(json!({ "text": "abc", "algorithm": algorithm })).unwrap();
            let hash = output["hash"].as_str().unwrap();
            assert!(hash.starts_with(start) && hash.len() == length, "{algorithm}: {hash}");
        }
    }
}
