//! Calls that a person must agree to: whoever sits at the client is asked, where they can be.
//!
//! The engine answers that approval is required, and never waits. Here the person at the client is
//! asked, and the same call is made once more when there is a decision: it uses the grant like any
//! repeated call. Whether that person may decide, or only be told who does, is the operator's choice.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use tokio::time::timeout;
use toolsmith_core::{
    Answer, Asker as _, Call, CallId, ErrorKind, Outcome, Question, Text, ToolSpec, Value, json,
};
use toolsmith_engine::{Decision, Pending};

use crate::{
    ByElicitation, Gateway,
    mcp::{asking::Asking, guest::Opening, peer::Peer},
};

/// How long a call waits for an answer, and then for a decision that somebody else makes.
const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// How much of an input a person is shown.
const SHOWN: usize = 2_000;

/// Makes calls, and asks the person at the client where approval is required.
#[derive(Debug)]
pub(super) struct Approving {
    gateway: Gateway,
    asking: Arc<Asking>,
    caller: Text,
    decider: Decider,
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decider {
    /// The person at the client.
    Person,
    /// An administrator, elsewhere.
    Administrator,
}

impl Approving {
    /// Returns what asks; nothing when no approval can be required, or nobody can be asked.
    pub(super) fn of(
        gateway: &Gateway,
        peer: &Peer,
        spec: Option<&ToolSpec>,
        asking: &Arc<Asking>,
    ) -> Option<Self> {
        let may_be_required =
            spec.is_some_and(|spec| spec.approval.is_some()) || gateway.0.engine.has_interceptors();
        if !may_be_required || !asking.takes_forms() {
            return None;
        }
        let decider = match (gateway.0.config.approve_by_elicitation, peer.opening) {
            (ByElicitation::Always, _) | (ByElicitation::Streams, Opening::Streams) => {
                Decider::Person
            }
            (ByElicitation::Never, _) | (ByElicitation::Streams, Opening::Http) => {
                Decider::Administrator
            }
        };
        let (gateway, asking) = (gateway.clone(), Arc::clone(asking));
        Some(Self { gateway, asking, caller: peer.visitor.id.clone(), decider })
    }

    /// Makes a call; once more, when there is a decision about it.
    pub(super) async fn call(self, call: Call) -> Outcome {
        let engine = &self.gateway.0.engine;
        let cancel = call.cancel.clone().unwrap_or_default();
        let again = Call { id: None, ..call.clone() };
        let outcome = engine.call(call).await;
        let Some(id) = required(&outcome) else { return outcome };
        match cancel.run_until_cancelled(self.is_decided(id)).await {
            Some(false) => outcome,
            // A call that is taken back ends as such a call does.
            Some(true) | None => engine.call(again).await,
        }
    }

    /// Asks the person at the client; false when nothing is decided.
    async fn is_decided(&self, id: CallId) -> bool {
        let approvals = self.gateway.0.engine.approvals();
        let Some(pending) = approvals.get(id) else { return true };
        // A name that nobody can know, so that no answer can be given before the question.
        let mut bytes = [0; 16];
        if getrandom::fill(&mut bytes).is_err() {
            return false;
        }
        let name = format!("approval-{:032x}", u128::from_le_bytes(bytes));
        match self.decider {
            Decider::Person => {
                let answer = self.ask(&name, deciding(&pending)).await;
                let Some(decision) = read(&answer) else { return false };
                let by = format!("the person at the client of {}", self.caller);
                // An administrator may have been faster; the next call tells what holds.
                self.gateway.0.engine.decide(id, decision, &by).ok();
                true
            }
            Decider::Administrator => {
                let answer = self.ask(&name, waiting(&pending)).await;
                if !matches!(answer, Answer::Accept(_)) {
                    return false;
                }
                let decided = timeout(LONGEST_WAIT, approvals.decided(id)).await;
                decided.ok().flatten().is_some()
            }
        }
    }

    /// Puts a question; no answer in time decides nothing.
    async fn ask(&self, name: &str, question: Question) -> Answer {
        let answer = timeout(LONGEST_WAIT, self.asking.ask_as(name, question)).await;
        answer.unwrap_or(Answer::Cancel)
    }
}

/// Returns what has to be approved.
fn required(outcome: &Outcome) -> Option<CallId> {
    let error = outcome.result.as_ref().err()?;
    if error.kind() != ErrorKind::ApprovalRequired {
        return None;
    }
    error.details().get("approval_id")?.as_str()?.parse().ok()
}

/// Asks for the decision itself.
fn deciding(pending: &Pending) -> Question {
    let mut message = told(pending);
    message.push_str("Shall it run, once?");
    let decision = json!({
        "type": "string",
        "title": "Decision",
        "description": "approve: it runs once; deny: it does not run.",
        "enum": ["approve", "deny"],
    });
    let schema = json!({
        "type": "object", "properties": { "decision": decision }, "required": ["decision"],
    });
    Question::Form { from: pending.tool_name.to_string(), message, schema }
}

/// Says who decides, and asks whether the call shall wait for it.
fn waiting(pending: &Pending) -> Question {
    let mut message = told(pending);
    let id = pending.approval_id;
    write!(
        message,
        "An administrator decides about it: `toolsmith approvals approve {id}`, or POST \
         /approvals/{id}. Accept to wait for the decision."
    )
    .ok();
    let schema = json!({ "type": "object", "properties": {} });
    Question::Form { from: pending.tool_name.to_string(), message, schema }
}

/// Says what would run.
fn told(pending: &Pending) -> String {
    let Pending { tool_name, version, reason, expires_at, .. } = pending;
    let input = pending.input.as_str();
    let shown: String = input.chars().take(SHOWN).collect();
    let rest = if shown.len() < input.len() { "…" } else { "" };
    format!(
        "The call of `{tool_name}` {version} needs approval ({reason}) until {expires_at}.\n\
         Input: {shown}{rest}\n"
    )
}

/// Returns what the person has decided; nothing when they did not.
fn read(answer: &Answer) -> Option<Decision> {
    match answer {
        Answer::Accept(content) => match content.get("decision").and_then(Value::as_str) {
            Some("approve") => Some(Decision::Grant),
            Some("deny") => Some(Decision::Deny),
            _ => None,
        },
        Answer::Decline => Some(Decision::Deny),
        Answer::Cancel => None,
    }
}
