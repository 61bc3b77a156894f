//! Measures how fast XML is read: a whole reply, in pieces of 16 bytes, and hostile texts.
//!
//! `cargo run --release -p toolsmith-dialects --example throughput`

#![expect(clippy::print_stdout, reason = "it prints its measurements")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use serde_json::json;
use toolsmith_dialects::{Dialect, Parser, Settings, Tools, parse};

/// How long each measurement lasts.
const LASTS: Duration = Duration::from_millis(600);

/// How large hostile texts are; they are measured at this size and at half of it.
const HOSTILE: usize = 20_000_000;

fn main() {
    let tools = tools();
    let text = reply();
    println!("reply of {} bytes with ten calls", text.len());
    let whole = rate(&text, |text| {
        black_box(parse(Dialect::Xml, text, &tools, &Settings::default()));
    });
    println!("xml_mb_s            {whole:8.0}");
    let pieces = rate(&text, |text| {
        let mut parser = Parser::new(Dialect::Xml, tools.clone(), Settings::default());
        for piece in text.as_bytes().chunks(16) {
            // The reply is ASCII, so every cut is a boundary of characters.
            let piece = std::str::from_utf8(piece).unwrap_or_default();
            parser.push_with(piece, &mut |event| {
                black_box(event);
            });
        }
        parser.finish_with(&mut |event| {
            black_box(event);
        });
    });
    println!("xml_stream16_mb_s   {pieces:8.0}");
    hostile(&tools);
}

fn hostile(tools: &Tools) {
    let open = "<function_calls><invoke name=\"x\"><parameter name=\"a\">";
    let mut worst: f64 = 0.0;
    for (name, before, unit) in [
        ("<", "", "<"),
        ("< in a value", open, "<"),
        ("unclosed invokes", "", "<invoke name=\"x\">"),
        ("unclosed invokes in a value", open, "<invoke name=\"x\">"),
        ("unclosed calls", "", "<invoke name=\"x\"><parameter name=\"a\">"),
        ("nested parameters", open, "<parameter name=\"b\">"),
        ("end tags in a value", open, "</parameter> "),
        ("end tags", "", "</invoke>"),
        ("backslashes", open, "\\"),
        ("spaces behind an end tag", "<function_calls><invoke name=\"x\"><parameter name=\"a\"></parameter>", " "),
        ("long heads", "", "<invoke name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "),
        ("backticks", "", "`"),
        ("nested brackets as JSON", "<function_calls><invoke name=\"add\"><parameter name=\"list\">", "["),
    ] {
        let time = |len: usize| {
            let text = format!("{before}{}", unit.repeat(len / unit.len()));
            let runs = (0..7).map(|_| {
                let start = Instant::now();
                black_box(parse(Dialect::Xml, &text, tools, &Settings::default()));
                start.elapsed()
            });
            runs.min().unwrap_or_default().as_secs_f64()
        };
        let (half, full) = (time(HOSTILE / 2), time(HOSTILE));
        worst = worst.max(full / half);
        println!("{name:28} {:6.1} ms, doubling {:.2}", full * 1e3, full / half);
    }
    println!("hostile_doubling_worst {worst:.2}");
}

/// Returns megabytes a second, in the best of many short runs: the machine may be busy.
fn rate(text: &str, mut read: impl FnMut(&str)) -> f64 {
    const BATCH: u32 = 20;
    let start = Instant::now();
    let mut best = f64::MAX;
    while start.elapsed() < LASTS {
        let batch = Instant::now();
        for _ in 0..BATCH {
            read(black_box(text));
        }
        best = best.min(batch.elapsed().as_secs_f64());
    }
    #[expect(clippy::cast_precision_loss, reason = "a size of some kilobytes")]
    let bytes = text.len() as f64 * f64::from(BATCH);
    bytes / best / 1e6
}

fn tools() -> Tools {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "count": {"type": "integer"},
            "content": {"type": "string"},
            "list": {"type": "array"},
        },
    });
    Tools::of_schemas([("write_file", &schema), ("add", &schema)])
}

fn reply() -> String {
    let line = "for (int i = 0; i < n; i++) { total += values[i] * weights[i]; } // sum it up\n";
    let call = format!(
        "<invoke name=\"write_file\">\n<parameter name=\"path\">/src/main.c</parameter>\n<parameter name=\"count\">12</parameter>\n<parameter name=\"content\">{}</parameter>\n</invoke>\n",
        line.repeat(5)
    );
    format!("I will write the files.\n<function_calls>\n{}</function_calls>\nDone.", call.repeat(10))
}
