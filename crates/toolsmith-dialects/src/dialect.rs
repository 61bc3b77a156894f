//! The dialects by name.

use std::{fmt, str::FromStr};

use crate::{
    format::Format,
    formats::{
        anthropic, auto, deepseek, gemini, glm, harmony, hermes, kimi, llama_json, llama_python,
        mcp, mistral, openai_chat, openai_responses, qwen_coder, xml,
    },
};

/// A way of writing tool calls as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Whichever the text turns out to be.
    #[default]
    Auto,
    /// `<function_calls>` with `<invoke name>` and `<parameter name>`, in all its spellings.
    Xml,
    /// `OpenAI` chat completions: `tool_calls`, whole or streamed.
    OpenAiChat,
    /// `OpenAI` responses: `function_call` items, whole or streamed.
    OpenAiResponses,
    /// Anthropic messages: `tool_use` blocks, whole or streamed.
    Anthropic,
    /// Gemini: `functionCall` parts.
    Gemini,
    /// The Model Context Protocol: `tools/call` requests.
    Mcp,
    /// Hermes and Qwen: JSON between `<tool_call>` tags.
    Hermes,
    /// Qwen3-Coder: `<function=…>` and `<parameter=…>` tags.
    QwenCoder,
    /// GLM: `<arg_key>` and `<arg_value>` tags.
    Glm,
    /// Kimi K2: special tokens around an identifier and JSON.
    Kimi,
    /// `DeepSeek` V3 and R1: special tokens around a name and fenced JSON.
    DeepSeekV3,
    /// `DeepSeek` V3.1: special tokens around a name and JSON.
    DeepSeekV31,
    /// Mistral: `[TOOL_CALLS]` and a list of objects.
    Mistral,
    /// Mistral since Small 3.2: `[TOOL_CALLS]name[ARGS]{…}`.
    MistralCompact,
    /// Harmony of gpt-oss: messages with a channel and a recipient.
    Harmony,
    /// Llama 3: JSON objects, bare or behind `<|python_tag|>`.
    LlamaJson,
    /// Llama 3.2 and 4: `[name(key=value)]`.
    LlamaPython,
}

impl Dialect {
    /// All dialects but [`Auto`](Self::Auto), the more exact ones first.
    pub const ALL: &'static [Self] = &[
        Self::Xml,
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Mcp,
        Self::Hermes,
        Self::QwenCoder,
        Self::Glm,
        Self::Kimi,
        Self::DeepSeekV3,
        Self::DeepSeekV31,
        Self::Mistral,
        Self::MistralCompact,
        Self::Harmony,
        Self::LlamaJson,
        Self::LlamaPython,
    ];

    /// Returns the name that the command line and files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Xml => "xml",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Mcp => "mcp",
            Self::Hermes => "hermes",
            Self::QwenCoder => "qwen-coder",
            Self::Glm => "glm",
            Self::Kimi => "kimi",
            Self::DeepSeekV3 => "deepseek-v3",
            Self::DeepSeekV31 => "deepseek-v31",
            Self::Mistral => "mistral",
            Self::MistralCompact => "mistral-compact",
            Self::Harmony => "harmony",
            Self::LlamaJson => "llama-json",
            Self::LlamaPython => "llama-python",
        }
    }

    pub(crate) fn format(self) -> &'static dyn Format {
        match self {
            Self::Auto => &auto::Auto,
            Self::Xml => &xml::Xml,
            Self::OpenAiChat => &openai_chat::OpenAiChat,
            Self::OpenAiResponses => &openai_responses::OpenAiResponses,
            Self::Anthropic => &anthropic::Anthropic,
            Self::Gemini => &gemini::Gemini,
            Self::Mcp => &mcp::Mcp,
            Self::Hermes => &hermes::Hermes,
            Self::QwenCoder => &qwen_coder::QwenCoder,
            Self::Glm => &glm::Glm,
            Self::Kimi => &kimi::Kimi,
            Self::DeepSeekV3 => &deepseek::DeepSeek::V3,
            Self::DeepSeekV31 => &deepseek::DeepSeek::V31,
            Self::Mistral => &mistral::Mistral::List,
            Self::MistralCompact => &mistral::Mistral::Compact,
            Self::Harmony => &harmony::Harmony,
            Self::LlamaJson => &llama_json::LlamaJson,
            Self::LlamaPython => &llama_python::LlamaPython,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is no dialect's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect();
        write!(f, "no dialect `{}`; there are auto, {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownDialect {}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        std::iter::once(&Self::Auto)
            .chain(Self::ALL)
            .find(|dialect| dialect.as_str() == name)
            .copied()
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}
