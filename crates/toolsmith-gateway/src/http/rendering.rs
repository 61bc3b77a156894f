//! `GET /tools?format=`: the tools as a model or a client of MCP takes them.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use toolsmith_core::{Exposure, ToolSpec, Value};
use toolsmith_dialects::{Dialect, RenderSettings, render_tools};

/// For whom the tools are written.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Format {
    Openai,
    Anthropic,
    Gemini,
    Mcp,
    Xml,
}

impl Format {
    fn dialect(self) -> Dialect {
        match self {
            Self::Openai => Dialect::OpenAiChat,
            Self::Anthropic => Dialect::Anthropic,
            Self::Gemini => Dialect::Gemini,
            Self::Mcp => Dialect::Mcp,
            Self::Xml => Dialect::Xml,
        }
    }

    /// Returns the type of what is written.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Xml => "text/plain; charset=utf-8",
            Self::Openai | Self::Anthropic | Self::Gemini | Self::Mcp => "application/json",
        }
    }

    /// Writes the tools that can be called; hidden ones are left out.
    pub(super) fn write<'a>(self, tools: impl Iterator<Item = &'a ToolSpec>) -> Bytes {
        let is_shown = |spec: &&ToolSpec| spec.enabled && spec.exposure != Exposure::Hidden;
        let shown: Vec<&ToolSpec> = tools.filter(is_shown).collect();
        let settings = RenderSettings::default();
        match render_tools(self.dialect(), &shown, &settings).content {
            Value::String(text) => text.into(),
            document => document.to_string().into(),
        }
    }
}
