//! The order in which problems are told.

use std::{cmp::Ordering, collections::HashMap};

use toolsmith_core::{Problem, ProblemKind};

use super::problems::is_top;

/// Compares two problems: as declared, then by place, unknown parameters last.
pub(super) fn in_order(a: &Problem, b: &Problem, ranks: &HashMap<&str, usize>) -> Ordering {
    let is_extra = |p: &Problem| p.kind == ProblemKind::ExtraParameter && is_top(&p.path);
    match (is_extra(a), is_extra(b)) {
        // The validator names them in the order of the input, and sorting keeps it.
        (true, true) => return Ordering::Equal,
        (false, false) => {}
        (a, b) => return a.cmp(&b),
    }
    let rank = |p: &Problem| match ranks.get(p.parameter.as_str()) {
        Some(rank) => (0, *rank),
        // What concerns the whole comes after its parameters.
        None => (if p.path.is_empty() { 2 } else { 1 }, 0),
    };
    rank(a).cmp(&rank(b)).then_with(|| by_place(&a.path, &b.path))
}

/// Compares two JSON Pointers name by name, item numbers as numbers.
fn by_place(a: &str, b: &str) -> Ordering {
    let number = |segment: &str| segment.parse::<u64>().ok();
    let (mut a, mut b) = (a.split('/'), b.split('/'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (Some(a), Some(b)) => match (number(a), number(b)) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => a.cmp(b),
            },
            (a, b) => a.cmp(&b),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Tells whether two neighbours in the list are the same problem, found by two ways.
pub(super) fn is_repeated(a: &Problem, b: &Problem) -> bool {
    let is_missing = a.kind == ProblemKind::MissingRequired;
    a.kind == b.kind && a.path == b.path && (is_missing || a.message == b.message)
}
