//! The rules of the house that no compiler checks, one file each, all of one shape.

mod comments;
mod finding;
mod floors;
mod links;
mod lints;
mod load;
mod module_docs;
mod names;
mod owners;
mod paths;
mod sizes;
mod source;
mod tree;
mod whitespace;

use std::{fmt::Write as _, path::Path};

use finding::Finding;
use tree::Tree;

/// Looks at the whole tree and tells what is not as it should be.
type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: [Rule; 10] = [
    comments::check,
    floors::check,
    links::check,
    lints::check,
    module_docs::check,
    names::check,
    owners::check,
    paths::check,
    sizes::check,
    whitespace::check,
];

/// What tidy has to say.
#[derive(Debug)]
pub(crate) struct Report {
    /// The findings, one a line, and their count.
    pub(crate) text: String,
    /// How many findings there are.
    pub(crate) count: usize,
}

/// Reads the tree and checks every rule.
pub(crate) fn report(root: &Path) -> anyhow::Result<Report> {
    Ok(check(&load::tree(root)?))
}

fn check(tree: &Tree) -> Report {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(tree)).collect();
    findings.sort();
    let mut text = String::new();
    for finding in &findings {
        writeln!(text, "{finding}").ok();
    }
    let count = findings.len();
    let noun = if count == 1 { "finding" } else { "findings" };
    write!(text, "tidy: {count} {noun}, {} files read", tree.files.len()).ok();
    Report { text, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_sorted_and_counted() {
        let tree = Tree::of(&[
            ("crates/toolsmith-core/src/b.rs", "//! B.\n// FIXME later\n"),
            ("crates/toolsmith-core/src/a.rs", "fn a() {}\n"),
        ]);
        let report = check(&tree);
        assert_eq!(report.count, 2);
        let lines: Vec<&str> = report.text.lines().collect();
        assert!(
            lines[0].starts_with("crates/toolsmith-core/src/a.rs:1: module_docs: "),
            "{lines:?}"
        );
        assert!(lines[1].starts_with("crates/toolsmith-core/src/b.rs:2: comments: "), "{lines:?}");
        assert_eq!(lines[2], "tidy: 2 findings, 2 files read");
    }

    #[test]
    fn a_clean_tree_has_nothing_to_report() {
        let report = check(&Tree::of(&[("a.rs", "//! A.\n"), ("b.rs", "//! B.\n")]));
        assert_eq!((report.count, report.text.as_str()), (0, "tidy: 0 findings, 2 files read"));
    }
}
