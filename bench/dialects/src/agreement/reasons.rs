//! Why the parsers part: every difference by the name of its case.

use super::compare::{Compared, Verdict};
use crate::peers::Peer;

/// Why a peer parts from us in some cases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reason {
    pub(crate) peer: Peer,
    pub(crate) where_: Verdict,
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

/// The reasons.
pub(crate) const REASONS: &[Reason] = &[];

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
    for reason in REASONS {
        for id in reason.cases {
            let differs = compared.iter().any(|case| {
                case.id == *id && case.peer == reason.peer && case.verdict == reason.where_
            });
            if !differs {
                complaints.push(format!(
                    "explained, but not different: {} {id} {:?}",
                    reason.peer, reason.where_
                ));
            }
        }
    }
    complaints
}

/// Returns the reason of a difference.
pub(crate) fn reason(case: &Compared) -> Option<&'static Reason> {
    REASONS.iter().find(|reason| {
        reason.peer == case.peer
            && reason.where_ == case.verdict
            && reason.cases.contains(&case.id.as_str())
    })
}
