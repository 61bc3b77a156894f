//! Shows parameters under names that a provider takes.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    NameRule,
    names::free_name,
    schema::{Changes, DATA, each_schema, escaped},
};
use crate::guise::{Keys, Reach};

/// The keys whose values are lists of names, or lists of names by name.
const LISTS: [&str; 3] = ["required", "propertyOrdering", "dependentRequired"];
/// The keys whose members go by the names of properties.
const BY_NAME: [&str; 4] = ["properties", "dependentRequired", "dependentSchemas", "dependencies"];

/// Tells whether there are names that the rule does not allow.
pub(super) fn are_illegal(schema: &mut Value, rule: NameRule, reach: Reach) -> bool {
    let mut is_found = false;
    each_object(schema, reach, &mut |fields, _| {
        let properties = fields.get("properties").and_then(Value::as_object);
        is_found |= properties.into_iter().flat_map(Map::keys).any(|name| !rule.is_legal(name));
    });
    is_found
}

/// Renames what the rule does not allow; returns what is shown, and what it is.
pub(super) fn rename(
    schema: &mut Value,
    rule: NameRule,
    reach: Reach,
    changes: &mut Changes,
) -> Keys {
    let (mut known, mut illegal) = (HashSet::new(), Vec::new());
    each_object(schema, reach, &mut |fields, path| {
        let properties = fields.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys) {
            if rule.is_legal(name) {
                known.insert(name.clone());
            } else {
                illegal.push((name.clone(), format!("{path}/properties/{}", escaped(name))));
            }
        }
    });
    let mut keys = Keys::default();
    for (name, path) in illegal {
        let shown = match keys.shown(&name) {
            Some(shown) => shown.to_owned(),
            None => {
                let shown = free_name(&name, rule, |shown| known.contains(shown));
                known.insert(shown.clone());
                keys.add(&shown, &name);
                shown
            }
        };
        let message = format!("the provider does not take this name; it is shown as `{shown}`");
        changes.push((path, message));
    }
    if !keys.is_empty() {
        each_object(schema, reach, &mut |fields, _| rename_object(fields, &keys, reach));
    }
    keys
}

fn each_object(
    schema: &mut Value,
    reach: Reach,
    visit: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    match (reach, schema) {
        (Reach::Top, Value::Object(fields)) => visit(fields, ""),
        (Reach::All, schema) => each_schema(schema, "", visit),
        (Reach::Top, _) => {}
    }
}

fn rename_object(fields: &mut Map<String, Value>, keys: &Keys, reach: Reach) {
    for key in BY_NAME {
        if let Some(members) = fields.get_mut(key) {
            *members = keys.shown_in(members.take(), Reach::Top);
        }
    }
    for key in LISTS {
        match fields.get_mut(key) {
            Some(Value::Array(names)) => rename_list(names, keys),
            Some(Value::Object(lists)) => {
                for names in lists.values_mut().filter_map(Value::as_array_mut) {
                    rename_list(names, keys);
                }
            }
            _ => {}
        }
    }
    for key in DATA {
        match fields.get_mut(key) {
            // These are lists of values.
            Some(Value::Array(values)) if matches!(key, "enum" | "examples") => {
                for value in values {
                    *value = keys.shown_in(value.take(), reach);
                }
            }
            Some(value) => *value = keys.shown_in(value.take(), reach),
            None => {}
        }
    }
}

fn rename_list(names: &mut [Value], keys: &Keys) {
    for name in names {
        if let Some(shown) = name.as_str().and_then(|name| keys.shown(name)) {
            *name = Value::String(shown.to_owned());
        }
    }
}
