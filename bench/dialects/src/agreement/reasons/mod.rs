//! Why the parsers part: every difference by the name of its case.

mod dynamo;
mod tool_parser;

use super::compare::{Compared, Verdict};
use crate::peers::Peer;

/// Why a peer parts from us in some cases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reason {
    pub(crate) peer: Peer,
    pub(crate) place: Verdict,
    pub(crate) kind: Kind,
    pub(crate) why: &'static str,
    pub(crate) cases: &'static [&'static str],
}

/// Who is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The peer loses, invents or spoils something.
    TheirBug,
    /// Both can be argued for; ours is a written policy.
    Policy,
    /// We lose, invent or spoil something.
    OurBug,
}

/// Returns all reasons, those of one peer together.
pub(crate) fn all() -> impl Iterator<Item = &'static Reason> {
    dynamo::REASONS.iter().chain(tool_parser::REASONS)
}

/// Says which differences have no reason, and which reasons no difference.
pub(crate) fn complaints(compared: &[Compared]) -> Vec<String> {
    let mut complaints = Vec::new();
    for case in compared.iter().filter(|case| case.verdict != Verdict::Same) {
        if reason(case).is_none() {
            complaints.push(format!(
                "unexplained: {} {} {} {:?}, recorded: {:?}\n{}",
                case.peer, case.format, case.id, case.verdict, case.recorded, case.details
            ));
        }
    }
    for reason in all() {
        for id in reason.cases {
            let differs = compared.iter().any(|case| {
                case.id == *id && case.peer == reason.peer && case.verdict == reason.place
            });
            if !differs {
                complaints.push(format!(
                    "explained, but not different: {} {id} {:?}",
                    reason.peer, reason.place
                ));
            }
        }
    }
    complaints
}

/// Returns the reason of a difference.
pub(crate) fn reason(case: &Compared) -> Option<&'static Reason> {
    all().find(|reason| {
        reason.peer == case.peer
            && reason.place == case.verdict
            && reason.cases.contains(&case.id.as_str())
    })
}
