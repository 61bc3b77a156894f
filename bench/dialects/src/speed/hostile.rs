//! Hostile text in every dialect: twice the text must not take much more than twice the time.

use serde_json::{Map, Value, json};
use toolsmith_dialects::{Dialect, Tools};

use super::{
    clock::{mb_s, median, rounded, seconds},
    inputs::{self, Input},
    read_pieces,
    sample::pieces,
};

const MEGABYTE: usize = 1_000_000;

/// How closely an attack is looked at.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// The size; twice as much is read too.
    bytes: usize,
    /// How often both are read.
    times: usize,
    /// Seconds: a run that takes longer is not made larger.
    longest: f64,
}

const FIRST: Look = Look { bytes: MEGABYTE / 4, times: 3, longest: 0.1 };
const LAST: Look = Look { bytes: 5 * MEGABYTE, times: 5, longest: 0.5 };

/// Where growing begins.
const SMALLEST: usize = MEGABYTE / 64;

/// How many are measured again: those that grow fastest, and those that are slowest.
const AGAIN: usize = 10;

/// Twice the text in more than this is not linear.
const LIMIT: f64 = 2.3;

/// What grows more than this and is slow, in MB/s, would take minutes at the full size.
const PLAINLY_OVER: f64 = 3.0;
const SLOW: f64 = 10.0;

/// The size of the pieces of a hostile stream.
const PIECE: usize = 64;

/// What every dialect is asked to show linear, whatever the first look says.
const NAMED: [&str; 4] = ["<", "unclosed invokes", "nested tags", "backslashes"];

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Whole,
    Pieces,
}

/// A dialect, a text and a way to read it.
#[derive(Clone, Copy, Debug)]
struct Attack {
    dialect: Dialect,
    input: &'static Input,
    mode: Mode,
}

/// How long an attack took at a size and at twice the size.
#[derive(Clone, Copy, Debug)]
struct Growth {
    attack: Attack,
    bytes: usize,
    ratio: f64,
    mb_s: f64,
}

/// Returns the worst growth and the slowest rate.
pub(crate) fn figures() -> Map<String, Value> {
    let first: Vec<Growth> = attacks().map(|attack| measure(attack, &FIRST)).collect();
    let (plain, unsure): (Vec<Growth>, Vec<Growth>) = again(&first)
        .into_iter()
        .partition(|growth| growth.ratio > PLAINLY_OVER && growth.mb_s < SLOW);
    let last = unsure.into_iter().map(|growth| measure(growth.attack, &LAST));
    let finals: Vec<Growth> = plain.into_iter().chain(last).collect();
    let worst = finals.iter().max_by(|one, other| one.ratio.total_cmp(&other.ratio));
    let slowest = finals.iter().min_by(|one, other| one.mb_s.total_cmp(&other.mb_s));
    let over: Vec<String> =
        finals.iter().filter(|growth| growth.ratio > LIMIT).map(Growth::name).collect();
    let mut figures = Map::new();
    let mut put = |name: &str, value: Value| figures.insert(name.to_owned(), value);
    put("hostile_attacks", json!(first.len()));
    put("hostile_doubling_worst", json!(worst.map(|growth| rounded(growth.ratio))));
    put("hostile_doubling_worst_of", json!(worst.map(Growth::name)));
    put("hostile_over_limit", json!(over));
    put("hostile_slowest_mb_s", json!(slowest.map(|growth| rounded(growth.mb_s))));
    put("hostile_slowest_of", json!(slowest.map(Growth::name)));
    figures
}

fn attacks() -> impl Iterator<Item = Attack> {
    let dialects = std::iter::once(&Dialect::Auto).chain(Dialect::ALL);
    dialects.flat_map(|&dialect| {
        inputs::of(dialect).flat_map(move |input| {
            [Mode::Whole, Mode::Pieces].map(|mode| Attack { dialect, input, mode })
        })
    })
}

/// Chooses what is measured again, larger and more often.
fn again(first: &[Growth]) -> Vec<Growth> {
    let mut by_ratio: Vec<&Growth> = first.iter().collect();
    by_ratio.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let mut by_rate: Vec<&Growth> = first.iter().collect();
    by_rate.sort_by(|one, other| one.mb_s.total_cmp(&other.mb_s));
    let named = first.iter().filter(|growth| {
        let Attack { dialect, input, mode } = growth.attack;
        dialect == Dialect::Xml && mode == Mode::Whole && NAMED.contains(&input.name)
    });
    let grown = by_ratio.into_iter().take(AGAIN);
    grown.chain(by_rate.into_iter().take(AGAIN)).chain(named).copied().collect()
}

fn measure(attack: Attack, look: &Look) -> Growth {
    let bytes = affordable(attack, look);
    let (single, double) = (attack.input.text(bytes), attack.input.text(2 * bytes));
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..look.times {
        times.0.push(attack.run(&single));
        times.1.push(attack.run(&double));
    }
    let (once, twice) = (median(times.0), median(times.1));
    Growth { attack, bytes, ratio: twice / once, mb_s: mb_s(2 * bytes, twice) }
}

/// Returns the size that is measured: smaller where the parser is too slow for it.
fn affordable(attack: Attack, look: &Look) -> usize {
    let mut bytes = SMALLEST;
    while bytes < look.bytes && attack.run(&attack.input.text(bytes)) < look.longest {
        bytes = (bytes * 2).min(look.bytes);
    }
    bytes
}

impl Attack {
    fn run(&self, text: &str) -> f64 {
        let tools = Tools::none();
        match self.mode {
            // The events are looked at and dropped: a list of millions of calls measures memory.
            Mode::Whole => seconds(|| read_pieces(self.dialect, &tools, &[text])),
            Mode::Pieces => {
                let pieces = pieces(text, PIECE);
                seconds(|| read_pieces(self.dialect, &tools, &pieces))
            }
        }
    }
}

impl Growth {
    fn name(&self) -> String {
        let Attack { dialect, input, mode } = self.attack;
        let mode = match mode {
            Mode::Whole => "whole",
            Mode::Pieces => "in pieces",
        };
        let (bytes, ratio) = (self.bytes, rounded(self.ratio));
        format!(
            "{dialect}: {}, {mode}, {bytes} bytes and twice as many: {ratio} times the time, {} MB/s",
            input.name,
            rounded(self.mb_s)
        )
    }
}
