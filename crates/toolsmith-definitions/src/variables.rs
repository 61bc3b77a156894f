//! `${VAR}` in definitions: checked in the entry, filled in everywhere else.
//!
//! Outside `entry` and `sources` a text is filled in when the file is read: a variable or a `${file:…}` that
//! changes later is seen when the file itself is next read, and a variable that is missing then
//! stays in the text as it is written, with a warning. In those two texts are filled in when they
//! are used, so that secrets do not stand in descriptions and a changed one counts from the next
//! call on.

use toolsmith_core::{Fault, Fields, Spot, Template, Value, Vault};

use crate::problem::{About, Findings};

/// The keys whose texts are filled in when they are used.
const LATER: [&str; 2] = ["entry", "sources"];

/// Fills in the texts of a document outside its `entry` and `sources`.
///
/// A text that cannot be filled in is left as it is, with a warning.
pub(crate) fn fill(document: &mut Value, vault: &Vault, findings: &mut Findings) {
    let Value::Object(map) = document else { return };
    for (key, value) in map.iter_mut().filter(|(key, _)| !LATER.contains(&key.as_str())) {
        let pointer = format!("/{}", escaped(key));
        each_text(value, &pointer, &mut |text, pointer| {
            let template = match Template::parse(text) {
                Ok(template) => template,
                Err(error) => return findings.warn(About::Other, at(pointer, error.to_string())),
            };
            let missing = vault.missing(&template);
            for error in &missing {
                findings.warn(About::Variable, at(pointer, error.to_string()));
            }
            if missing.is_empty() {
                match vault.fill(&template) {
                    Ok(filled) => filled.expose().clone_into(text),
                    Err(error) => findings.warn(About::Variable, at(pointer, error.message())),
                }
            }
        });
    }
}

/// Checks the texts of an entry, except those of the keys whose text is taken as it is.
pub(crate) fn check_entry(
    entry: &Fields<'_>,
    verbatim: &[&str],
    vault: &Vault,
    findings: &mut Findings,
) {
    let texts = entry.object().iter().filter(|(key, _)| !verbatim.contains(&key.as_str()));
    for (key, value) in texts {
        let pointer = format!("{}/{}", entry.pointer(), escaped(key));
        // The walk wants to change texts, which is right where they are filled in.
        each_text(&mut value.clone(), &pointer, &mut |text, pointer| match Template::parse(text) {
            Ok(template) => {
                for error in vault.missing(&template) {
                    findings.warn(About::Variable, at(pointer, error.to_string()));
                }
            }
            Err(error) => findings.fault(at(pointer, error.to_string())),
        });
    }
}

/// Visits every text with a variable in it; trees are as deep as the reader allows, no deeper.
fn each_text(value: &mut Value, pointer: &str, visit: &mut dyn FnMut(&mut String, &str)) {
    match value {
        Value::String(text) if text.contains("${") => visit(text, pointer),
        Value::Array(items) => {
            for (place, item) in items.iter_mut().enumerate() {
                each_text(item, &format!("{pointer}/{place}"), visit);
            }
        }
        Value::Object(map) => {
            for (key, inner) in map.iter_mut() {
                each_text(inner, &format!("{pointer}/{}", escaped(key)), visit);
            }
        }
        _ => {}
    }
}

fn at(pointer: &str, message: impl Into<String>) -> Fault {
    Fault { pointer: pointer.to_owned(), spot: Spot::Value, message: message.into() }
}

/// Writes a key as a segment of a pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
