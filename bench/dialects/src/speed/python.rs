//! The same text in Python, right behind our own run.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Map, Value, json};

const PROGRAM: &str = include_str!("python.py");

const FIGURES: [&str; 3] =
    ["python_elementtree_mb_s", "python_regex_mb_s", "python_regex_stream16_mb_s"];

/// Returns Python's figures; where it cannot run, each says why.
pub(crate) fn figures(text: &str) -> Map<String, Value> {
    run(text).unwrap_or_else(|error| {
        let why = format!("{error:#}");
        FIGURES.into_iter().map(|figure| (figure.to_owned(), json!(why))).collect()
    })
}

fn run(text: &str) -> Result<Map<String, Value>> {
    let mut python = Command::new("python3")
        .args(["-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("python3 could not be started")?;
    // The text is far smaller than what Python reads before it answers; dropping it ends it.
    python.stdin.take().context("python3 takes no text")?.write_all(text.as_bytes())?;
    let output = python.wait_with_output()?;
    ensure!(output.status.success(), "python3 ended with {}", output.status);
    serde_json::from_slice(&output.stdout).context("python3 printed no figures")
}
