//! Functions of any number of numbers.

use super::Computed;
use crate::calculator::number::Number;

pub(super) fn min(first: Number, rest: &[Number]) -> Number {
    sorted(first, rest).first().copied().unwrap_or(first)
}

pub(super) fn max(first: Number, rest: &[Number]) -> Number {
    sorted(first, rest).last().copied().unwrap_or(first)
}

pub(super) fn sum(first: Number, rest: &[Number]) -> Computed {
    rest.iter().try_fold(first, |sum, &x| sum.add(x))
}

pub(super) fn mean(first: Number, rest: &[Number]) -> Computed {
    sum(first, rest)?.divide(count(rest.len() + 1))
}

pub(super) fn median(first: Number, rest: &[Number]) -> Computed {
    let sorted = sorted(first, rest);
    let upper = sorted.get(sorted.len() / 2).copied().unwrap_or(first);
    if sorted.len() % 2 == 1 {
        return Ok(upper);
    }
    let lower = sorted.get(sorted.len() / 2 - 1).copied().unwrap_or(first);
    mean(lower, &[upper])
}

/// Sorts exactly where all numbers are exact; a mixture has an order only as floats.
fn sorted(first: Number, rest: &[Number]) -> Vec<Number> {
    let exact = |number: &Number| match number {
        Number::Exact(ratio) => Some(*ratio),
        Number::Float(_) => None,
    };
    let numbers = std::iter::once(&first).chain(rest);
    if let Some(mut ratios) = numbers.clone().map(exact).collect::<Option<Vec<_>>>() {
        ratios.sort_unstable();
        return ratios.into_iter().map(Number::Exact).collect();
    }
    let mut mixed: Vec<Number> = numbers.copied().collect();
    mixed.sort_by(|left, right| left.to_f64().total_cmp(&right.to_f64()));
    mixed
}

fn count(length: usize) -> Number {
    i64::try_from(length).unwrap_or(i64::MAX).into()
}
