//! Measures how fast replies are read: usual ones and hostile ones, in megabytes a second.
//!
//! `cargo run --release -p toolsmith-dialects --example throughput`

use std::{
    io::{self, Write},
    time::Instant,
};

use serde_json::json;
use toolsmith_dialects::{Dialect, Parser, Settings, ShownCall, Tools, parse, render_calls};

/// How long each text is.
const SIZE: usize = 1 << 20;
/// The size of the pieces of a stream.
const PIECE: usize = 16;
/// What an attacker might repeat.
const HOSTILE: &[&str] = &[
    "<",
    "[",
    "{",
    "<a",
    "[a",
    "{\"",
    "{\"id\":",
    "[{\"type\":",
    "{\"name\": \"a\",",
    "<tool_call>",
    "<tool_call> ",
    "<|",
    "<think>",
    "</think>",
    "[a(",
    "[TOOL_CALLS]",
    "<invoke name=\"a\">",
    "<function_calls>",
    "<｜tool▁calls▁begin｜>",
    "data: {\n",
    "`{",
];

fn main() -> io::Result<()> {
    writeln!(io::stdout(), "{:28} {:>8} {:>8}", "MB/s", "whole", "pieces")?;
    for &dialect in std::iter::once(&Dialect::Auto).chain(Dialect::ALL) {
        line(dialect, &usual(dialect), dialect.as_str())?;
    }
    for unit in HOSTILE {
        line(Dialect::Auto, &unit.repeat(SIZE / unit.len()), &format!("auto {unit:?}"))?;
    }
    Ok(())
}

/// Writes prose and calls in turn.
fn usual(dialect: Dialect) -> String {
    let arguments =
        json!({"path": "notes/today.md", "content": "One line.\nAnother 观星阁. ".repeat(20)});
    let call = ShownCall { id: Some("call_1"), name: "write", arguments: &arguments };
    let unit = match render_calls(dialect, &[call], &tools()) {
        text if text.starts_with(['{', '[']) && !text.starts_with("[T") => text + "\n",
        text => format!("Let me write this down, for it is good to know.\n\n{text}\n"),
    };
    unit.repeat(SIZE / unit.len())
}

fn tools() -> Tools {
    let schema = json!({"properties": {"path": {"type": "string"}, "content": {"type": "string"}}});
    Tools::of_schemas([("write", &schema)])
}

fn line(dialect: Dialect, text: &str, label: &str) -> io::Result<()> {
    let whole = speed(text, || {
        parse(dialect, text, &tools(), &Settings::default());
    });
    let pieces = speed(text, || {
        let mut parser = Parser::new(dialect, tools(), Settings::default());
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.ceil_char_boundary(PIECE.min(rest.len())));
            parser.push_with(piece, &mut |_| {});
            rest = behind;
        }
        parser.finish_with(&mut |_| {});
    });
    writeln!(io::stdout(), "{label:28} {whole:8.1} {pieces:8.1}")
}

/// Returns the best of three runs, in megabytes a second.
#[expect(clippy::cast_precision_loss, reason = "a text is far shorter than 2^52 bytes")]
fn speed(text: &str, mut read: impl FnMut()) -> f64 {
    let times = (0..3).map(|_| {
        let start = Instant::now();
        read();
        start.elapsed().as_secs_f64()
    });
    text.len() as f64 / 1e6 / times.fold(f64::MAX, f64::min)
}
