//! The dialects, one folder each: what it looks like (`mod.rs`), `parse`, `render`, `tests`.
//!
//! What readers share is in `reading`, what renderers share in `showing`.

pub(crate) mod anthropic;
pub(crate) mod auto;
pub(crate) mod deepseek;
pub(crate) mod gemini;
pub(crate) mod glm;
pub(crate) mod harmony;
pub(crate) mod hermes;
#[cfg(test)]
mod hostile;
pub(crate) mod kimi;
pub(crate) mod llama_json;
pub(crate) mod llama_python;
pub(crate) mod mcp;
pub(crate) mod mistral;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
pub(crate) mod qwen_coder;
mod reading;
#[cfg(test)]
mod reasoning;
#[cfg(test)]
mod samples;
mod showing;
pub(crate) mod xml;

pub(crate) use reading::Mark;
