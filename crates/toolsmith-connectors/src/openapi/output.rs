//! What an operation returns, as far as it helps to know it.

use toolsmith_core::{JsonText, Map, Value};
use toolsmith_engine::schema::Schema;

use super::{
    document::{Dialect, Document},
    model::Operation,
    schema::{Direction, Translator},
};

/// How large the schema may be, in bytes of JSON: it is read with every tool.
const LARGEST: usize = 4 * 1024;

/// How many schemas are translated: when the result is too large, fewer.
const BUDGETS: [usize; 3] = [100, 40, 15];

/// Returns the look of a successful answer; nothing when it is unknown or too large to be of use.
pub(super) fn schema(document: &Document<'_>, operation: &Operation<'_>) -> Option<Value> {
    let answer = answer(document, operation)?;
    BUDGETS.iter().find_map(|budget| {
        let mut translator = Translator::new(document, Direction::Response, *budget, LARGEST);
        let made = translator.translate(answer);
        let made = translator.finish(made);
        if translator.is_full() {
            return None;
        }
        let text = JsonText::of(&made);
        let says_something =
            ["properties", "items", "$ref"].iter().any(|word| made.get(*word).is_some());
        let is_fine = says_something && text.as_str().len() <= LARGEST;
        (is_fine && Schema::inspect(&text).is_ok()).then_some(made)
    })
}

/// Finds the schema of the only kind of JSON that a success returns.
fn answer<'a>(document: &Document<'a>, operation: &Operation<'a>) -> Option<&'a Value> {
    let responses = operation.own.get("responses").and_then(Value::as_object)?;
    let is_success = |status: &str| status.len() == 3 && status.starts_with('2');
    let successes = responses.iter().filter(|(status, _)| is_success(status));
    let mut found = None;
    for (_, response) in successes {
        let response = document.follow(response).ok()?;
        let schema = match document.dialect {
            Dialect::Two => response.get("schema"),
            Dialect::Three => match response.get("content").and_then(Value::as_object) {
                Some(content) if content.is_empty() => None,
                // An answer that is not JSON may come as well.
                Some(content) => Some(json_of(content)?),
                None => None,
            },
        };
        match (schema, found) {
            (Some(_), Some(_)) => return None,
            (Some(schema), None) => found = Some(schema),
            (None, _) => {}
        }
    }
    found
}

fn json_of(content: &Map<String, Value>) -> Option<&Value> {
    let is_json = |word: &str| word.to_ascii_lowercase().contains("json");
    content.keys().all(|word| is_json(word)).then_some(())?;
    content.values().next()?.get("schema")
}
