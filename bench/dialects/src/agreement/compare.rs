//! Reads every case with both parsers and says where they part.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use toolsmith_dialects::{Settings, parse};

use crate::{
    cases::{Case, FORMATS, Format},
    peers::{Answer, Peer},
};

/// One case, read by us and by a peer.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) peer: Peer,
    pub(crate) format: &'static str,
    pub(crate) id: String,
    pub(crate) is_recorded: bool,
    pub(crate) verdict: Verdict,
    /// With whom the recorded calls of the serving engine agree.
    pub(crate) recorded: Recorded,
    /// Both answers, for whoever looks for the reason.
    pub(crate) details: String,
}

/// Where two answers part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// Nowhere; white space around calls is not compared.
    Same,
    /// In the text around the same calls.
    Text,
    /// In the calls: names or arguments.
    Calls,
}

/// With whom the recorded calls agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recorded {
    Us,
    Them,
    Both,
    Neither,
}

/// Reads every case of a format that a peer names, in the order of formats and files.
pub(crate) fn compare(cases: &[Case]) -> Vec<Compared> {
    let mut compared = Vec::new();
    for peer in Peer::ALL {
        for format in FORMATS {
            let of_format = cases.iter().filter(|case| case.format == format.name);
            compared.extend(of_format.filter_map(|case| compare_one(peer, format, case)));
        }
    }
    compared
}

fn compare_one(peer: Peer, format: &Format, case: &Case) -> Option<Compared> {
    let mut reader = peer.reader(format, &case.tools)?;
    let theirs = catch_unwind(AssertUnwindSafe(|| reader.whole(&case.raw)))
        .unwrap_or_else(|_| Err("it panicked".to_owned()));
    let reply = parse(format.dialect, &case.raw, &case.tools(), &Settings::default());
    let calls = reply.calls.iter().map(|call| (call.name.to_string(), call.arguments.clone()));
    let ours = Answer { text: reply.text(), calls: calls.collect() };
    let verdict = theirs.as_ref().map_or(Verdict::Calls, |theirs| verdict(&ours, theirs));
    let expected: Vec<_> = case
        .expected
        .calls
        .iter()
        .map(|call| (call.name.clone(), call.arguments.clone()))
        .collect();
    let fits = |calls: &[(String, Value)]| plain_calls(calls) == plain_calls(&expected);
    let recorded = match (fits(&ours.calls), theirs.as_ref().is_ok_and(|it| fits(&it.calls))) {
        (true, true) => Recorded::Both,
        (true, false) => Recorded::Us,
        (false, true) => Recorded::Them,
        (false, false) => Recorded::Neither,
    };
    let details = format!("raw    {:?}\nours   {ours:?}\ntheirs {theirs:?}", case.raw);
    Some(Compared {
        peer,
        format: format.name,
        id: case.id.clone(),
        is_recorded: case.trust == "recorded",
        verdict,
        recorded,
        details,
    })
}

fn verdict(ours: &Answer, theirs: &Answer) -> Verdict {
    if plain_calls(&ours.calls) != plain_calls(&theirs.calls) {
        return Verdict::Calls;
    }
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    if dense(&ours.text) == dense(&theirs.text) { Verdict::Same } else { Verdict::Text }
}

fn plain_calls(calls: &[(String, Value)]) -> Vec<(&str, Value)> {
    calls.iter().map(|(name, arguments)| (name.as_str(), plain(arguments))).collect()
}

/// Writes `5.0` as `5`: the recorded parsers are Python, where the two are equal.
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
