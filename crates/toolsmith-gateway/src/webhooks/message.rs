//! What is posted, and by which identifier receivers know it again.

use std::sync::Arc;

use toolsmith_core::{Timestamp, json};

/// Tells the events of one run of the program from those of another, whose numbers begin anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run(u64);

impl Run {
    pub(super) fn begun(now: Timestamp) -> Self {
        Self(now.as_micros().unsigned_abs())
    }
}

/// What waits to be posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// An event: its number, and its text.
    Event(u64, Arc<str>),
    /// So many events are lost to the receiver, behind the event of that number.
    Gap { behind: u64, missed: u64 },
}

impl Message {
    /// Returns the identifier, the same for every try.
    pub(super) fn id(&self, run: Run) -> String {
        match self {
            Self::Event(number, _) => format!("{:x}-{number}", run.0),
            Self::Gap { behind, .. } => format!("{:x}-{behind}-missed", run.0),
        }
    }

    /// Returns the body.
    pub(super) fn body(&self, now: Timestamp) -> String {
        match self {
            Self::Event(_, text) => text.to_string(),
            Self::Gap { missed, .. } => {
                let told = json!({
                    "id": null, "type": "missed", "time": now, "tool_name": null,
                    "call_id": null, "data": { "missed": missed },
                });
                told.to_string()
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Event(_, text) => text.len(),
            Self::Gap { .. } => 0,
        }
    }

    /// Returns how many events it stands for.
    pub(super) fn events(&self) -> u64 {
        match self {
            Self::Event(..) => 1,
            Self::Gap { missed, .. } => *missed,
        }
    }
}
