//! What a tool returns: `output`, or `returns` as it is also called.

use toolsmith_core::{Fields, JsonText, Value, spell_out};

use super::{rules, schema};

/// Reads the output; nothing when it may be anything.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<JsonText> {
    let output = fields.any("output");
    let returns = fields.any("returns");
    let (key, value) = match (output, returns) {
        (Some(_), Some(_)) => {
            let message = "`returns` is another word for `output`: remove one of them";
            fields.add(rules::key_fault(fields.pointer(), "returns", message));
            return None;
        }
        (Some(value), None) => ("output", value),
        (None, value) => ("returns", value?),
    };
    let faults = rules::field(value, &format!("/{key}"));
    if !rules::add_all(fields, faults) {
        return None;
    }
    let spelled = spell_out(value);
    rules::add_all(fields, schema::check(&spelled, &format!("/{key}")));
    says_something(&spelled).then(|| JsonText::of(&spelled).shrunk())
}

/// Tells whether a schema asks for anything: a description alone does not.
fn says_something(schema: &Value) -> bool {
    const SILENT: [&str; 3] = ["description", "title", "examples"];
    schema.as_object().is_none_or(|words| words.keys().any(|word| !SILENT.contains(&word.as_str())))
}
