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

/// How large hostile texts are; they are measured from an eighth of that up, in three doublings.
///
/// The median of the three counts: a text that no longer fits the cache takes more than twice the
/// time of its half, and that is the machine's doing.
const HOSTILE: usize = 10_000_000;

/// How long a hostile text takes at least, in seconds, where the parser and not memory is measured.
const COPYING: f64 = 0.005;

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
    let short = short_values();
    let rate = rate(&short, |text| {
        black_box(parse(Dialect::Xml, text, &tools, &Settings::default()));
    });
    println!("{} bytes with ten calls of five short values: {rate:.0} MB/s", short.len());
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
        (
            "backslashes in JSON",
            "<function_calls><invoke name=\"add\"><parameter name=\"list\">[\"",
            "\\",
        ),
        (
            "spaces behind an end tag",
            "<function_calls><invoke name=\"x\"><parameter name=\"a\"></parameter>",
            " ",
        ),
        ("long heads", "", "<invoke name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "),
        ("backticks", "", "`"),
        (
            "nested brackets as JSON",
            "<function_calls><invoke name=\"add\"><parameter name=\"list\">",
            "[",
        ),
    ] {
        let text = format!("{before}{}", unit.repeat(HOSTILE / unit.len()));
        let times = [8, 4, 2, 1].map(|part| {
            let part = text.get(..text.len() / part).unwrap_or_default();
            least_time(part, |text| {
                black_box(parse(Dialect::Xml, text, tools, &Settings::default()));
            })
        });
        let mut doublings = [times[1] / times[0], times[2] / times[1], times[3] / times[2]];
        doublings.sort_unstable_by(f64::total_cmp);
        if times[3] > COPYING {
            worst = worst.max(doublings[1]);
        }
        println!("{name:28} {:6.1} ms, doublings {doublings:.2?}", times[3] * 1e3);
    }
    println!("hostile_doubling_worst {worst:.2}");
}

/// Returns the least time in seconds that reading a text took, in several runs.
fn least_time(text: &str, mut read: impl FnMut(&str)) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..12 {
        let start = Instant::now();
        read(black_box(text));
        least = least.min(start.elapsed().as_secs_f64());
    }
    least
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

fn short_values() -> String {
    let value = "a value of some eighty characters, as most of them are in the replies of models";
    let names = ["path", "content", "owner", "title", "comment"];
    let parameters = names.map(|name| format!("<parameter name=\"{name}\">{value}</parameter>\n"));
    let call = format!("<invoke name=\"write_file\">\n{}</invoke>\n", parameters.concat());
    format!("I will.\n<function_calls>\n{}</function_calls>", call.repeat(10))
}

fn reply() -> String {
    let line = "for (int i = 0; i < n; i++) { total += values[i] * weights[i]; } // sum it up\n";
    let call = format!(
        "<invoke name=\"write_file\">\n<parameter name=\"path\">/src/main.c</parameter>\n<parameter name=\"count\">12</parameter>\n<parameter name=\"content\">{}</parameter>\n</invoke>\n",
        line.repeat(5)
    );
    format!(
        "I will write the files.\n<function_calls>\n{}</function_calls>\nDone.",
        call.repeat(10)
    )
}
