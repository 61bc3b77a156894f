//! Ranks the tools for a query.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use super::{index::Index, query::Query};

/// A tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The number under which the tool was put.
    pub id: u32,
    /// How well it answers; comparable within one search only.
    pub score: f32,
}

/// More than any words can give, so that an exact name comes first.
const EXACT: f32 = 10_000.0;

/// How many postings one search reads at most; the rarest terms are read first.
const POSTINGS: usize = 500_000;

/// Returns the best tools for a query, the best first.
pub(super) fn best(
    index: &Index,
    query: &Query,
    limit: usize,
    keep: impl Fn(u32) -> bool,
) -> Vec<Hit> {
    let scores = scores(index, query);
    let mut heap: BinaryHeap<Reverse<Ranked>> = BinaryHeap::new();
    let mut bar = 0.0;
    for (slot, score) in scores.iter().enumerate() {
        if score.total <= 0.0 || score.total < bar {
            continue;
        }
        let Some(id) = index.id_in(slot) else { continue };
        let ranked = Ranked(Hit { id, score: score.total });
        let full = heap.len() >= limit;
        if (full && heap.peek().is_none_or(|least| ranked <= least.0)) || !keep(id) {
            continue;
        }
        if full {
            heap.pop();
        }
        heap.push(Reverse(ranked));
        if heap.len() >= limit {
            bar = heap.peek().map_or(0.0, |least| least.0.0.score);
        }
    }
    let mut hits: Vec<Ranked> = heap.into_iter().map(|ranked| ranked.0).collect();
    hits.sort_unstable_by(|one, other| other.cmp(one));
    hits.into_iter().map(|ranked| ranked.0).collect()
}

/// What a tool has gathered.
#[derive(Clone, Copy, Default)]
struct Score {
    total: f32,
    /// What the concept in hand gave so far; of its terms only the best counts.
    best: f32,
    concept: u32,
}

fn scores(index: &Index, query: &Query) -> Vec<Score> {
    let mut scores = vec![Score::default(); index.width()];
    let mut left = POSTINGS;
    for (concept, number) in query.concepts.iter().zip(1..) {
        for (term, worth) in &concept.terms {
            let holders = index.holders(*term);
            let Some(rest) = left.checked_sub(holders.len()) else { continue };
            left = rest;
            let step = worth / 255.0;
            for posting in holders {
                let Some(score) = scores.get_mut(posting.slot() as usize) else { continue };
                let gain = step * f32::from(posting.impact());
                if score.concept != number {
                    *score = Score { total: score.total + gain, best: gain, concept: number };
                } else if gain > score.best {
                    *score = Score { total: score.total + gain - score.best, best: gain, ..*score };
                }
            }
        }
    }
    for posting in index.holders(query.name) {
        if let Some(score) = scores.get_mut(posting.slot() as usize) {
            score.total += EXACT;
        }
    }
    scores
}

/// A hit in order of rank: the higher score first, then the lower number.
struct Ranked(Hit);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.score.total_cmp(&other.0.score).then_with(|| other.0.id.cmp(&self.0.id))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}
