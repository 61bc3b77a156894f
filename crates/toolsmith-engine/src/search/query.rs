//! Reads a query: which terms are looked up, with what weight.

use std::collections::HashSet;

use super::{
    document::start_of,
    index::Index,
    synonyms::synonyms,
    terms::Term,
    tokens::{self, Kind},
};

/// How much of a query is read; nobody asks for a tool in more words.
const LONGEST: usize = 4_096;

/// How many words of a query count; the most telling ones stay.
const MOST: usize = 48;

/// How many words that nobody holds are guessed at.
const GUESSED: usize = 4;

/// What words of the same meaning count, against the word itself.
const SYNONYM: f32 = 0.35;

/// What the words a strange one may have meant count.
const GUESS: f32 = 0.5;

/// What two neighbouring words of a name count on top of the words themselves.
const PAIR: f32 = 0.5;

/// What a number counts: it is a value more often than the subject.
const NUMBER: f32 = 0.3;

/// What a compound counts on top of its parts.
const COMPOUND: f32 = 0.5;

/// What one character of a script without spaces counts; it is part of many words.
const SINGLE: f32 = 0.3;

/// A query, ready to be answered.
#[derive(Debug)]
pub(super) struct Query {
    /// The name that the whole query would be.
    pub(super) name: Term,
    /// What is asked for, the most telling first.
    pub(super) concepts: Vec<Concept>,
}

/// One thing that is asked for, in all the terms that say it.
#[derive(Debug)]
pub(super) struct Concept {
    /// Each term with what it is worth at most, the best first.
    pub(super) terms: Vec<(Term, f32)>,
}

/// Reads a query against an index; only terms that some tool holds stay.
pub(super) fn read(text: &str, index: &Index) -> Query {
    let text = start_of(text, LONGEST);
    let mut name = String::new();
    tokens::compact(text, &mut name);
    let words = words(text);
    let mut guesses_left = GUESSED;
    let mut concepts: Vec<Concept> =
        words.iter().filter_map(|word| concept(word, index, &mut guesses_left)).collect();
    concepts.sort_by(|one, other| other.worth().total_cmp(&one.worth()));
    concepts.truncate(MOST);
    Query { name: Term::name(&name), concepts }
}

impl Concept {
    fn worth(&self) -> f32 {
        self.terms.first().map_or(0.0, |(_, worth)| *worth)
    }
}

/// A word of the query.
struct Word {
    term: Term,
    weight: f32,
    /// The word itself where it may be misspelt.
    spelling: Option<Box<str>>,
}

/// Returns the different words of a query in their order, and its pairs of neighbours.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut seen = HashSet::new();
    let mut before = None;
    tokens::tokens(text, |kind, token| {
        let term = Term::token(token);
        let weight = match kind {
            Kind::Word | Kind::Pair => 1.0,
            Kind::Number => NUMBER,
            Kind::Compound => COMPOUND,
            Kind::Single => SINGLE,
        };
        if seen.insert(term) {
            let spelling = (kind == Kind::Word).then(|| token.into());
            words.push(Word { term, weight, spelling });
        }
        if kind != Kind::Word {
            return;
        }
        if let Some(before) = before.replace(term) {
            let term = Term::pair(before, term);
            if seen.insert(term) {
                words.push(Word { term, weight: PAIR, spelling: None });
            }
        }
    });
    words
}

fn concept(word: &Word, index: &Index, guesses_left: &mut usize) -> Option<Concept> {
    let mut terms = vec![(word.term, word.weight)];
    terms.extend(synonyms(word.term).iter().map(|term| (*term, word.weight * SYNONYM)));
    let mut terms = worths(&terms, index);
    if let (true, Some(strange), 1..) = (terms.is_empty(), &word.spelling, *guesses_left) {
        *guesses_left -= 1;
        let guesses: Vec<_> =
            index.guesses(strange).into_iter().map(|term| (term, word.weight * GUESS)).collect();
        terms = worths(&guesses, index);
    }
    (!terms.is_empty()).then_some(Concept { terms })
}

/// Multiplies weights by how rare the terms are; terms that nobody holds fall out.
fn worths(terms: &[(Term, f32)], index: &Index) -> Vec<(Term, f32)> {
    let tools = float(index.len());
    let mut worths: Vec<(Term, f32)> = terms
        .iter()
        .filter_map(|(term, weight)| {
            let holders = index.holders(*term).len();
            let rarity = (1.0 + (tools - float(holders) + 0.5) / (float(holders) + 0.5)).ln();
            (holders > 0).then_some((*term, weight * rarity))
        })
        .collect();
    worths.sort_by(|one, other| other.1.total_cmp(&one.1));
    worths
}

#[expect(clippy::cast_precision_loss, reason = "a count of tools below 16 million is exact")]
fn float(count: usize) -> f32 {
    count as f32
}
