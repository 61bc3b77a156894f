//! The page of differences.

use std::fmt::Write as _;

use super::{
    compare::{Compared, Recorded, Verdict},
    reasons::{self, Kind, Reason},
    table::{Counts, Line, lines},
};

const HEAD: &str = "\
# Dialects: agreement with other parsers

Written by `cargo xtask eval dialects --write`; `cargo xtask eval dialects` fails when a difference is not listed here, or a listed one is none. Every raw output of the corpus in a format
that we name is read as a whole by us and by the two crates `dynamo-parsers-v2` and `tool-parser`, where they name the format too. Names and arguments are compared as JSON (`5.0` is `5`); the
text around the calls only where the calls are the same, and without white space. `recorded` outputs are what a serving engine's own parser returned in a passing test, `review` ones are odd.
";

/// Writes the page.
pub(crate) fn write(compared: &[Compared]) -> String {
    let mut text = String::from(HEAD);
    text.push_str("\n| parser | format | trust | cases | agree | differ | text differs |\n|---|---|---|--:|--:|--:|--:|\n");
    for Line { peer, format, trust, counts } in lines(compared) {
        let Counts { cases, agree, differ, text_differs } = counts;
        writeln!(
            text,
            "| {peer} | `{format}` | {trust} | {cases} | {agree} | {differ} | {text_differs} |"
        )
        .ok();
    }
    text.push_str("\n## Differences\n\nThe last column counts with whom the recorded calls of the serving engine agree.\n\n");
    text.push_str("| parser | where | what and why | who is right | cases | recorded calls agree with |\n|---|---|---|---|---|---|\n");
    for reason in reasons::all() {
        let place = if reason.place == Verdict::Text { "text" } else { "calls" };
        let right = match reason.kind {
            Kind::TheirBug => "we",
            Kind::Policy => "a choice",
            Kind::OurBug => "they",
        };
        let cases: Vec<String> = reason.cases.iter().map(|id| format!("`{id}`")).collect();
        let (peer, why) = (reason.peer, reason.why);
        let recorded = recorded(compared, reason);
        writeln!(text, "| {peer} | {place} | {why} | {right} | {} | {recorded} |", cases.join(" "))
            .ok();
    }
    text
}

fn recorded(compared: &[Compared], reason: &Reason) -> String {
    let count = |wanted: Recorded| {
        let cases = compared.iter().filter(|case| {
            case.peer == reason.peer
                && case.verdict == reason.place
                && case.recorded == wanted
                && reason.cases.contains(&case.id.as_str())
        });
        cases.count()
    };
    let sides = [
        (Recorded::Us, "us"),
        (Recorded::Them, "them"),
        (Recorded::Both, "both"),
        (Recorded::Neither, "neither"),
    ];
    let parts: Vec<String> = sides
        .into_iter()
        .map(|(side, name)| (count(side), name))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{name} {count}"))
        .collect();
    parts.join(", ")
}
