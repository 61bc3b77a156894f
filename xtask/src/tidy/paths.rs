//! No file names a folder of the machine that it was written on.

use super::{
    finding::Finding,
    tree::{File, Tree},
};

const RULE: &str = "paths";

const FOLDERS: [&str; 3] = ["work", "root", "home"];

/// Checks every line of every text file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Finding> {
    let named =
        file.text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, folder(line)?)));
    named
        .map(|(line, folder)| Finding {
            path: file.path.clone(),
            line,
            rule: RULE,
            message: format!(
                "`/{folder}/` is a folder of someone's machine; take one from outside"
            ),
        })
        .collect()
}

fn folder(line: &str) -> Option<&'static str> {
    FOLDERS.into_iter().find(|folder| {
        let word = format!("/{folder}/");
        line.match_indices(&word).any(|(at, _)| begins_path(line.get(..at).unwrap_or_default()))
    })
}

/// Tells whether a path may begin after this text, so that `src/home/` and addresses pass.
fn begins_path(before: &str) -> bool {
    let is_path = |c: char| c.is_alphanumeric() || "._-~$}>)]".contains(c);
    !before.ends_with(is_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(folder: &str, before: &str) -> Vec<usize> {
        let text = format!("one\n{before}/{folder}/tools\n");
        check(&Tree::of(&[("docs/a.md", &text)])).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn absolute_paths_are_found_on_their_line() {
        for folder in FOLDERS {
            for before in ["", "\"", "(", "file://", "path="] {
                assert_eq!(findings(folder, before), [2], "{before}/{folder}/");
            }
        }
    }

    #[test]
    fn parts_of_other_paths_and_addresses_pass() {
        for before in ["src", "https://example.org", "..", "$HOME", "~", "${x}"] {
            assert!(findings("home", before).is_empty(), "{before}");
        }
        assert!(findings("homes", "").is_empty());
    }
}
