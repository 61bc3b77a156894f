//! What the importer has to say: what it left out, and what it did in its own way.

use std::collections::HashMap;

use super::Unmapped;

/// How many operations a warning names.
const NAMED: usize = 3;

/// How many different warnings are kept.
const MOST: usize = 1_000;

/// Collects what is said; the same thing about many operations is said once.
#[derive(Debug, Default)]
pub(super) struct Notes {
    unmapped: Vec<Unmapped>,
    warnings: Vec<(String, Vec<String>, usize)>,
    places: HashMap<String, usize>,
    /// How many warnings were one too many.
    untold: usize,
}

impl Notes {
    /// Says that something is not mapped.
    pub(super) fn leave_out(&mut self, operation: impl Into<String>, reason: impl Into<String>) {
        let (operation, reason) = (operation.into(), reason.into());
        self.unmapped.push(Unmapped { operation, reason });
    }

    /// Warns about an operation.
    pub(super) fn warn(&mut self, operation: &str, message: impl Into<String>) {
        let message = message.into();
        let place = match self.places.get(&message) {
            Some(place) => *place,
            None if self.warnings.len() >= MOST => {
                self.untold += 1;
                return;
            }
            None => {
                self.places.insert(message.clone(), self.warnings.len());
                self.warnings.push((message, Vec::new(), 0));
                self.warnings.len() - 1
            }
        };
        let Some((_, named, count)) = self.warnings.get_mut(place) else { return };
        if operation.is_empty() || named.last().is_some_and(|last| last == operation) {
            return;
        }
        *count += 1;
        if named.len() < NAMED {
            named.push(operation.to_owned());
        }
    }

    /// Returns what is unmapped, and the warnings.
    pub(super) fn into_lists(self) -> (Vec<Unmapped>, Vec<String>) {
        let worded = |(message, named, count): (String, Vec<String>, usize)| match count {
            0 => message,
            1 => format!("{}: {message}", named.join(", ")),
            count if count <= NAMED => format!("{message} ({})", named.join(", ")),
            count => format!("{message} ({count} operations: {}, …)", named.join(", ")),
        };
        let mut warnings: Vec<String> = self.warnings.into_iter().map(worded).collect();
        if self.untold > 0 {
            warnings.push(format!("{} more things were worth a warning", self.untold));
        }
        (self.unmapped, warnings)
    }
}
