//! Reads the special tokens of `DeepSeek` V3 and V3.1.

use super::{
    super::reading::{Head, Section, Tokens, look_word},
    DeepSeek,
};
use crate::cursor::{Look, More, look_literal};

static TOKENS: Tokens = Tokens {
    section_begin: &["<｜tool▁calls▁begin｜>"],
    call_begin: "<｜tool▁call▁begin｜>",
    head_end: "<｜tool▁sep｜>",
    call_end: "<｜tool▁call▁end｜>",
    section_end: &["<｜tool▁calls▁end｜>"],
    head,
};

/// Looks for the start of a section; its first call tells V3 from V3.1.
pub(super) fn claims(form: DeepSeek, text: &str, more: More) -> Look<()> {
    let begin = TOKENS.section_begin.first().copied().unwrap_or_default();
    let behind = match look_literal(text, begin, more) {
        Look::Yes(len) => text.get(len..).unwrap_or_default(),
        Look::No => return Look::No,
        Look::Undecided => return Look::Undecided,
    };
    let typed = concat!("<｜tool▁call▁begin｜>", "function", "<｜tool▁sep｜>");
    match look_word(behind, more, |word, more| look_literal(word, typed, more)) {
        Look::Undecided => Look::Undecided,
        found => {
            let is_v3 = matches!(found, Look::Yes(_));
            if is_v3 == (form == DeepSeek::V3) { Look::Yes(()) } else { Look::No }
        }
    }
}

/// Makes a reader.
pub(super) fn reader() -> Section {
    Section::new(&TOKENS)
}

/// Takes the name from before the separator, or from behind it where only the type stands before.
fn head(before: &str, behind: &str) -> Head {
    let named = behind.trim_start().lines().next().unwrap_or_default();
    let named = named.trim_end_matches("```json").trim_end_matches('`').trim();
    let name = if named.is_empty() { before.trim() } else { named };
    Head { name: name.to_owned(), id: None }
}
