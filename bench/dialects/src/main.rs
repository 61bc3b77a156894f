//! Compares the dialects with two other parsers and with Python.
//!
//! Run through `cargo xtask bench dialects` and `cargo xtask eval dialects`.

mod agreement;
mod cases;
mod peers;
mod speed;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
bench-dialects CHORE

  bench-dialects [--without REASON]   prints the figures of the dialects as JSON
  eval-dialects [--write]             prints how far the other parsers agree; with --write, the page too
";

fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["bench-dialects"] => speed::bench(None),
        ["bench-dialects", "--without", reason] => speed::bench(Some(reason)),
        ["eval-dialects"] => agreement::eval(agreement::Page::Compare),
        ["eval-dialects", "--write"] => agreement::eval(agreement::Page::Write),
        _ => bail!("{USAGE}"),
    }
}
