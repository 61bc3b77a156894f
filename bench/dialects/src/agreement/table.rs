//! The agreement as a table, a line for each peer, format and trust.

use std::fmt::Write as _;

use super::compare::{Compared, Verdict};
use crate::{cases::FORMATS, peers::Peer};

/// The counts of one line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) cases: usize,
    pub(crate) agree: usize,
    pub(crate) differ: usize,
    pub(crate) text_differs: usize,
}

/// One line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) peer: Peer,
    pub(crate) format: &'static str,
    pub(crate) trust: &'static str,
    pub(crate) counts: Counts,
}

/// Counts the cases by peer, format and trust.
pub(crate) fn lines(compared: &[Compared]) -> Vec<Line> {
    let mut lines = Vec::new();
    for peer in Peer::ALL {
        for format in FORMATS {
            for (trust, is_recorded) in [("recorded", true), ("review", false)] {
                let counts = count(compared.iter().filter(|case| {
                    case.peer == peer
                        && case.format == format.name
                        && case.is_recorded == is_recorded
                }));
                if counts.cases > 0 {
                    lines.push(Line { peer, format: format.name, trust, counts });
                }
            }
        }
    }
    lines
}

/// Counts cases.
pub(crate) fn count<'a>(cases: impl Iterator<Item = &'a Compared>) -> Counts {
    cases.fold(Counts::default(), |counts, case| Counts {
        cases: counts.cases + 1,
        agree: counts.agree + usize::from(case.verdict != Verdict::Calls),
        differ: counts.differ + usize::from(case.verdict == Verdict::Calls),
        text_differs: counts.text_differs + usize::from(case.verdict == Verdict::Text),
    })
}

/// Writes the table for a terminal.
pub(crate) fn write(compared: &[Compared]) -> String {
    let mut text = format!(
        "{:<18} {:<26} {:<9} {:>5} {:>6} {:>7} {:>13}\n",
        "parser", "format", "trust", "cases", "agree", "differ", "text differs"
    );
    for Line { peer, format, trust, counts } in lines(compared) {
        let Counts { cases, agree, differ, text_differs } = counts;
        let peer = peer.to_string();
        writeln!(
            text,
            "{peer:<18} {format:<26} {trust:<9} {cases:>5} {agree:>6} {differ:>7} {text_differs:>13}"
        )
        .ok();
    }
    for peer in Peer::ALL {
        let Counts { cases, agree, differ, text_differs } =
            count(compared.iter().filter(|case| case.peer == peer));
        let peer = peer.to_string();
        writeln!(
            text,
            "{peer:<18} {:<26} {:<9} {cases:>5} {agree:>6} {differ:>7} {text_differs:>13}",
            "all", ""
        )
        .ok();
    }
    text
}
