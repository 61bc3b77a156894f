//! How fast the dialects are read, beside Python and two other parsers, and what hostile text does.

mod against;
mod clock;
mod hostile;
mod inputs;
mod python;
mod sample;

use std::{hint::black_box, io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::{Map, Value, json};
use toolsmith_dialects::{Dialect, Parser, Settings, Tools, parse};

use self::{
    clock::{Work, rounded, side_by_side},
    sample::{Sample, pieces},
};

/// The size of the pieces in which a stream arrives.
const PIECE: usize = 16;

/// Prints the figures; `without` says why the peers are not there.
pub(crate) fn bench(without: Option<&str>) -> Result<ExitCode> {
    let sample = Sample::xml();
    let mut figures = ours(&sample);
    figures.append(&mut python::figures(&sample.text));
    for (ratio, theirs) in
        [("xml_to_elementtree", "python_elementtree_mb_s"), ("xml_to_regex", "python_regex_mb_s")]
    {
        let ours = figures.get("xml_mb_s").and_then(Value::as_f64);
        let theirs = figures.get(theirs).and_then(Value::as_f64);
        let both = ours.zip(theirs).map(|(ours, theirs)| rounded(ours / theirs));
        figures.insert(ratio.to_owned(), json!(both));
    }
    figures.append(&mut hostile::figures());
    let peers = without.map_or_else(against::figures, |reason| json!(reason));
    figures.insert("peers".to_owned(), peers);
    let text = serde_json::to_string_pretty(&figures)?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}

fn ours(sample: &Sample) -> Map<String, Value> {
    let pieces = pieces(&sample.text, PIECE);
    let whole = || {
        black_box(parse(Dialect::Xml, &sample.text, &sample.tools, &Settings::default()));
    };
    let stream = || read_pieces(Dialect::Xml, &sample.tools, &pieces);
    let works: [Work<'_>; 2] = [Box::new(whole), Box::new(stream)];
    let rates = side_by_side(sample.text.len(), works);
    let mut figures = Map::new();
    figures.insert("reply_bytes".to_owned(), json!(sample.text.len()));
    let five = Sample::of(Dialect::Xml);
    let whole = || {
        black_box(parse(Dialect::Xml, &five.text, &five.tools, &Settings::default()));
    };
    let [rate] = side_by_side(five.text.len(), [Box::new(whole)]);
    figures.insert("xml_five_parameters_mb_s".to_owned(), json!(rounded(rate)));
    for (name, rate) in ["xml_mb_s", "xml_stream16_mb_s"].into_iter().zip(rates) {
        figures.insert(name.to_owned(), json!(rounded(rate)));
    }
    figures
}

/// Reads a text in pieces and looks at every event.
fn read_pieces(dialect: Dialect, tools: &Tools, pieces: &[&str]) {
    let mut parser = Parser::new(dialect, tools.clone(), Settings::default());
    for piece in pieces {
        parser.push_with(piece, &mut |event| {
            black_box(event);
        });
    }
    parser.finish_with(&mut |event| {
        black_box(event);
    });
}
