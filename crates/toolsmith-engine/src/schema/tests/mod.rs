//! What schemas do, as seen by a caller.

use serde_json::{Value, json};

use toolsmith_core::{JsonText, Problem, ProblemKind};

use super::{Coerce, Extras, Notes, Rules, Schema};

mod bounds;
mod filling;
mod laws;
mod registration;
mod telling;

const LENIENT: Rules = Rules { extras: Extras::Drop, coerce: Coerce::No };
const STRICT: Rules = Rules { extras: Extras::Refuse, coerce: Coerce::No };
const COERCING: Rules = Rules { extras: Extras::Drop, coerce: Coerce::Yes };

fn schema(schema: &Value) -> Schema {
    let text = JsonText::of(schema);
    Schema::inspect(&text).unwrap();
    Schema::compile(&text).unwrap()
}

/// Checks an input that is fine, and returns what it became and what was noted.
fn passed(schema: &Schema, mut input: Value, rules: Rules) -> (Value, Notes) {
    let notes = schema.check_input(&mut input, rules).unwrap();
    (input, notes)
}

/// Checks an input that is not fine.
fn refused(schema: &Schema, mut input: Value, rules: Rules) -> Vec<Problem> {
    schema.check_input(&mut input, rules).unwrap_err()
}

fn messages(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.message.as_str()).collect()
}

fn paths(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.path.as_str()).collect()
}

fn kinds(problems: &[Problem]) -> Vec<ProblemKind> {
    problems.iter().map(|problem| problem.kind).collect()
}

/// A schema of the ordinary sort.
fn search() -> Schema {
    schema(&json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "what to look for", "minLength": 2},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            "order": {"type": "string", "enum": ["newest", "oldest"]},
            "tags": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["query"]
    }))
}
