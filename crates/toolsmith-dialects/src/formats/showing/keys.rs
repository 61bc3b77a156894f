//! Shows parameters under names that a provider takes.

use serde_json::{Map, Value};

use super::{
    NameRule,
    names::free_name,
    schema::{Changes, DATA, each_schema, escaped},
};
use crate::guise::{Guise, Reach};

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
) -> Vec<(String, String)> {
    let (mut known, mut illegal) = (Vec::new(), Vec::new());
    each_object(schema, reach, &mut |fields, path| {
        let properties = fields.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys) {
            if rule.is_legal(name) {
                known.push(name.clone());
            } else {
                illegal.push((name.clone(), format!("{path}/properties/{}", escaped(name))));
            }
        }
    });
    let mut guise = Guise { reach, ..Guise::default() };
    for (name, path) in illegal {
        let shown = match guise.keys.iter().find(|(_, real)| *real == name) {
            Some((shown, _)) => shown.clone(),
            None => {
                let shown = free_name(&name, rule, |shown| known.iter().any(|name| name == shown));
                known.push(shown.clone());
                guise.keys.push((shown.clone(), name));
                shown
            }
        };
        let message = format!("the provider does not take this name; it is shown as `{shown}`");
        changes.push((path, message));
    }
    if !guise.keys.is_empty() {
        each_object(schema, reach, &mut |fields, _| rename_object(fields, &guise));
    }
    guise.keys
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

fn rename_object(fields: &mut Map<String, Value>, guise: &Guise) {
    let top = Guise { reach: Reach::Top, keys: guise.keys.clone(), ..Guise::default() };
    for key in BY_NAME {
        if let Some(members) = fields.get_mut(key) {
            *members = top.shown_arguments(members);
        }
    }
    for key in LISTS {
        match fields.get_mut(key) {
            Some(Value::Array(names)) => rename_list(names, guise),
            Some(Value::Object(lists)) => {
                for names in lists.values_mut().filter_map(Value::as_array_mut) {
                    rename_list(names, guise);
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
                    *value = guise.shown_arguments(value);
                }
            }
            Some(value) => *value = guise.shown_arguments(value),
            None => {}
        }
    }
}

fn rename_list(names: &mut [Value], guise: &Guise) {
    for name in names {
        if let Some((shown, _)) = guise.keys.iter().find(|(_, real)| name == real) {
            *name = Value::String(shown.clone());
        }
    }
}
