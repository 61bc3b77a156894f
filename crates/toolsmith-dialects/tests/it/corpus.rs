//! Raw model outputs with what serving engines' own parsers returned.

use std::fs;

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
    #[serde(default)]
    pub(crate) chunks: Vec<String>,
    tools: Vec<Definition>,
    pub(crate) expected: Expected,
}

#[derive(Clone, Debug, Deserialize)]
struct Definition {
    name: String,
    parameters: Value,
}

/// What the upstream parser returned.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Expected {
    pub(crate) content: Option<String>,
    pub(crate) calls: Vec<ExpectedCall>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ExpectedCall {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

impl Case {
    /// Returns the dialect of the format, where it is one that we name.
    pub(crate) fn dialect(&self) -> Option<Dialect> {
        Some(match self.format.as_str() {
            "hermes"
            | "hermes(granite4)"
            | "hermes-like(longcat)"
            | "ernie45"
            | "TestFormatDetector" => Dialect::Hermes,
            "qwen3_coder" | "step3p5(qwen3_coder-like)" => Dialect::QwenCoder,
            "glm45" | "glm47" => Dialect::Glm,
            "kimi_k2" => Dialect::Kimi,
            "mistral" => Dialect::Mistral,
            "llama3_json" => Dialect::LlamaJson,
            "pythonic" | "pythonic(llama4)" | "pythonic(olmo3 <function_calls>)" => {
                Dialect::LlamaPython
            }
            "deepseek_v3" => Dialect::DeepSeekV3,
            "deepseek_v31" => Dialect::DeepSeekV31,
            "minimax_m2_invoke" | "deepseek_v32_dsml" | "deepseek_v4_dsml" => Dialect::Xml,
            _ => return None,
        })
    }

    pub(crate) fn tools(&self) -> Tools {
        Tools::of_schemas(self.tools.iter().map(|tool| (tool.name.as_str(), &tool.parameters)))
    }
}

/// Reads all cases; `None` when the data is not there.
pub(crate) fn cases() -> Option<Vec<Case>> {
    let folder = fixtures::shared()?.join("rawcalls");
    let mut cases = Vec::new();
    for file in ["vllm.jsonl", "sglang.jsonl"] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        // One case of a format that we do not name holds `NaN`, which is no JSON.
        let lines = text.lines().filter(|line| !line.contains("\"v\": NaN"));
        cases.extend(lines.map(|line| serde_json::from_str::<Case>(line).unwrap()));
    }
    Some(cases)
}
