//! Who stands at the door.

use toolsmith_core::{Rights, Text};

/// Who stands at the door, and what they may do.
#[derive(Clone, Debug, PartialEq)]
pub struct Visitor {
    /// By which name their calls are recorded.
    pub id: Text,
    /// The tools that they may see and use.
    pub rights: Rights,
}

impl Visitor {
    /// Makes the visitor that nobody asked for a name: someone on this machine.
    pub fn local() -> Self {
        Self { id: "local".into(), rights: Rights::default() }
    }
}
