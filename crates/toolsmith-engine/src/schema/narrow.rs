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

/// How many lists and objects are cut.
const CUTS: usize = 64;

/// A part of an input that is still wrong, and where it was cut.
pub(super) struct Narrowed {
    /// What is left.
    pub(super) value: Value,
    /// The lists and objects that lost their ends, as JSON Pointers.
    pub(super) cut: HashSet<String>,
}

/// Cuts a wrong value to a small one that is wrong as well.
pub(super) fn narrowed(value: &Value, is_wrong: impl Fn(&Value) -> bool) -> Narrowed {
    let mut narrowed = Narrowed { value: value.clone(), cut: HashSet::new() };
    let mut tried = HashSet::new();
    for _ in 0..CUTS {
        let Some(path) = first_long(&narrowed.value, &mut String::new(), &tried) else { break };
        if cut(&mut narrowed.value, &path, &is_wrong) {
            narrowed.cut.insert(path.clone());
        }
        tried.insert(path);
    }
    narrowed
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
fn cut(whole: &mut Value, path: &str, is_wrong: &impl Fn(&Value) -> bool) -> bool {
    let Some(all) = whole.pointer(path).map(length) else { return false };
    let mut rest = Rest::default();
    let mut wrong_with = |whole: &mut Value, kept: usize| {
        if let Some(long) = whole.pointer_mut(path) {
            rest.put_back(long);
            rest.take_from(long, kept);
        }
        is_wrong(whole)
    };
    if wrong_with(whole, KEPT) {
        return true;
    }
    // Right with so many, wrong with so many: where it turns is the first item that matters.
    let (mut right, mut wrong) = (KEPT, all);
    while wrong - right > 1 {
        let middle = usize::midpoint(right, wrong);
        if wrong_with(whole, middle) {
            wrong = middle;
        } else {
            right = middle;
        }
    }
    wrong_with(whole, wrong);
    wrong < all
}

/// The end that was taken off a list or an object.
#[derive(Default)]
struct Rest {
    items: Vec<Value>,
    fields: Vec<(String, Value)>,
}

impl Rest {
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
            let narrowed = narrowed(&json!({"a": [1], "list": numbers(wrong)}), is_wrong);
            assert_eq!(length(&narrowed.value["list"]), left);
            assert_eq!(narrowed.cut.contains("/list"), left < 1_000);
            assert!(is_wrong(&narrowed.value));
        }
    }

    #[test]
    fn lists_inside_of_lists_and_objects_are_cut_too() {
        let rows: Vec<Value> =
            (0..200).map(|row| numbers(if row == 150 { 600 } else { 9_999 })).collect();
        let fields: Map<_, _> =
            rows.iter().enumerate().map(|(n, row)| (format!("n{n}"), row.clone())).collect();
        for value in [json!(rows), json!(fields)] {
            let narrowed = narrowed(&value, is_wrong);
            assert_eq!(length(&narrowed.value), 151);
            assert!(is_wrong(&narrowed.value));
        }
    }
}
