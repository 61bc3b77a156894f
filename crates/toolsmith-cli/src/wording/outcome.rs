//! What came of a call, for people.

use toolsmith_core::{ErrorKind, Map, Outcome, Problem, ToolError, ToolRef, Value};

use super::bytes;
use crate::table::shorten;

/// How many columns an output takes in a table.
const BRIEF: usize = 60;

/// Returns the output as a person wants it: the obvious value where there is one.
///
/// That is the field `result`, or the only field; text is shown as it is, the rest as JSON.
pub(crate) fn output_text(outcome: &Outcome) -> String {
    let mut text = pretty(shown(outcome));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Returns the output on one short line.
pub(crate) fn brief_output(outcome: &Outcome) -> String {
    match shown(outcome) {
        Value::String(text) => shorten(text, BRIEF),
        other => shorten(&other.to_string(), BRIEF),
    }
}

/// Returns text as it is and other values as indented JSON.
pub(crate) fn pretty(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

fn shown(outcome: &Outcome) -> &Value {
    let output = outcome.output();
    if outcome.metadata.contains_key("output_cut") {
        // What was cut is told in a note; the beginning is the output.
        return output.get("preview").unwrap_or(output);
    }
    obvious(output)
}

fn obvious(output: &Value) -> &Value {
    let Value::Object(fields) = output else { return output };
    if let Some(result) = fields.get("result") {
        // Digits that a number of JSON does not carry stand beside it as text.
        return fields.get("exact").filter(|exact| exact.is_string()).unwrap_or(result);
    }
    match fields.values().next() {
        Some(only) if fields.len() == 1 => only,
        _ => output,
    }
}

/// Returns what the engine noted about a call.
pub(crate) fn notes(outcome: &Outcome) -> Vec<String> {
    let metadata = &outcome.metadata;
    let tool = &outcome.tool_name;
    let mut notes = Vec::new();
    if let Some(why) = metadata.get("deprecated") {
        notes.push(format!("`{tool}` is deprecated: {}", plain(why)));
    }
    if let Some(names) = names(metadata, "dropped_parameters") {
        notes.push(format!("`{tool}` has no parameter {names}; left out"));
    }
    if let Some(paths) = names(metadata, "coerced_parameters") {
        notes.push(format!("turned into the type that `{tool}` wants: {paths}"));
    }
    if let Some(retries) = metadata.get("retries") {
        notes.push(format!("tried again after a failure: {retries}"));
    }
    if let Some(from) = metadata.get("reused").and_then(|reused| reused.get("call_id")) {
        notes.push(format!("this is the answer of call {}; nothing was run", plain(from)));
    }
    if let Some(count) = metadata.get("unanswered_questions").and_then(Value::as_u64) {
        let what = if count == 1 { "something".to_owned() } else { format!("{count} things") };
        notes.push(format!("`{tool}` asked {what}, and nobody could answer; run it at a terminal"));
    }
    notes.extend(cut(metadata));
    notes
}

fn names(metadata: &Map<String, Value>, key: &str) -> Option<String> {
    let names = metadata.get(key)?.as_array()?.iter();
    let quoted: Vec<String> = names.map(|name| format!("`{}`", plain(name))).collect();
    Some(quoted.join(", "))
}

fn cut(metadata: &Map<String, Value>) -> Option<String> {
    let cut = metadata.get("output_cut")?;
    let size = |key: &str| bytes(cut.get(key).and_then(Value::as_u64).unwrap_or_default());
    let shown = format!("cut after {} of {}", size("shown"), size("bytes"));
    Some(match metadata.get("artifact").and_then(|artifact| artifact.get("id")) {
        Some(id) => format!("{shown}; the whole: toolsmith artifacts show {}", plain(id)),
        None => format!("{shown}; the rest could not be kept"),
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns why a call failed and what to try, on one line or several.
pub(crate) fn failure(tool: &str, error: &ToolError) -> String {
    let problems: Vec<Problem> =
        serde_json::from_value(error.details().clone()).unwrap_or_default();
    let what = match (error.kind(), problems.as_slice()) {
        (ErrorKind::ValidationError, [_, ..]) => {
            let lines = problems.iter().map(|problem| format!("\n  {}", problem.message));
            lines.fold(format!("the input does not fit `{tool}`:"), |text, line| text + &line)
        }
        _ => error.message().to_owned(),
    };
    let name = ToolRef::split(tool).0;
    match error.kind() {
        ErrorKind::ToolNotFound => format!("{what}\ntry: toolsmith tools list"),
        ErrorKind::ValidationError => format!("{what}\ntry: toolsmith tools show {name}"),
        ErrorKind::Timeout => format!("{what}\ntry: --timeout SECONDS"),
        // Who waits for an answer must still be there when it comes.
        ErrorKind::ApprovalRequired => format!(
            "{what}\ntry: call it through `toolsmith serve` or `toolsmith mcp`; nobody can be asked \
             about a call at the shell"
        ),
        _ => what,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use toolsmith_core::{CallId, Timestamp, json};

    use super::*;

    fn outcome(result: Result<Value, ToolError>, metadata: &Value) -> Outcome {
        Outcome {
            call_id: CallId::first_at(Timestamp::from_millis(0)),
            tool_name: "tool".into(),
            version: Some("1.0.0".into()),
            result,
            started_at: Timestamp::from_millis(0),
            duration: Duration::ZERO,
            metadata: metadata.as_object().cloned().unwrap_or_default(),
        }
    }

    #[test]
    fn the_obvious_value_is_shown() {
        for (output, text) in [
            (json!("as it is\n"), "as it is\n"),
            (json!({"message": "hi"}), "hi\n"),
            (json!({"result": 14, "expression": "2*7"}), "14\n"),
            (json!({"result": 1.8e19, "expression": "2**64", "exact": "184"}), "184\n"),
            (json!({"result": {"a": 1}, "exact": true}), "{\n  \"a\": 1\n}\n"),
            (json!({"a": 1, "b": 2}), "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
            (json!({"only": [1]}), "[\n  1\n]\n"),
            (json!({}), "{}\n"),
            (json!(null), "null\n"),
        ] {
            assert_eq!(output_text(&outcome(Ok(output), &json!({}))), text);
        }
    }

    #[test]
    fn a_cut_output_shows_its_beginning_and_says_where_the_rest_is() {
        let cut =
            json!({"output_cut": {"bytes": 100_000, "shown": 4_096}, "artifact": {"id": "x"}});
        let output = json!({"cut": true, "note": "…", "preview": "{\"a\": \"bbb"});
        let outcome = outcome(Ok(output), &cut);
        assert_eq!(output_text(&outcome), "{\"a\": \"bbb\n");
        assert_eq!(
            notes(&outcome),
            ["cut after 4.1 kB of 100.0 kB; the whole: toolsmith artifacts show x"]
        );
    }

    #[test]
    fn every_note_of_the_engine_is_told() {
        let metadata = json!({
            "dropped_parameters": ["a", "b"], "coerced_parameters": ["/n"], "retries": 2,
            "deprecated": "use `other`", "reused": {"from": "cache", "call_id": "x"},
            "output_cut": {"bytes": 9, "shown": 4}
        });
        assert_eq!(
            notes(&outcome(Ok(json!(1)), &metadata)),
            [
                "`tool` is deprecated: use `other`",
                "`tool` has no parameter `a`, `b`; left out",
                "turned into the type that `tool` wants: `/n`",
                "tried again after a failure: 2",
                "this is the answer of call x; nothing was run",
                "cut after 4 bytes of 9 bytes; the rest could not be kept",
            ]
        );
        assert!(notes(&outcome(Ok(json!(1)), &json!({}))).is_empty());
    }

    #[test]
    fn problems_of_an_input_stand_on_lines_of_their_own() {
        let problem = |message: &str| Problem {
            kind: toolsmith_core::ProblemKind::MissingRequired,
            parameter: "a".to_owned(),
            path: "/a".to_owned(),
            message: message.to_owned(),
            expected: json!("string"),
            actual: json!(null),
        };
        let error = ToolError::invalid_input(&[problem("`a` is required."), problem("`b` too.")]);
        assert_eq!(
            failure("tool@^1", &error),
            "the input does not fit `tool@^1`:\n  `a` is required.\n  `b` too.\n\
             try: toolsmith tools show tool"
        );
        assert_eq!(failure("tool", &ToolError::failed("It failed.")), "It failed.");
    }
}
