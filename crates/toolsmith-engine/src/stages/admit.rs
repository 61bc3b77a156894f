//! Stage 6, admit: a slot, in turn; waiting eats the deadline.

use std::time::Duration;

use tokio::time::Instant;
use toolsmith_core::{CallerType, ErrorKind, ToolError};

use crate::{
    engine::Uncounted,
    gates::{Company, Inside},
    limiter::{Permit, Refusal},
    registry::Entry,
    stages::{record::Trace, run::timed_out},
};

/// What a call holds while its tool runs; given back by dropping it.
#[derive(Debug)]
#[expect(dead_code, reason = "held for its drop")]
pub(crate) struct Slot<'a> {
    permit: Option<Permit<'a>>,
    inside: Option<Inside<'a>>,
    uncounted: Option<Uncounted<'a>>,
}

impl Slot<'_> {
    /// Returns when the slot was taken, for calls that take one.
    pub(crate) fn since(&self) -> Option<Instant> {
        self.permit.as_ref().map(Permit::since)
    }
}

pub(crate) async fn admit<'a>(trace: &Trace<'a>, tool: &Entry) -> Result<Slot<'a>, ToolError> {
    let engine = trace.engine;
    if let Some(sink) = engine.sink() {
        sink.ready()?;
    }
    spend(trace, tool)?;
    let context = trace.cx.context();
    // A nested call is carried by its parent's place and slot: waiting for its own could mean
    // waiting for its parent. Nodes of a workflow are neither limited nor counted.
    if trace.is_nested || context.caller_type == CallerType::WorkflowNode {
        let uncounted = Some(engine.enter_uncounted()?);
        return Ok(Slot { permit: None, inside: None, uncounted });
    }
    let company = if tool.spec.runs_in_parallel() { Company::Beside } else { Company::Alone };
    let inside = match &context.conversation_id {
        None => None,
        Some(conversation) => {
            let entered = engine.gates().enter(conversation, company, trace.deadline()).await;
            Some(entered.ok_or_else(|| timed_out("waiting for other calls of its conversation"))?)
        }
    };
    let acquired = engine.limiter().acquire(tool.bucket, context.priority, trace.deadline()).await;
    let permit = acquired.map_err(refused)?;
    Ok(Slot { permit: Some(permit), inside, uncounted: None })
}

/// Takes the call out of every allowance that it counts against.
fn spend(trace: &Trace<'_>, tool: &Entry) -> Result<(), ToolError> {
    let engine = trace.engine;
    let context = trace.cx.context();
    let caller = context.user_id.as_ref().or(context.caller_id.as_ref());
    if let Some(rate) = &tool.live().rate {
        let limit = rate.limit();
        rate.take(caller).map_err(|wait| {
            let per = limit.per.as_secs_f64();
            let calls = limit.calls;
            limited(&format!("`{}` takes {calls} calls in {per} seconds", trace.tool_name), wait)
        })?;
    }
    if let Some(rate) = engine.caller_rate() {
        rate.take(caller).map_err(|wait| limited("This caller calls too often", wait))?;
    }
    if let Some(caller) = caller {
        engine
            .meter()
            .book(caller, tool.spec.cost)
            .map_err(|wait| limited("This caller's quota of calls is used up", wait))?;
    }
    Ok(())
}

fn limited(what: &str, wait: Duration) -> ToolError {
    let seconds = wait.as_secs_f64();
    ToolError::new(
        ErrorKind::RateLimited,
        format!("{what}; try again in {} seconds.", seconds.ceil().max(1.0)),
    )
    .with_retry_after(wait)
}

fn refused(refusal: Refusal) -> ToolError {
    match refusal {
        Refusal::Timeout => timed_out("waiting for a slot"),
        Refusal::Busy => rejected("All slots are taken; try again later."),
        Refusal::QueueFull => {
            rejected("All slots are taken and the queue is full; try again later.")
        }
        Refusal::Closed => rejected("The engine is shutting down and takes no more calls."),
    }
}

fn rejected(message: &str) -> ToolError {
    ToolError::new(ErrorKind::Rejected, message)
}
