//! What a rule has found.

use std::fmt;

/// One place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, from the root of the project.
    pub(crate) path: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The rule, by the name of its file.
    pub(crate) rule: &'static str,
    /// What is wrong, and what to do.
    pub(crate) message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_editors_can_follow() {
        let finding =
            Finding { path: "a.rs".to_owned(), line: 3, rule: "names", message: "no".to_owned() };
        assert_eq!(finding.to_string(), "a.rs:3: names: no");
    }
}
