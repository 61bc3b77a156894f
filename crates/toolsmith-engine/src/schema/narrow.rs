//! Making a large wrong input small before its problems are told.
//!
//! The validator tells every error of every form of every item: a list of 100,000 wrong items can
//! take a gigabyte, to tell 100 problems. So long lists and objects are cut to their first items
//! as long as the input stays wrong, or to where it first becomes wrong. Places stay the same,
//! since only ends are cut off.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{bounds, problems::push_segment};

/// How many items a long list keeps: enough for as many problems as are told.
const KEPT: usize = bounds::PROBLEMS;

/// A part of an input that is still wrong, and where it was cut.
pub(super) struct Narrowed {
    /// What is left.
    pub(super) value: Value,
    /// The lists and objects that lost their ends, as JSON Pointers.
    pub(super) cut: HashSet<String>,
}

/// Cuts a wrong value to a small one that is wrong as well, with so many tries.
pub(super) fn narrowed(value: &Value, tries: u64, is_wrong: impl Fn(&Value) -> bool) -> Narrowed {
    let mut narrowed = Narrowed { value: value.clone(), cut: HashSet::new() };
    let mut tried = HashSet::new();
    let mut tries = Tries { left: tries, is_wrong };
    while tries.left > 0
        && let Some(path) = first_long(&narrowed.value, &mut String::new(), &tried)
    {
        if cut(&mut narrowed.value, &path, &mut tries) {
            narrowed.cut.insert(path.clone());
        }
        tried.insert(path);
    }
    narrowed
}

/// A question that may be asked so many times.
struct Tries<F> {
    left: u64,
    is_wrong: F,
}

impl<F: Fn(&Value) -> bool> Tries<F> {
    /// Tells whether a value is wrong; nothing when there are no tries left.
    fn is_wrong(&mut self, value: &Value) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        Some((self.is_wrong)(value))
    }
}

/// Finds a list or object that is long and was not tried yet, outer ones first.
fn first_long(value: &Value, path: &mut String, tried: &HashSet<String>) -> Option<String> {
    let is_long = length(value) > KEPT && !tried.contains(path.as_str());
    if is_long {
        return Some(path.clone());
    }
    let mut inside = |name: &str, inner: &Value| {
        let length = path.len();
        push_segment(path, name);
        let found = first_long(inner, path, tried);
        path.truncate(length);
        found
    };
    match value {
        Value::Array(items) => {
            let holds_more = |(_, item): &(usize, &Value)| length(item) > 0;
            let mut items = items.iter().enumerate().filter(holds_more);
            items.find_map(|(at, item)| inside(&at.to_string(), item))
        }
        Value::Object(fields) => {
            let mut fields = fields.iter().filter(|(_, field)| length(field) > 0);
            fields.find_map(|(name, field)| inside(name, field))
        }
        _ => None,
    }
}

/// Cuts one list or object as short as the whole stays wrong; tells whether anything went.
fn cut<F: Fn(&Value) -> bool>(whole: &mut Value, path: &str, tries: &mut Tries<F>) -> bool {
    let Some(all) = whole.pointer(path).map(length) else { return false };
    let mut rest = Rest::default();
    // Right with so many, wrong with so many: where it turns is the first item that matters.
    let (mut right, mut wrong) = (0, all);
    while wrong - right > 1 {
        let middle = if right == 0 { KEPT } else { usize::midpoint(right, wrong) };
        rest.keep(whole, path, middle);
        match tries.is_wrong(whole) {
            Some(true) if middle == KEPT => return true,
            Some(true) => wrong = middle,
            Some(false) => right = middle,
            None => break,
        }
    }
    rest.keep(whole, path, wrong);
    wrong < all
}

/// The end that was taken off a list or an object.
#[derive(Default)]
struct Rest {
    items: Vec<Value>,
    fields: Vec<(String, Value)>,
}

impl Rest {
    /// Leaves so many in the list or object at a place, and holds the others.
    fn keep(&mut self, whole: &mut Value, path: &str, kept: usize) {
        if let Some(long) = whole.pointer_mut(path) {
            self.put_back(long);
            self.take_from(long, kept);
        }
    }

    fn put_back(&mut self, long: &mut Value) {
        match long {
            Value::Array(items) => items.append(&mut self.items),
            Value::Object(fields) => fields.extend(self.fields.drain(..)),
            _ => {}
        }
    }

    fn take_from(&mut self, long: &mut Value, kept: usize) {
        match long {
            Value::Array(items) => self.items = items.split_off(kept.min(items.len())),
            Value::Object(fields) => {
                let mut all: Vec<_> = std::mem::take(fields).into_iter().collect();
                self.fields = all.split_off(kept.min(all.len()));
                *fields = Map::from_iter(all);
            }
            _ => {}
        }
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn numbers(wrong: usize) -> Value {
        (0..1_000).map(|n| if n == wrong { json!("x") } else { json!(n) }).collect()
    }

    fn is_wrong(value: &Value) -> bool {
        value.to_string().contains('x')
    }

    #[test]
    fn a_list_is_cut_behind_its_first_wrong_item() {
        for (wrong, left) in [(3, 100), (99, 100), (100, 101), (700, 701), (999, 1_000)] {
            let narrowed = narrowed(&json!({"a": [1], "list": numbers(wrong)}), 200, is_wrong);
            assert_eq!(length(&narrowed.value["list"]), left);
            assert_eq!(narrowed.cut.contains("/list"), left < 1_000);
            assert!(is_wrong(&narrowed.value));
        }
    }

    #[test]
    fn without_tries_the_value_stays_wrong() {
        for tries in 0..8 {
            let narrowed = narrowed(&json!([numbers(700)]), tries, is_wrong);
            assert!(is_wrong(&narrowed.value), "{tries}");
        }
    }

    #[test]
    fn lists_inside_of_lists_and_objects_are_cut_too() {
        let rows: Vec<Value> =
            (0..200).map(|row| numbers(if row == 150 { 600 } else { 9_999 })).collect();
        let fields: Map<_, _> =
            rows.iter().enumerate().map(|(n, row)| (format!("n{n}"), row.clone())).collect();
        for value in [json!(rows), json!(fields)] {
            let narrowed = narrowed(&value, 200, is_wrong);
            assert_eq!(length(&narrowed.value), 151);
            assert!(is_wrong(&narrowed.value));
        }
    }
}
