//! Every recorded output in a format that we name is read as the upstream parser read it.

use std::collections::BTreeMap;

use serde_json::Value;
use toolsmith_dialects::{
    Dialect, Entities, Event, Fences, Parser, Repairs, Reply, Settings, Thoughts, parse,
};
use toolsmith_testing::skip;

use crate::corpus::{Case, cases};

const ABSENT: &str = "there is no ../shared/data beside the project";

/// The cases that we read in another way on purpose, with the reason; also in
/// `docs/reference/dialects.md`.
const DIFFERENCES: &[(&str, &str)] = &[
    ("1220a795d5bc85", DROPPED),
    ("a8d3feb10088cf", DROPPED),
    ("91dd84751d5c6a", DROPPED),
    ("f4ca2541f942bd", DROPPED),
    ("3a9878814f675f", "upstream loses the bracket at the end of the text"),
    ("abbfe4c13c8827", GUESSED),
    ("47fab690f5a1dc", GUESSED),
    ("b4136d3f468b3d", GUESSED),
    ("6c6b0152e24f08", "upstream drops a call with an odd name; unknown tools are passed on"),
    ("1cbc50bf9e3daa", "upstream's test makes its own parser fail behind the first call"),
    ("f4704a4ab9e7bb", "upstream reads the wrapper of V4 only; both are read as one dialect"),
];

const DROPPED: &str = "upstream drops text behind the calls; no text is lost here";
const GUESSED: &str = "upstream guesses the tool of a bare number from the names of arguments";

/// The upstream parsers of calls are not told of reasoning: another parser takes it away before.
const SETTINGS: Settings = Settings {
    fences: Fences::Text,
    entities: Entities::Keep,
    repairs: Repairs::Try,
    thoughts: Thoughts::Text,
};

#[test]
fn every_recorded_output_is_read_as_expected_or_listed_with_the_reason() {
    let Some(cases) = cases() else { return skip(ABSENT) };
    let mut counts: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| case.trust == "recorded") {
        let Some(dialect) = case.dialect() else { continue };
        let reply = parse(dialect, &case.raw, &case.tools(), &SETTINGS);
        let usual = parse(dialect, &case.raw, &case.tools(), &Settings::default());
        assert_eq!(usual.calls, reply.calls, "{}: reasoning hides a call", case.id);
        let count = counts.entry(case.format.clone()).or_default();
        let is_listed = DIFFERENCES.iter().any(|(id, _)| *id == case.id);
        match (difference(case, &reply), is_listed) {
            (None, false) => count.0 += 1,
            (Some(_), true) => count.1 += 1,
            (None, true) => wrong.push(format!("{} is listed and does not differ", case.id)),
            (Some(difference), false) => {
                count.2 += 1;
                wrong.push(format!("{} {}: {difference}\n  {:?}", case.format, case.id, case.raw));
            }
        }
    }
    let exact =
        cases.iter().filter(|case| case.trust == "recorded" && has_exact_text(case)).count();
    println!("{exact} texts are the same to the byte");
    for (format, (same, listed, other)) in &counts {
        println!("{format}: {same} as expected, {listed} listed, {other} wrong");
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn has_exact_text(case: &Case) -> bool {
    case.dialect().is_some_and(|dialect| {
        let reply = parse(dialect, &case.raw, &case.tools(), &SETTINGS);
        reply.text() == case.expected.content.as_deref().unwrap_or_default()
    })
}

/// Says how a reply differs from what is expected; white space around calls is not compared.
fn difference(case: &Case, reply: &Reply) -> Option<String> {
    let calls = reply.calls.iter().map(|call| (call.name.as_str(), plain(&call.arguments)));
    let expected = case.expected.calls.iter();
    let expected = expected.map(|call| (call.name.as_str(), plain(&call.arguments)));
    let (calls, expected): (Vec<_>, Vec<_>) = (calls.collect(), expected.collect());
    if calls != expected {
        return Some(format!("calls {calls:?}, expected {expected:?}"));
    }
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let expected = case.expected.content.as_deref().unwrap_or_default();
    (dense(&reply.text()) != dense(expected))
        .then(|| format!("text {:?}, expected {expected:?}", reply.text()))
}

/// Writes `5.0` as `5`: the upstream parsers are Python, where the two are equal.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        Value::Array(members) => members.iter().map(plain).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect()
        }
        other => other.clone(),
    }
}

#[test]
fn no_dialect_panics_or_depends_on_the_cuts_of_any_output() {
    let Some(cases) = cases() else { return skip(ABSENT) };
    for case in &cases {
        for &dialect in std::iter::once(&Dialect::Auto).chain(Dialect::ALL) {
            let whole = parse(dialect, &case.raw, &case.tools(), &Settings::default());
            for pieces in [chars(&case.raw, 1), chars(&case.raw, 7), case.chunks.clone()] {
                if pieces.concat() != case.raw {
                    continue;
                }
                let reply = read(dialect, case, &pieces);
                assert_eq!(reply, whole, "{dialect} {} {:?}", case.id, case.raw);
            }
        }
    }
}

#[test]
fn no_prefix_of_any_output_holds_a_call_that_the_whole_does_not() {
    let Some(cases) = cases() else { return skip(ABSENT) };
    let mut shorter = Vec::new();
    for case in &cases {
        let dialect = case.dialect().unwrap_or(Dialect::Auto);
        let (tools, settings) = (case.tools(), Settings::default());
        let whole = parse(dialect, &case.raw, &tools, &settings);
        for (cut, _) in case.raw.char_indices() {
            let reply = parse(dialect, &case.raw[..cut], &tools, &settings);
            let known = whole.calls.iter().chain(&whole.set_aside);
            let is_known = |name: &str, arguments: &Value| {
                known.clone().any(|call| call.name == name && call.arguments == *arguments)
            };
            if !reply.calls.iter().all(|call| is_known(&call.name, &call.arguments)) {
                shorter.push(format!("{dialect} {} {:?}", case.id, &case.raw[..cut]));
            }
        }
    }
    assert!(shorter.is_empty(), "{} prefixes:\n{}", shorter.len(), shorter.join("\n"));
}

fn read(dialect: Dialect, case: &Case, pieces: &[String]) -> Reply {
    let mut parser = Parser::new(dialect, case.tools(), Settings::default());
    let mut reply = Reply::default();
    let mut add = |event: Event<'_>| reply.add(event);
    for piece in pieces {
        parser.push_with(piece, &mut add);
    }
    parser.finish_with(&mut add);
    reply
}

fn chars(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size).map(|piece| piece.iter().collect()).collect()
}
