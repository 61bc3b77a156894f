//! The laws that every dialect keeps, as checks for the tests of each.

use crate::{CallState, Dialect, Event, Parser, Reply, Settings, Tools, parse};

/// Reads a text in pieces of a number of characters.
pub(crate) fn parse_in_pieces(dialect: Dialect, text: &str, tools: &Tools, size: usize) -> Reply {
    let mut parser = Parser::new(dialect, tools.clone(), Settings::default());
    let mut reply = Reply::default();
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(size) {
        let piece: String = piece.iter().collect();
        parser.push_with(&piece, &mut |event| reply.add(event));
    }
    parser.finish_with(&mut |event| reply.add(event));
    reply
}

/// Checks that the cuts of a text change nothing.
pub(crate) fn any_split_gives_the_same(dialect: Dialect, text: &str, tools: &Tools) {
    let whole = parse(dialect, text, tools, &Settings::default());
    for size in [1, 2, 3, 5, 7, 16, 64] {
        let pieces = parse_in_pieces(dialect, text, tools, size);
        assert_eq!(pieces, whole, "in pieces of {size}: {text:?}");
    }
}

/// Checks that a text that stops anywhere holds no call that the whole text does not hold.
pub(crate) fn no_prefix_invents_a_call(dialect: Dialect, text: &str, tools: &Tools) {
    let whole = parse(dialect, text, tools, &Settings::default());
    // Only the end tag of reasoning that the prompt opened says that the calls before it are none.
    let thoughts = whole.set_aside.iter().filter(|call| call.state == CallState::Thought);
    let held: Vec<_> = thoughts.chain(&whole.calls).cloned().collect();
    for (cut, _) in text.char_indices() {
        let reply = parse(dialect, &text[..cut], tools, &Settings::default());
        let known = held.get(..reply.calls.len());
        assert!(
            known.is_some_and(|known| same_calls(known, &reply.calls)),
            "cut at {cut}: {:?} of {text:?}",
            reply.calls
        );
    }
}

fn same_calls(one: &[crate::ParsedCall], other: &[crate::ParsedCall]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| a.name == b.name && a.arguments == b.arguments)
}

/// Checks that events come in order: text is not lost, and every begun call is ended once.
pub(crate) fn events_are_in_order(dialect: Dialect, text: &str, tools: &Tools) {
    let mut parser = Parser::new(dialect, tools.clone(), Settings::default());
    let mut events = parser.push(text);
    events.extend(parser.finish());
    let mut open = None;
    let mut end = 0;
    for event in events {
        match event {
            Event::Text { text: piece, range } | Event::Reasoning { text: piece, range } => {
                assert!(range.start >= end, "text goes back to {range:?}: {text:?}");
                assert_eq!(piece, text[range.clone()], "{text:?}");
                end = range.end;
            }
            Event::ReasoningEnd { range } => {
                assert!(range.start >= end && range.end <= text.len(), "{text:?}");
                end = range.end;
            }
            Event::CallStart { index, .. } => {
                assert_eq!(open.replace(index), None, "a call begins inside another: {text:?}");
            }
            Event::Arguments { index, .. } => assert_eq!(open, Some(index), "{text:?}"),
            Event::CallEnd { index, call } => {
                assert_eq!(open.take(), Some(index), "{text:?}");
                assert!(call.range.start >= end && call.range.end <= text.len(), "{text:?}");
                end = call.range.end;
            }
            Event::Problem(problem) => assert!(problem.range.end <= text.len(), "{problem:?}"),
        }
    }
    assert_eq!(open, None, "a call is left open: {text:?}");
}

/// Checks all laws.
pub(crate) fn all_hold(dialect: Dialect, text: &str, tools: &Tools) {
    any_split_gives_the_same(dialect, text, tools);
    no_prefix_invents_a_call(dialect, text, tools);
    events_are_in_order(dialect, text, tools);
}
