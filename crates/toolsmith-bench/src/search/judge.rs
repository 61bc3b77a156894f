//! Asks all questions of a set and counts what was found.

use std::time::Instant;

use super::sets::Set;

/// Which questions are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// All.
    Both,
    /// Those about one half of the tools: the half on which parameters were chosen.
    First,
    /// Those about the other half.
    Second,
}

/// What came out.
#[derive(Debug)]
pub(super) struct Figures {
    /// How many questions were asked.
    pub(super) questions: usize,
    /// The share of the right tools among the first 1, 5 and 10.
    pub(super) recall: [f64; 3],
    /// The share of questions with a right tool among the first 5.
    pub(super) any: f64,
    /// The median time of a search, in microseconds.
    pub(super) median: f64,
    /// The 99th percentile of it.
    pub(super) slow: f64,
}

/// Asks the questions of a set; `search` returns the places of ten tools, the best first.
pub(super) fn judge(set: &Set, half: Half, search: impl Fn(&str) -> Vec<u32>) -> Figures {
    let mut recall = [0.0; 3];
    let mut any = 0.0;
    let mut times = Vec::new();
    let asked = set.questions.iter().filter(|question| match half {
        Half::Both => true,
        Half::First => question.in_first_half,
        Half::Second => !question.in_first_half,
    });
    for question in asked {
        let start = Instant::now();
        let found = search(&question.text);
        times.push(start.elapsed().as_secs_f64() * 1e6);
        for (sum, depth) in recall.iter_mut().zip([1, 5, 10]) {
            *sum += question.share_in(found.get(..depth).unwrap_or(&found));
        }
        any += f64::from(question.share_in(found.get(..5).unwrap_or(&found)) > 0.0);
    }
    times.sort_by(f64::total_cmp);
    let questions = times.len();
    let count = float(questions.max(1));
    let at = |share: usize| times.get(questions * share / 100).copied().unwrap_or_default();
    Figures {
        questions,
        recall: recall.map(|sum| sum / count),
        any: any / count,
        median: at(50),
        slow: at(99),
    }
}

/// Makes a count a number to divide by.
#[expect(clippy::cast_precision_loss, reason = "no set has as many questions as that")]
pub(super) fn float(count: usize) -> f64 {
    count as f64
}
