//! Fuzzes `round_trip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolsmith_fuzz::run("round_trip", bytes));
