//! No spaces at the end of a line, and a line end at the end of a file.

use super::{
    finding::Finding,
    tree::{File, Tree},
};

const RULE: &str = "whitespace";

/// Checks every text file that people write by hand.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().filter(|file| !is_given(file)).flat_map(in_file).collect()
}

/// Tells whether the bytes are not ours to choose: what a program printed, what a test must read.
fn is_given(file: &File) -> bool {
    let is_printed = ["snap", "stdout", "stderr"].iter().any(|end| file.has_extension(end));
    let is_read = ["tests", "fixtures", "corpus"].iter().any(|folder| file.is_beneath(folder));
    is_printed || (is_read && !file.has_extension("rs"))
}

fn in_file(file: &File) -> Vec<Finding> {
    let mut places: Vec<(usize, &str)> = Vec::new();
    for (index, line) in file.text.split('\n').enumerate() {
        if line.ends_with([' ', '\t', '\r']) {
            places.push((index + 1, "white space at the end of the line"));
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        places.push((file.text.lines().count(), "the file does not end with a line end"));
    }
    let finding = |(line, message): (usize, &str)| Finding {
        path: file.path.clone(),
        line,
        rule: RULE,
        message: message.to_owned(),
    };
    places.into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn clean_files_and_files_without_text_pass() {
        assert!(lines("a.md", "one\n\n  two\n").is_empty());
        assert!(lines("a.png", "").is_empty());
    }

    #[test]
    fn white_space_at_an_end_is_found() {
        assert_eq!(lines("a.md", "one \ntwo\t\nthree\r\nfour\n"), [1, 2, 3]);
        assert_eq!(lines("a.md", "one\ntwo"), [2]);
        assert_eq!(lines("crates/a/tests/it/main.rs", "one \n"), [1]);
    }

    #[test]
    fn given_bytes_are_left_alone() {
        assert!(lines("crates/a/src/snapshots/a.snap", "one \n").is_empty());
        assert!(lines("crates/a/tests/data/a.yaml", "one \r\ntwo").is_empty());
    }
}
