//! Files stay short enough to be read in one go.

use super::{
    finding::Finding,
    source,
    tree::{File, Tree},
};

const RULE: &str = "sizes";

/// Lines of a file before its tests.
const FILE: usize = 500;

/// Lines of a file that is all tests or benchmarks.
const TEST_FILE: usize = 600;

/// Lines of a file that should only declare and re-export.
const DECLARATIONS: usize = 150;

/// Checks the length of every Rust file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust_files().filter_map(finding).collect()
}

fn finding(file: &File) -> Option<Finding> {
    let lines = source::lines(&file.text);
    let (length, limit, what) = if is_test(file) {
        (lines.len(), TEST_FILE, "a test file")
    } else if matches!(file.name(), "lib.rs" | "mod.rs") {
        (source::start_of_tests(&lines), DECLARATIONS, "declarations and re-exports")
    } else {
        (source::start_of_tests(&lines), FILE, "a file before its tests")
    };
    let message = format!("{length} lines; {what} should have at most {limit}: split it");
    (length > limit).then(|| Finding {
        path: file.path.clone(),
        line: limit + 1,
        rule: RULE,
        message,
    })
}

fn is_test(file: &File) -> bool {
    file.name() == "tests.rs" || file.is_beneath("tests") || file.is_beneath("benches")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, lines: usize) -> usize {
        check(&Tree::of(&[(path, &"x\n".repeat(lines))])).len()
    }

    #[test]
    fn each_kind_of_file_has_its_limit() {
        for (path, limit) in [
            ("crates/a/src/call.rs", 500),
            ("crates/a/src/lib.rs", 150),
            ("crates/a/src/call/mod.rs", 150),
            ("crates/a/src/call/tests.rs", 600),
            ("crates/a/tests/it/main.rs", 600),
            ("crates/a/benches/call.rs", 600),
        ] {
            assert_eq!(findings(path, limit), 0, "{path}");
            assert_eq!(findings(path, limit + 1), 1, "{path}");
        }
        assert_eq!(findings("docs/long.md", 5_000), 0);
    }

    #[test]
    fn tests_at_the_end_of_a_file_do_not_count() {
        let text =
            format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "x\n".repeat(500), "y\n".repeat(400));
        assert_eq!(check(&Tree::of(&[("crates/a/src/call.rs", &text)])), []);
    }
}
