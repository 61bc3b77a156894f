//! Plain BM25, the way the published baseline of the sets was made.

use std::collections::{HashMap, HashSet};

use super::{
    judge::float,
    sets::{Set, Values},
};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// An index over all text of each tool as one bag of words.
pub(super) struct Bm25 {
    tools: usize,
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl Bm25 {
    /// Indexes name, description and parameters.
    pub(super) fn new(set: &Set) -> Self {
        let bags: Vec<Vec<String>> = set
            .tools
            .iter()
            .map(|tool| {
                let mut text = format!("{} {}", tool.name, tool.description);
                for (name, description) in tool.parameters(Values::Left) {
                    text.extend([" ", name, " ", &description]);
                }
                words(&text)
            })
            .collect();
        let average = float(bags.iter().map(Vec::len).sum()) / float(bags.len());
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        for (place, bag) in bags.iter().enumerate() {
            let mut counts: HashMap<&str, f64> = HashMap::new();
            for word in bag {
                *counts.entry(word).or_default() += 1.0;
            }
            let norm = K1 * (1.0 - B + B * float(bag.len()) / average);
            for (word, count) in counts {
                let impact = count * (K1 + 1.0) / (count + norm);
                postings.entry(word.to_owned()).or_default().push((place, impact));
            }
        }
        Self { tools: bags.len(), postings }
    }

    /// Returns the places of the ten best tools.
    pub(super) fn search(&self, question: &str) -> Vec<u32> {
        let mut scores = vec![0.0; self.tools];
        let mut seen = HashSet::new();
        for word in words(question) {
            let Some(holders) = self.postings.get(&word) else { continue };
            if !seen.insert(word) {
                continue;
            }
            let count = float(holders.len());
            let rarity = (1.0 + (float(self.tools) - count + 0.5) / (count + 0.5)).ln();
            for (place, impact) in holders {
                scores[*place] += rarity * impact;
            }
        }
        let mut found: Vec<u32> =
            (0..).zip(&scores).filter(|(_, score)| **score > 0.0).map(|(place, _)| place).collect();
        found.sort_by(|one, other| scores[*other as usize].total_cmp(&scores[*one as usize]));
        found.truncate(10);
        found
    }
}

/// Cuts a text at everything but ASCII letters and digits, and where a small letter meets a
/// capital one.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in text.chars() {
        let seam =
            (before.is_ascii_lowercase() || before.is_ascii_digit()) && letter.is_ascii_uppercase();
        if seam || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphanumeric()) {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}
