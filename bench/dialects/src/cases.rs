//! Raw outputs of models with what serving engines' own parsers returned.

use std::fs;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;
use toolsmith_dialects::{Dialect, Tools};
use toolsmith_testing::fixtures;

/// One raw output.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) format: String,
    pub(crate) trust: String,
    pub(crate) raw: String,
    pub(crate) tools: Vec<Definition>,
    pub(crate) expected: Expected,
}

/// A tool as the model was shown it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) parameters: Value,
}

/// What the engine's own parser returned.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Expected {
    pub(crate) calls: Vec<ExpectedCall>,
}

/// A call that the engine's own parser returned.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ExpectedCall {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// A format of the corpus, and who reads it: `None` where a peer does not name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) dialect: Dialect,
    pub(crate) dynamo: Option<&'static str>,
    pub(crate) tool_parser: Option<&'static str>,
}

const fn format(
    name: &'static str,
    dialect: Dialect,
    dynamo: Option<&'static str>,
    tool_parser: Option<&'static str>,
) -> Format {
    Format { name, dialect, dynamo, tool_parser }
}

/// The formats of the corpus that we name.
pub(crate) const FORMATS: &[Format] = &[
    format("minimax_m2_invoke", Dialect::Xml, Some("minimax_m2"), Some("minimax_m2")),
    format("deepseek_v32_dsml", Dialect::Xml, None, Some("deepseek32")),
    format("deepseek_v4_dsml", Dialect::Xml, Some("deepseek_v4"), Some("deepseek_v4")),
    format("hermes", Dialect::Hermes, None, Some("qwen")),
    format("hermes(granite4)", Dialect::Hermes, None, Some("qwen")),
    format("TestFormatDetector", Dialect::Hermes, None, Some("qwen")),
    format("ernie45", Dialect::Hermes, None, None),
    format("hermes-like(longcat)", Dialect::Hermes, None, None),
    format("qwen3_coder", Dialect::QwenCoder, Some("qwen3_coder"), Some("qwen_coder")),
    format(
        "step3p5(qwen3_coder-like)",
        Dialect::QwenCoder,
        Some("qwen3_coder"),
        Some("qwen_coder"),
    ),
    format("glm45", Dialect::Glm, None, Some("glm45_moe")),
    format("glm47", Dialect::Glm, Some("glm47"), Some("glm47_moe")),
    format("kimi_k2", Dialect::Kimi, Some("kimi_k2"), Some("kimik2")),
    format("deepseek_v3", Dialect::DeepSeekV3, None, Some("deepseek")),
    format("deepseek_v31", Dialect::DeepSeekV31, None, Some("deepseek31")),
    format("mistral", Dialect::Mistral, None, Some("mistral")),
    format("llama3_json", Dialect::LlamaJson, None, Some("llama")),
    format("pythonic", Dialect::LlamaPython, None, Some("pythonic")),
    format("pythonic(llama4)", Dialect::LlamaPython, None, Some("pythonic")),
    format("pythonic(olmo3 <function_calls>)", Dialect::LlamaPython, None, None),
];

impl Case {
    /// Returns the tools as our parsers take them.
    pub(crate) fn tools(&self) -> Tools {
        Tools::of_schemas(self.tools.iter().map(|tool| (tool.name.as_str(), &tool.parameters)))
    }
}

/// Reads all cases of both files.
pub(crate) fn cases() -> Result<Vec<Case>> {
    let shared = fixtures::shared().context("there is no ../shared/data beside the project")?;
    let mut cases = Vec::new();
    for file in ["vllm.jsonl", "sglang.jsonl"] {
        let text = fs::read_to_string(shared.join("rawcalls").join(file))?;
        // One case of a format that we do not name holds `NaN`, which is no JSON.
        let lines = text.lines().filter(|line| !line.contains("\"v\": NaN"));
        for line in lines {
            cases.push(serde_json::from_str(line).with_context(|| format!("a line of {file}"))?);
        }
    }
    Ok(cases)
}
