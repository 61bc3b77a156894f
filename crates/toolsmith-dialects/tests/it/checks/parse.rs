//! Any text, in any dialect, cut anywhere: no panic, no lost text, no invented call.

use serde_json::json;
use toolsmith_dialects::{
    Dialect, Entities, Event, Fences, ParsedCall, Repairs, Reply, Settings, Thoughts, Tools,
};

use super::{
    bytes::Bytes,
    events::{Reading, to_reply},
};

/// The most places where one text is cut off.
const CUTS: usize = 12;

/// Checks every law on one text; the first bytes choose the dialect, how it is read and cut.
pub(crate) fn check(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let reading = Reading {
        dialect: bytes.pick(&dialects()),
        settings: settings(bytes.byte()),
        tools: if bytes.byte().is_multiple_of(4) { Tools::none() } else { tools() },
    };
    let (size, seed, times) = (bytes.byte(), bytes.byte(), bytes.byte());
    let text = bytes.rest_repeated(times);
    let whole = reading.events([text.as_str()]);
    let reply = to_reply(&whole);
    assert_eq!(reading.reply(&text), reply, "at once and as one piece {reading:?} {text:?}");
    let pieces = pieces(&text, size, seed);
    let split = reading.events(pieces.iter().copied());
    events_are_in_order(&reading, &text, &whole);
    what_is_said_is_bounded(&text, &whole, &reply);
    assert_eq!(split, whole, "split as {pieces:?} {reading:?}");
    for cut in cuts(&text, seed) {
        no_call_is_invented(&reading, &text[..cut], &reply);
    }
}

fn dialects() -> Vec<Dialect> {
    std::iter::once(Dialect::Auto).chain(Dialect::ALL.iter().copied()).collect()
}

fn settings(choice: u8) -> Settings {
    Settings {
        fences: if choice & 1 == 0 { Fences::Text } else { Fences::Calls },
        entities: if choice & 2 == 0 { Entities::Keep } else { Entities::Decode },
        repairs: if choice & 4 == 0 { Repairs::Try } else { Repairs::Refuse },
        thoughts: match choice >> 3 & 3 {
            1 => Thoughts::Begun,
            2 => Thoughts::Text,
            _ => Thoughts::Apart,
        },
    }
}

/// One tool of many types, and one that takes anything.
fn tools() -> Tools {
    let add = json!({
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer"},
            "share": {"type": ["number", "null"]},
            "is_open": {"type": "boolean"},
            "list": {"type": "array"},
            "a": {"type": "object"},
            "b": {"anyOf": [{"type": "string"}, {"type": "array"}]},
        },
        "additionalProperties": {"type": "number"},
    });
    Tools::of_schemas([("add", &add), ("any", &json!({}))])
}

/// Cuts a text into pieces of one size or of changing sizes.
fn pieces(text: &str, size: u8, seed: u8) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut state = u32::from(seed) + 1;
    while !rest.is_empty() {
        let len = match size {
            0..=199 => usize::from(size % 20) + 1,
            _ => 1 + next(&mut state) % usize::from(size - 190),
        };
        let (piece, behind) = rest.split_at(rest.ceil_char_boundary(len));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// Picks places to stop at: all in a short text, some in a longer one.
fn cuts(text: &str, seed: u8) -> Vec<usize> {
    let mut state = u32::from(seed) + 77;
    let most = if text.len() > 2_048 { 2 } else { CUTS };
    (0..most.min(text.len()))
        .map(|_| text.floor_char_boundary(next(&mut state) % text.len()))
        .collect()
}

/// Gives numbers that look random and are the same each time.
fn next(state: &mut u32) -> usize {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 8) as usize
}

fn events_are_in_order(reading: &Reading, text: &str, events: &[Event<'_>]) {
    let (mut open, mut end, mut calls) = (None, 0, 0);
    for event in events {
        match event {
            Event::Text { text: piece, range } | Event::Reasoning { text: piece, range } => {
                assert!(
                    range.start >= end && text.get(range.clone()).is_some(),
                    "{event:?} of {text:?}"
                );
                if is_plain(reading.dialect, text) {
                    assert_eq!(piece, &text[range.clone()], "{event:?} of {text:?}");
                }
                end = range.start.max(end);
            }
            Event::ReasoningEnd { range } => {
                assert!(text.get(range.clone()).is_some(), "{event:?} of {text:?}");
            }
            Event::CallStart { index, .. } => {
                assert_eq!(*index, calls, "{event:?} of {text:?}");
                assert_eq!(open.replace(*index), None, "one call in another {event:?} of {text:?}");
                calls += 1;
            }
            Event::Arguments { index, .. } => assert_eq!(open, Some(*index), "{text:?}"),
            Event::CallEnd { index, call } => {
                assert_eq!(open.take(), Some(*index), "{event:?} of {text:?}");
                assert!(text.get(call.range.clone()).is_some(), "{event:?} of {text:?}");
                assert!(
                    call.range.start >= end || !is_plain(reading.dialect, text),
                    "{event:?} goes back behind {end} of {text:?}"
                );
                end = call.range.start.max(end);
            }
            Event::Problem(problem) => {
                assert!(text.get(problem.range.clone()).is_some(), "{event:?} of {text:?}");
            }
        }
    }
    assert_eq!(open, None, "a call is left open: {text:?}");
}

/// Tells whether a dialect is plain text; the others hold their text in JSON, with escapes, and may
/// hand over several calls at once.
fn is_plain(dialect: Dialect, text: &str) -> bool {
    const JSON: [Dialect; 5] = [
        Dialect::OpenAiChat,
        Dialect::OpenAiResponses,
        Dialect::Anthropic,
        Dialect::Gemini,
        Dialect::Mcp,
    ];
    match dialect {
        Dialect::Auto => !text.contains('{'),
        dialect => !JSON.contains(&dialect),
    }
}

/// Checks that no text is told twice, and that there are not more problems than there is to say.
fn what_is_said_is_bounded(text: &str, events: &[Event<'_>], reply: &Reply) {
    let told = |event: &Event<'_>| match event {
        Event::Text { text, .. }
        | Event::Reasoning { text, .. }
        | Event::Arguments { text, .. } => text.len(),
        _ => 0,
    };
    let told: usize = events.iter().map(told).sum();
    assert!(told <= text.len(), "{told} bytes are told of {text:?}");
    let problems = reply.problems.len();
    assert!(problems <= text.len() + 4, "{problems} problems of {text:?}");
}

/// Checks that a text that stops early offers no call that the whole text does not hold.
fn no_call_is_invented(reading: &Reading, start: &str, whole: &Reply) {
    let is_known = |call: &ParsedCall| {
        let mut held = whole.calls.iter().chain(&whole.set_aside);
        held.any(|held| held.name == call.name && held.arguments == call.arguments)
    };
    for call in reading.reply(start).calls {
        assert!(is_known(&call), "{call:?} is invented by {reading:?} from {start:?}: {whole:?}");
    }
}
