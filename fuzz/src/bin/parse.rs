//! Fuzzes `parse`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolsmith_fuzz::run("parse", bytes));
