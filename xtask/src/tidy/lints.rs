//! Every crate takes the lints of the workspace and says what it is.

use super::{
    finding::Finding,
    tree::{Package, Tree},
};

const RULE: &str = "lints";

/// Checks the manifest of every crate.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.packages.iter().flat_map(|package| findings(tree, package)).collect()
}

fn findings(tree: &Tree, package: &Package) -> Vec<Finding> {
    let mut messages = Vec::new();
    if !takes_lints(tree.text(&package.manifest)) {
        messages.push("write `[lints]` with `workspace = true`");
    }
    if package.description.trim().is_empty() {
        messages.push("the description is empty; say in one sentence what the crate is");
    }
    let finding = |message: &str| Finding {
        path: package.manifest.clone(),
        line: 1,
        rule: RULE,
        message: message.to_owned(),
    };
    messages.into_iter().map(finding).collect()
}

fn takes_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut lines = lines.by_ref().map(|line| line.replace([' ', '\t'], ""));
    lines.any(|line| line == "[lints]")
        && lines.take_while(|line| !line.starts_with('[')).any(|line| line == "workspace=true")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_manifest(text: &str) -> Vec<Finding> {
        let mut tree = Tree::default().with_package("one", &[]);
        tree.files[0].text = text.to_owned();
        check(&tree)
    }

    #[test]
    fn a_described_crate_with_the_common_lints_passes() {
        assert_eq!(with_manifest("[package]\n[lints]\nworkspace = true\n[features]\n"), []);
        assert_eq!(with_manifest("[lints] # all\n\nworkspace=true # yes\n"), []);
    }

    #[test]
    fn lints_of_its_own_are_found() {
        for text in ["", "[lints]\n", "[lints]\n[x]\nworkspace = true\n", "[lints.rust]\nx = 1\n"] {
            assert_eq!(with_manifest(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn an_empty_description_is_found() {
        let mut tree = Tree::default().with_package("one", &[]);
        tree.packages[0].description = " ".to_owned();
        assert!(check(&tree)[0].message.contains("description"));
    }
}
