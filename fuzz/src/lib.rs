//! The fuzz targets; what they check stands with the tests of the crate that they check.

#[path = "../../crates/toolsmith-dialects/tests/it/checks/mod.rs"]
mod checks;

/// Runs the check of a target on some bytes; it panics when a law is broken.
pub fn run(target: &str, bytes: &[u8]) {
    let (_, check) =
        checks::TARGETS.iter().find(|(name, _)| *name == target).expect("no such target");
    check(bytes);
}
