//! Faults that are known and not yet mended: the targets pass over exactly these.
//!
//! A line here is a debt. It goes when the fault is mended; the input that showed it stays in the
//! corpus.

use toolsmith_dialects::Dialect;

/// Tells whether the dialect is found by marks that may stand behind the first document, so that a
/// start of the text is read as another dialect than the whole.
pub(super) fn auto_may_look_past_the_first_document(dialect: Dialect, start: &str) -> bool {
    dialect == Dialect::Auto && start.contains('{')
}
