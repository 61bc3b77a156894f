//! The corpus that the fuzzer has kept, and what it is made of, hold without a fuzzer too.

use std::{fs, panic, path::PathBuf};

use toolsmith_testing::fixtures;

use crate::checks::TARGETS;

#[test]
fn every_kept_input_of_the_fuzzer_holds() {
    for (target, check) in TARGETS {
        let inputs = inputs(target);
        assert!(!inputs.is_empty(), "there is no corpus of {target}");
        for input in inputs {
            let bytes = fs::read(&input).unwrap();
            let outcome = panic::catch_unwind(|| check(&bytes));
            assert!(outcome.is_ok(), "{target} fails on {}", input.display());
        }
    }
}

fn inputs(target: &str) -> Vec<PathBuf> {
    let folder = fixtures::fuzz_corpus().join(target);
    let files = fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().path()).collect()
}
