//! Hostile texts are read in linear time, in one piece and in small ones.

use std::time::{Duration, Instant};

use toolsmith_dialects::{Dialect, Parser, Settings, Tools};

/// What an attacker might repeat.
const UNITS: &[&str] = &[
    "<",
    "{",
    "[",
    "\\",
    "\"",
    "`",
    " ",
    "{\"",
    "[{\"a\":",
    "<tool_call>",
    "<tool_call>{\"name\": \"a\", ",
    "<function=a><parameter=b>",
    "</parameter>",
    "</parameter> ",
    "<tool_call>a<arg_key>b</arg_key><arg_value>",
    "</arg_value> ",
    "<|tool_call_begin|>a",
    "<|tool_call_begin|>a:0<|tool_call_argument_begin|>{",
    "[TOOL_CALLS]",
    "[TOOL_CALLS]a",
    "[TOOL_CALLS][{",
    "[a(",
    "[a(b=[",
    "{\"name\": \"a\", \"parameters\": ",
    "<|channel|>a",
    "<|channel|>a to=b<|message|>{",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>a<｜tool▁sep｜>",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"a\",\"arguments\":\"{\"}}]}}]}\n",
];

fn time(dialect: Dialect, text: &str) -> Duration {
    let mut parser = Parser::new(dialect, Tools::none(), Settings::default());
    let chars: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let start = Instant::now();
    for cut in chars.chunks(16) {
        let (from, to) = (cut[0], cut[cut.len() - 1]);
        let to = text[to..].chars().next().map_or(to, |last| to + last.len_utf8());
        parser.push_with(&text[from..to], &mut |_| {});
    }
    parser.finish_with(&mut |_| {});
    start.elapsed()
}

#[test]
fn twice_the_hostile_text_takes_about_twice_the_time() {
    for unit in UNITS {
        for &dialect in std::iter::once(&Dialect::Auto).chain(Dialect::ALL) {
            let text = unit.repeat(16_000 / unit.len());
            let longer = text.repeat(8);
            // Eight times the text: 8 when linear, 64 when quadratic. Machines are noisy, so one
            // calm moment out of several is enough.
            let is_linear = (0..8).any(|_| {
                let once = time(dialect, &text).max(Duration::from_micros(200));
                time(dialect, &longer) < once * 20
            });
            assert!(is_linear, "{dialect} with {unit:?}");
        }
    }
}

#[test]
#[ignore = "prints"]
fn measure() {
    for unit in UNITS {
        for &dialect in Dialect::ALL {
            let text = unit.repeat(1_000_000 / unit.len());
            let once = (0..3).map(|_| time(dialect, &text)).min().unwrap();
            let longer = text.repeat(8);
            let more = (0..2).map(|_| time(dialect, &longer)).min().unwrap();
            let ratio = more.as_secs_f64() / once.as_secs_f64();
            let mbs = longer.len() as f64 / 1e6 / more.as_secs_f64();
            if ratio > 11.0 { println!("{dialect} {unit:?}: ratio {ratio:.1}, {mbs:.1} MB/s"); }
        }
    }
}
