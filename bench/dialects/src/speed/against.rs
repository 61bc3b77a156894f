//! Our parser and another one on the same text, in turn.

use std::hint::black_box;

use serde_json::{Map, Value, json};
use toolsmith_dialects::{Settings, parse};

use super::{
    PIECE,
    clock::{Work, rounded, side_by_side},
    read_pieces,
    sample::{Sample, pieces},
};
use crate::{
    cases::{FORMATS, Format},
    peers::{Answer, Peer},
};

/// Formats of the corpus that are written as another one is.
const SAME_TEXT: [&str; 4] =
    ["hermes(granite4)", "TestFormatDetector", "step3p5(qwen3_coder-like)", "pythonic(llama4)"];

/// Returns the figures of every format that a peer shares with us.
pub(crate) fn figures() -> Value {
    let mut figures = Map::new();
    for peer in Peer::ALL {
        let formats = FORMATS.iter().filter(|format| !SAME_TEXT.contains(&format.name));
        let of_peer: Map<String, Value> = formats
            .filter_map(|format| Some((format.name.to_owned(), compare(peer, format)?)))
            .collect();
        figures.insert(peer.to_string(), of_peer.into());
    }
    figures.into()
}

fn compare(peer: Peer, format: &Format) -> Option<Value> {
    let sample = Sample::of(format.dialect).respelled(format.name);
    let mut reader = peer.reader(format, &sample.definitions)?;
    let answer = reader.whole(&sample.text);
    if let Some(problem) = problem(&sample, answer, format) {
        return Some(json!(problem));
    }
    let whole = || {
        black_box(parse(format.dialect, &sample.text, &sample.tools, &Settings::default()));
    };
    let their_whole = || {
        black_box(reader.whole(&sample.text)).ok();
    };
    let works: [Work<'_>; 2] = [Box::new(whole), Box::new(their_whole)];
    let [ours, theirs] = side_by_side(sample.text.len(), works);
    let mut figures = Map::new();
    insert(&mut figures, "whole", ours, theirs);
    let pieces = pieces(&sample.text, PIECE);
    match reader.stream(&pieces) {
        Ok(begun) if begun == sample.arguments.len() => {
            let stream = || read_pieces(format.dialect, &sample.tools, &pieces);
            let their_stream = || {
                black_box(reader.stream(&pieces)).ok();
            };
            let works: [Work<'_>; 2] = [Box::new(stream), Box::new(their_stream)];
            let [ours, theirs] = side_by_side(sample.text.len(), works);
            insert(&mut figures, "stream16", ours, theirs);
        }
        Ok(begun) => {
            figures.insert("stream16".to_owned(), json!(format!("it began {begun} calls of 10")));
        }
        Err(error) => {
            figures.insert("stream16".to_owned(), json!(error));
        }
    }
    Some(figures.into())
}

fn insert(figures: &mut Map<String, Value>, name: &str, ours: f64, theirs: f64) {
    let row = json!({
        "ours_mb_s": rounded(ours),
        "theirs_mb_s": rounded(theirs),
        "ratio": rounded(ours / theirs),
    });
    figures.insert(name.to_owned(), row);
}

/// Says why a comparison would be unfair: one side does not read all that is there.
fn problem(sample: &Sample, theirs: Result<Answer, String>, format: &Format) -> Option<String> {
    let reply = parse(format.dialect, &sample.text, &sample.tools, &Settings::default());
    if !reply.calls.iter().map(|call| &call.arguments).eq(&sample.arguments) {
        return Some("we do not read our own sample".to_owned());
    }
    match theirs {
        Err(error) => Some(error),
        Ok(answer) if answer.calls.iter().map(|(_, arguments)| arguments).eq(&sample.arguments) => {
            None
        }
        Ok(answer) => Some(format!("it reads {} calls of 10 as written", {
            answer.calls.iter().filter(|(_, it)| sample.arguments.contains(it)).count()
        })),
    }
}
