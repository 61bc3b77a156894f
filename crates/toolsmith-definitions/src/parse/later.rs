//! Keys whose feature is not there yet: their form is checked, and a warning says so.

use toolsmith_core::{Fields, Value, describe};

use super::rules::key_fault;
use crate::problem::{About, Findings};

/// Reads the keys, so that a file written for a later version loads; returns the sandbox asked for.
///
/// Whoever asks for a sandbox does not trust the tool: without one it must not run.
pub(super) fn read(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<&'static str> {
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
    let sandbox = fields.word("sandbox", &["none", "standard", "strict"]);
    let sandbox = sandbox.filter(|word| *word != "none");
    if sandbox.is_some() {
        let message = "the sandbox is not there yet, so nothing runs this tool: calls will answer \
                       `executor_not_found`; write `sandbox: none` to run it without one";
        findings.warn(About::Other, key_fault(fields.pointer(), "sandbox", message));
    }
    sandbox
}
