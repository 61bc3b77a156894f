//! Every module opens with a sentence about what it is.

use super::{
    finding::Finding,
    tree::{File, Tree},
};

const RULE: &str = "module_docs";

/// Checks the first line of every module.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let bare = tree.rust_files().filter(|file| is_module(file) && !opens_with_docs(&file.text));
    bare.map(|file| Finding {
        path: file.path.clone(),
        line: 1,
        rule: RULE,
        message: "open the module with `//!` and one sentence about what it is".to_owned(),
    })
    .collect()
}

fn is_module(file: &File) -> bool {
    let mut parts = file.path.split('/');
    match parts.next() {
        Some("crates") => parts.nth(1) == Some("src"),
        Some("xtask") => parts.next() == Some("src"),
        _ => false,
    }
}

fn opens_with_docs(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("//!"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn a_module_with_its_sentence_passes() {
        assert_eq!(findings("crates/a/src/call/mod.rs", "\n//! The line.\n"), 0);
        assert_eq!(findings("crates/a/tests/it/main.rs", "fn main() {}\n"), 0);
    }

    #[test]
    fn a_bare_module_is_found() {
        assert_eq!(findings("crates/a/src/call.rs", "use std::fmt;\n//! Late.\n"), 1);
        assert_eq!(findings("xtask/src/main.rs", "// A plain comment.\n"), 1);
        assert_eq!(findings("crates/a/src/lib.rs", ""), 1);
    }
}
