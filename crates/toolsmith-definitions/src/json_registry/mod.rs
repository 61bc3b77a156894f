//! Old registries in JSON: `registry.json`, `sources.json` and `groups.json` of a tool service.
//!
//! [`import`] makes definitions of them, [`export`] makes them of tools. What one writes the other
//! reads, so that going there and back changes nothing. Both are plain functions of values: who
//! reads and writes the files is not their matter.

mod export;
mod import;
mod sources;

use serde_json::Value;

pub use self::{
    export::{Exported, Offered, export},
    import::{Imported, import},
};

/// The names of the three files.
pub const FILE_NAMES: [&str; 3] = ["registry.json", "sources.json", "groups.json"];

/// What the three files hold; `null` where one is not there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Files {
    /// What tools there are.
    pub registry: Value,
    /// Where they run.
    pub sources: Value,
    /// Which belong together.
    pub groups: Value,
}

/// Turns the path of a folder into the same seen from elsewhere.
pub type Rebase<'a> = &'a dyn Fn(&str) -> String;
