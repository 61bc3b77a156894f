//! What came of the calls of a reply.

use toolsmith_dialects::{
    CallState, Dialect, ParsedCall, Provenance, Reply, ShownResult, render_results,
};

use crate::{CallId, Outcome, Text, Timestamp, ToolError, Value, json};

/// What came of the calls of a reply.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What the model wrote.
    pub reply: Reply,
    /// The results, in the order of the calls.
    pub results: Vec<Answered>,
    /// When the last result was there.
    pub timestamp: Timestamp,
    pub(super) dialect: Dialect,
}

/// What came of one call.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The identifier that the model or its server gave the call.
    pub id: Option<Text>,
    /// The tool that was called; the one that `call_tool` named, not `call_tool`.
    pub tool_name: Text,
    /// The name that the model called, by which some providers match the result.
    pub called: Text,
    /// The output, or why there is none.
    pub result: Result<Value, ToolError>,
    /// The record of the call; none when it was not run.
    pub call_id: Option<CallId>,
    /// Where the output comes from, when it comes from outside.
    pub provenance: Option<Value>,
}

impl Answer {
    /// Returns the event under which the results enter the state of an agent.
    pub fn event(&self) -> Value {
        let results: Vec<Value> = self.results.iter().map(Answered::to_value).collect();
        json!({
            "type": "tool_result",
            "timestamp": self.timestamp,
            "data": { "results": results },
        })
    }

    /// Returns the results as the model gets them; in XML when the dialect is `auto`.
    pub fn render(&self) -> String {
        let shown: Vec<ShownResult<'_>> = self.results.iter().map(Answered::shown).collect();
        render_results(self.dialect, &shown)
    }
}

impl Answered {
    pub(super) fn of(id: Option<Text>, called: Text, outcome: Outcome) -> Self {
        let Outcome { call_id, tool_name, result, mut metadata, .. } = outcome;
        let provenance = metadata.remove("provenance");
        Self { id, tool_name, called, result, call_id: Some(call_id), provenance }
    }

    /// Tells the model that a call was not run, so that it can write it again.
    pub(super) fn not_run(call: &ParsedCall, called: Text) -> Self {
        let why = match call.state {
            CallState::Unfinished => "is not finished",
            CallState::Thought => "stands in your reasoning",
            _ => "has arguments that cannot be read as JSON",
        };
        let message = format!("The call {why}, so it was not run; write it again, whole.");
        let result = Err(ToolError::validation(message));
        Self {
            id: call.id.clone(),
            tool_name: call.name.clone(),
            called,
            result,
            call_id: None,
            provenance: None,
        }
    }

    /// Returns `{tool_name, success, result}`; the result of a failure is `{error}`.
    ///
    /// What comes from outside has its `provenance` besides.
    pub fn to_value(&self) -> Value {
        let (success, result) = match &self.result {
            Ok(output) => (true, output.clone()),
            Err(error) => (false, json!({ "error": error })),
        };
        let mut told = json!({ "tool_name": self.tool_name, "success": success, "result": result });
        if let Some(provenance) = &self.provenance {
            told["provenance"] = provenance.clone();
        }
        told
    }

    fn shown(&self) -> ShownResult<'_> {
        ShownResult {
            id: self.id.as_deref(),
            name: &self.called,
            result: self.result.as_ref().map_err(ToolError::message),
            provenance: match self.provenance {
                Some(_) => Provenance::Outside,
                None => Provenance::Own,
            },
        }
    }
}
