//! What is wrong with a definition, and where.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;
use toolsmith_core::Fault;

/// One thing that is wrong with a file, or worth a look.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The dotted key; empty when the problem is not about one.
    pub key: String,
    /// What is wrong and what to do, without a full stop.
    pub message: String,
}

impl Problem {
    /// Makes a problem of a file as a whole.
    pub(crate) fn whole(file: &Path, message: impl Into<String>) -> Self {
        Self::at(file, (0, 0), message)
    }

    /// Makes a problem of a place that is not about a key.
    pub(crate) fn at(file: &Path, place: (usize, usize), message: impl Into<String>) -> Self {
        let (line, column) = place;
        Self { file: file.to_owned(), line, column, key: String::new(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if self.line > 0 {
            write!(f, "{}:{}:", self.line, self.column)?;
        }
        if !self.key.is_empty() {
            write!(f, " {}:", self.key)?;
        }
        write!(f, " {}", self.message)
    }
}

/// What counts as an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// What keeps a definition from being used.
    #[default]
    Lenient,
    /// That, and variables that are not set: what `tools validate` asks.
    Validating,
    /// Every warning too: `strict_validation`.
    Strict,
}

/// What was found in one document: what stops it, and what is worth a look.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) faults: Vec<Fault>,
    pub(crate) warnings: Vec<Warning>,
}

/// Something that is worth a look.
#[derive(Debug)]
pub(crate) struct Warning {
    pub(crate) fault: Fault,
    pub(crate) about: About,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// A variable that is not set, or a file that is not there.
    Variable,
    /// Anything else.
    Other,
}

impl Findings {
    /// Takes a fault.
    pub(crate) fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Takes a warning.
    pub(crate) fn warn(&mut self, about: About, fault: Fault) {
        self.warnings.push(Warning { fault, about });
    }

    /// Makes faults of the warnings that count as errors.
    pub(crate) fn judge(&mut self, strictness: Strictness) {
        let counts = |warning: &mut Warning| match strictness {
            Strictness::Lenient => false,
            Strictness::Validating => warning.about == About::Variable,
            Strictness::Strict => true,
        };
        let errors = self.warnings.extract_if(.., counts);
        self.faults.extend(errors.map(|warning| warning.fault));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_from_the_file_to_what_to_do() {
        let file = Path::new("tools/a.yaml");
        let mut problem = Problem::at(file, (7, 3), "expected text");
        assert_eq!(problem.to_string(), "tools/a.yaml:7:3: expected text");
        problem.key = "entry.url".to_owned();
        assert_eq!(problem.to_string(), "tools/a.yaml:7:3: entry.url: expected text");
        assert_eq!(Problem::whole(file, "is a folder").to_string(), "tools/a.yaml: is a folder");
    }
}
