//! A meter on references: checks of schemas that multiply their work stop after so many steps.
//!
//! The validator cannot be interrupted, but a keyword of our own can refuse: every reference
//! becomes "if there are steps left, then the reference, else false". Once the steps are used up
//! nothing is followed any more, the check ends at once, and its answer is thrown away.

use std::cell::Cell;

use jsonschema::{Draft, Keyword, ValidationError, ValidationOptions};
use serde_json::{Map, Value, json};

/// The name of the keyword; no schema from outside has it by accident.
const WORD: &str = "x-toolsmith-step";

/// The keywords that refer to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

thread_local! {
    // The steps left to the check that runs on this thread: keywords are handed nothing but the
    // value, and one schema is used on many threads at once.
    static LEFT: Cell<u64> = const { Cell::new(0) };
}

/// Runs a check with so many steps; nothing when they did not suffice.
pub(super) fn run<T>(steps: u64, check: impl FnOnce() -> T) -> Option<T> {
    LEFT.set(steps);
    let answer = check();
    (LEFT.get() > 0).then_some(answer)
}

/// Makes the keyword of the meter known to the validator.
pub(super) fn install(options: ValidationOptions<'static>) -> ValidationOptions<'static> {
    options.with_keyword(WORD, |_, _, _| Ok(Box::new(Step)))
}

/// The keyword that takes a step.
struct Step;

impl<'i> Keyword<'i> for Step {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if Keyword::is_valid(self, instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("no steps left"))
        }
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        let left = LEFT.get().saturating_sub(1);
        LEFT.set(left);
        left > 0
    }
}

/// Puts the meter on every reference of a schema.
pub(super) fn metered(source: &Value, draft: Draft) -> Value {
    let mut schema = source.clone();
    meter(&mut schema, draft);
    schema
}

/// Recurses no deeper than the schema is nested, which the JSON reader has bounded.
fn meter(schema: &mut Value, draft: Draft) {
    let Value::Object(words) = schema else { return };
    for (word, value) in words.iter_mut() {
        match word.as_str() {
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => meter_list(value, draft),
            "items" if value.is_array() => meter_list(value, draft),
            "items"
            | "additionalProperties"
            | "additionalItems"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema" => meter(value, draft),
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
            | "dependencies" => {
                value.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(|schema| {
                    meter(schema, draft);
                });
            }
            _ => {}
        }
    }
    meter_references(words, draft);
}

fn meter_list(schemas: &mut Value, draft: Draft) {
    for schema in schemas.as_array_mut().into_iter().flatten() {
        meter(schema, draft);
    }
}

fn meter_references(words: &mut Map<String, Value>, draft: Draft) {
    let taken: Map<String, Value> =
        REFERENCES.iter().filter_map(|word| words.shift_remove_entry(*word)).collect();
    if taken.is_empty() {
        return;
    }
    if draft <= Draft::Draft7 {
        // A reference stands alone up to draft 7: what has no meaning beside it must not get any
        // when the reference moves inside. Definitions stay where pointers look for them.
        words.retain(|word, _| word == "definitions" || !draft.is_known_keyword(word));
    }
    let step = json!({"if": {WORD: true}, "then": taken, "else": false});
    match words.get_mut("allOf") {
        Some(Value::Array(list)) => list.push(step),
        _ => {
            words.insert("allOf".to_owned(), json!([step]));
        }
    }
}
