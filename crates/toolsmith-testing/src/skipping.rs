//! Tests that cannot run here say so.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

use crate::folders;

/// Says loudly that the current test cannot run here; the test returns right after.
///
/// The test command prints what was skipped at its end and counts it apart from what passed.
///
/// ```no_run
/// use toolsmith_testing::{fixtures, skip};
///
/// fn every_document_is_read() {
///     let Some(folder) = fixtures::shared() else {
///         return skip("there is no ../shared/data beside the project");
///     };
///     assert!(folder.join("openapi").is_dir());
/// }
/// # every_document_is_read();
/// ```
pub fn skip(reason: &str) {
    let line = format!("{}: {reason}", current_test());
    // Not `eprintln!`: the runner would keep that to itself when the test passes.
    writeln!(io::stderr(), "SKIPPED: {line}").ok();
    let log = folders::target().join("skipped.log");
    if let Err(error) = append(&log, &line) {
        writeln!(io::stderr(), "SKIPPED, and it could not be noted: {error}").ok();
    }
}

/// Names the test: the program without its hash, and the thread, which the runner names after it.
fn current_test() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let stem = program.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.rsplit_once('-').map_or(stem.as_ref(), |(name, _)| name);
    let thread = std::thread::current();
    format!("{name}::{}", thread.name().unwrap_or("?"))
}

/// Adds a line in one write, so that lines of tests that run at once do not mix.
fn append(log: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder)?;
    }
    let line = format!("{}\n", line.replace('\n', " "));
    OpenOptions::new().create(true).append(true).open(log)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_is_named_by_program_and_thread() {
        let name = "skipping::tests::the_test_is_named_by_program_and_thread";
        assert_eq!(current_test(), format!("toolsmith_testing::{name}"));
    }

    #[test]
    fn each_skip_is_one_line_in_the_log() {
        let name = format!("toolsmith-skipped-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let log = folder.join("deeper/skipped.log");
        append(&log, "one: no\nnetwork").unwrap();
        append(&log, "two: no disk").unwrap();
        let text = fs::read_to_string(&log).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(text, "one: no network\ntwo: no disk\n");
    }
}
