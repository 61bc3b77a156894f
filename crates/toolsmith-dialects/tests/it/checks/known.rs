//! Faults that are known and not yet mended: the targets pass over exactly these.
//!
//! A line here is a debt. It goes when the fault is mended; the input that showed it stays in the
//! corpus.

use toolsmith_dialects::{Dialect, Event};

/// Tells whether the dialect is found by marks that may stand behind the first document, so that a
/// start of the text is read as another dialect than the whole.
pub(super) fn auto_may_look_past_the_first_document(dialect: Dialect, start: &str) -> bool {
    dialect == Dialect::Auto && start.contains('{')
}

/// Takes the streamed arguments out where an object may have two members that hold arguments: which
/// of them are streamed depends on the cuts.
pub(super) fn without_arguments_given_twice(
    text: &str,
    mut events: Vec<Event<'static>>,
) -> Vec<Event<'static>> {
    const KEYS: [&str; 4] = ["\"arguments\"", "\"parameters\"", "\"args\"", "\"input\""];
    if KEYS.iter().map(|key| text.matches(key).count()).sum::<usize>() > 1 {
        events.retain(|event| !matches!(event, Event::Arguments { .. }));
    }
    events
}
