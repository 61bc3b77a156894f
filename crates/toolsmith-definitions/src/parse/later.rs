//! Keys whose feature is not there yet: their form is checked, and a warning says so.

use toolsmith_core::{Fault, Fields, Value, describe};

use super::rules::key_fault;
use crate::problem::{About, Findings};

const KEYS: [&str; 3] = ["sources", "active_source", "split"];

/// Reads the keys, so that a file written for a later version loads.
pub(super) fn read(fields: &mut Fields<'_>, findings: &mut Findings) {
    sources(fields);
    match fields.any("split") {
        None | Some(Value::Object(_) | Value::Array(_)) => {}
        Some(other) => {
            fields.blame("split", format!("expected a map or a list, found {}", describe(other)));
        }
    }
    for key in KEYS {
        if fields.any(key).is_some() {
            let message = format!("`{key}` is accepted, but this version does not act on it");
            findings.warn(About::Other, key_fault(fields.pointer(), key, message));
        }
    }
}

fn sources(fields: &mut Fields<'_>) {
    let count = fields.list("sources").map(|sources| {
        for (place, source) in sources.iter().enumerate() {
            match Fields::of(source, format!("/sources/{place}")) {
                Ok(source) => {
                    super::rules::add_all(fields, source_faults(source));
                }
                Err(fault) => fields.add(fault),
            }
        }
        sources.len()
    });
    let active = fields.count("active_source");
    if let (Some(count), Some(active)) = (count, active)
        && usize::try_from(active).is_ok_and(|active| active >= count)
    {
        let message = format!("there are only {count} sources, counted from 0");
        fields.blame("active_source", message);
    }
}

/// Looks at the type only: which other keys a source has belongs to the feature.
fn source_faults(mut source: Fields<'_>) -> Vec<Fault> {
    if source.any("type").is_none() {
        source.miss("type", "one of `local`, `docker`, `remote`");
    }
    source.word("type", &["local", "docker", "remote"]);
    let mut faults = source.finish();
    faults.retain(|fault| !fault.message.starts_with("unknown key"));
    faults
}
