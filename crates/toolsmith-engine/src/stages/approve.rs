//! Stage 4, approve: does a person have to agree?
//!
//! It comes after validation: nobody is asked about an invalid call. It answers, it never waits.

use toolsmith_core::{ErrorKind, EventKind, JsonText, ToolError, json};

use crate::{
    approvals::{Grant, Question},
    registry::Entry,
    reuse::scope_of,
    stages::{admit::keep_to_own_rate, record::Trace},
};

pub(crate) fn approve(trace: &mut Trace<'_>, tool: &Entry) -> Result<Option<Grant>, ToolError> {
    if tool.spec.approval.is_none() && trace.ask.is_none() {
        return Ok(None);
    }
    let policy = tool.spec.approval.unwrap_or_default();
    let input = trace.params.clone().unwrap_or_else(|| JsonText::of(&trace.input));
    let question = Question {
        call_id: trace.call_id,
        tool_name: &trace.tool_name,
        version: &tool.version,
        input: &input,
        shown: trace.shown(input.clone()),
        context: trace.cx.context(),
        reason: trace.ask.take().unwrap_or_else(|| "the tool asks for approval".into()),
        at: trace.started_at,
        expires: policy.expires,
    };
    // Bound to the caller itself, also where answers are shared between the agents of one person.
    let scope = format!("{:?}{}", question.context.caller_id, scope_of(question.context));
    let taken = trace.engine.approvals.take(&question, scope, || keep_to_own_rate(trace));
    // The question was paid for when it was asked; so was the call that it is about.
    trace.has_paid = taken.is_ok();
    taken.map(Some).inspect_err(|error| {
        let is_new = error.details()["approval_id"] == json!(trace.call_id);
        if error.kind() == ErrorKind::ApprovalRequired && is_new {
            trace.emit(EventKind::ApprovalRequested, || error.details().clone());
        }
    })
}
