//! Reads the special tokens of Kimi K2.

use super::super::reading::{Head, Section, Tokens};
use crate::cursor::{Look, More};

static TOKENS: Tokens = Tokens {
    section_begin: &["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"],
    call_begin: "<|tool_call_begin|>",
    head_end: "<|tool_call_argument_begin|>",
    call_end: "<|tool_call_end|>",
    section_end: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
    head,
};

/// Looks for the start of a section.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    TOKENS.starts(text, more)
}

/// Makes a reader.
pub(super) fn reader() -> Section {
    Section::new(&TOKENS)
}

/// Reads `functions.NAME:NUMBER`.
pub(super) fn head(identifier: &str, _gap: &str) -> Head {
    let identifier = identifier.trim();
    let numbered = identifier.rsplit_once(':').filter(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let name = numbered.map_or(identifier, |(name, _)| name);
    let name = name.strip_prefix("functions.").unwrap_or(name);
    Head { name: name.to_owned(), id: Some(identifier.to_owned()) }
}
