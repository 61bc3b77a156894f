//! Names say what a thing is: words that fit anything are banned from files and types.

use std::collections::BTreeSet;

use super::{
    finding::Finding,
    source::{self, Line},
    tree::{File, Tree},
};

const RULE: &str = "names";

const BANNED: &[&str] = &[
    "manager", "helper", "helpers", "util", "utils", "common", "misc", "base", "impl", "data",
    "info", "handler2", "v2", "legacy",
];

/// Names that may hold a banned word, each with its reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("get_file_info", "the public name of a built-in tool"),
    ("GetFileInfo", "the type of that tool"),
    ("base_url", "the public key of a REST definition"),
    ("BaseUrl", "the type of that key"),
];

/// Folders beneath which a folder `data` may stand: what tests read is called so everywhere.
const FIXTURES: &[&str] = &["tests", "benches", "fixtures"];

/// Checks the names of files, folders and types.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let paths: BTreeSet<Finding> = tree.files.iter().flat_map(in_path).collect();
    paths.into_iter().chain(tree.rust_files().flat_map(in_types)).collect()
}

fn in_path(file: &File) -> Vec<Finding> {
    let parts: Vec<&str> = file.path.split('/').collect();
    let mut findings = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let is_file = index + 1 == parts.len();
        let stem = part.rsplit_once('.').filter(|_| is_file).map_or(*part, |(stem, _)| stem);
        let above = parts.get(..index).unwrap_or_default();
        if *part == "data" && above.iter().any(|folder| FIXTURES.contains(folder)) {
            continue;
        }
        let path = parts.get(..=index).unwrap_or_default().join("/");
        findings.extend(finding(stem, path, 1));
    }
    findings
}

fn in_types(file: &File) -> Vec<Finding> {
    let lines = source::lines(&file.text);
    let named = lines.iter().enumerate().filter_map(|(at, line)| Some((at + 1, declared(line)?)));
    named.filter_map(|(line, name)| finding(name, file.path.clone(), line)).collect()
}

fn finding(name: &str, path: String, line: usize) -> Option<Finding> {
    if EXCEPTIONS.iter().any(|&(excepted, _)| excepted == name) {
        return None;
    }
    let words = words(name);
    let banned = words.iter().find(|word| BANNED.contains(&word.as_str()))?;
    let message = format!("`{name}` says `{banned}`, which fits anything; name what it is");
    Some(Finding { path, line, rule: RULE, message })
}

/// Returns the type that a line declares. Types inside an `impl` are named by their trait.
fn declared(line: &Line) -> Option<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_indented = line.code.starts_with(char::is_whitespace);
    let mut words = line.code.split(|c: char| !is_name(c)).filter(|word| !word.is_empty());
    words.find(|word| {
        matches!(*word, "struct" | "enum" | "trait") || (*word == "type" && !is_indented)
    })?;
    words.next()
}

/// Takes a name apart: at anything that is no letter or digit, and where a capital begins a word.
fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (index, &character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|at| characters.get(at)).copied();
        let after = characters.get(index + 1).copied();
        if character.is_uppercase() && begins_word(before, after) {
            words.push(String::new());
        }
        match words.last_mut() {
            Some(word) if character.is_alphanumeric() => word.extend(character.to_lowercase()),
            _ => words.push(String::new()),
        }
    }
    words
}

/// Tells whether a capital begins a word: after a small letter, or as the last of an acronym.
fn begins_word(before: Option<char>, after: Option<char>) -> bool {
    let small = |c: Option<char>| c.is_some_and(char::is_lowercase);
    small(before) || before.is_some_and(char::is_numeric) || small(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_file(path: &str) -> Vec<Finding> {
        check(&Tree::of(&[(path, "")]))
    }

    fn in_code(code: &str) -> Vec<Finding> {
        check(&Tree::of(&[("crates/a/src/call.rs", code)]))
    }

    #[test]
    fn names_are_taken_apart_at_their_words() {
        let words = |name| words(name).into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
        assert_eq!(words("HTTPDataSource"), ["http", "data", "source"]);
        assert_eq!(words("Base64Encode"), ["base64", "encode"]);
        assert_eq!(words("ToolV2"), ["tool", "v2"]);
        assert_eq!(words("string-utils.test"), ["string", "utils", "test"]);
    }

    #[test]
    fn words_that_fit_anything_are_found() {
        for path in ["crates/a/src/utils.rs", "docs/misc.md", "crates/a/src/call_helper.rs"] {
            assert_eq!(in_file(path).len(), 1, "{path}");
        }
        let code =
            "pub struct ToolManager;\n    enum CallInfo { A }\npub(crate) trait BaseTool {}\n";
        let lines: Vec<usize> = in_code(code).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 2, 3]);
        assert_eq!(in_code("pub type RecordV2 = Record;\n").len(), 1);
    }

    #[test]
    fn a_banned_folder_is_reported_once() {
        let tree = Tree::of(&[("crates/a/src/common/x.rs", ""), ("crates/a/src/common/y.rs", "")]);
        let findings = check(&tree);
        assert_eq!((findings.len(), findings[0].path.as_str()), (1, "crates/a/src/common"));
    }

    #[test]
    fn longer_words_strings_and_comments_pass() {
        assert_eq!(in_file("crates/a/src/base64_encode.rs"), []);
        assert_eq!(in_file("crates/a/src/file/get_file_info.rs"), []);
        assert_eq!(
            in_code("struct Database; // a struct Manager\nlet s = \"struct Helper\";\n"),
            []
        );
        assert_eq!(in_code("impl T for U {\n    type Data = u8;\n}\nenum Informed {}\n"), []);
    }

    #[test]
    fn what_tests_read_may_be_called_data() {
        assert_eq!(in_file("crates/a/tests/data/one.json"), []);
        assert_eq!(in_file("crates/a/src/data/one.rs").len(), 1);
    }
}
