//! Keys whose feature is not there yet: their form is checked, and a warning says so.

use toolsmith_core::{Fields, Value, describe};

use super::rules::key_fault;
use crate::problem::{About, Findings};

/// Reads the keys, so that a file written for a later version loads.
pub(super) fn read(fields: &mut Fields<'_>, findings: &mut Findings) {
    match fields.any("split") {
        None | Some(Value::Object(_) | Value::Array(_)) => {}
        Some(other) => {
            fields.blame("split", format!("expected a map or a list, found {}", describe(other)));
        }
    }
    if fields.any("split").is_some() {
        let message = "`split` is accepted, but this version does not act on it";
        findings.warn(About::Other, key_fault(fields.pointer(), "split", message));
    }
}
