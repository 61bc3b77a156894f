//! What is in force, ready to be shown.

use serde::Serialize;
use serde_json::Value;

use super::{Loaded, keys};

/// A setting as `toolsmith config show` shows it; secrets are `***`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// The dotted key.
    #[serde(skip)]
    pub key: &'static str,
    /// The value in force.
    pub value: Value,
    /// Where it came from.
    pub source: String,
}

/// Returns every setting with its value and source, in the order of the table.
pub fn shown(loaded: &Loaded) -> Vec<Shown> {
    // A slot borrows the settings mutably, to fill them; showing works on a copy.
    let mut settings = loaded.settings.clone();
    keys::settings()
        .map(|row| Shown {
            key: row.name,
            value: (row.slot)(&mut settings).show(),
            source: loaded.sources.describe(row.name),
        })
        .collect()
}
