//! Stage 6, admit: a slot, in turn; waiting eats the deadline.

use std::time::Duration;

use tokio::time::Instant;
use toolsmith_core::{CallerType, ErrorKind, Text, ToolError};

use crate::{
    engine::{Newcomer, Uncounted},
    gates::{Company, GateRefusal, Inside},
    limiter::{Permit, Refusal},
    registry::Entry,
    shares::{Share, ShareRefusal},
    stages::{record::Trace, run::timed_out},
};

/// What a call holds while its tool runs; given back by dropping it.
#[derive(Debug)]
#[expect(dead_code, reason = "held for its drop")]
pub(crate) struct Slot<'a> {
    permit: Option<Permit<'a>>,
    share: Option<Share<'a>>,
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
    if let Some(sink) = &engine.sink {
        sink.ready()?;
    }
    keep_to_rates(trace, tool)?;
    let slot = take_slot(trace, tool).await?;
    // Booked with the slot in hand: a call that was turned away costs nothing.
    book(trace, tool)?;
    Ok(slot)
}

async fn take_slot<'a>(trace: &Trace<'a>, tool: &Entry) -> Result<Slot<'a>, ToolError> {
    let engine = trace.engine;
    let context = trace.cx.context();
    // A nested call is carried by its parent's place and slot: waiting for its own could mean
    // waiting for its parent. Nodes of a workflow are neither limited nor counted.
    if trace.is_nested || context.caller_type == CallerType::WorkflowNode {
        let newcomer = if trace.is_nested { Newcomer::Carried } else { Newcomer::Free };
        let uncounted = Some(engine.enter_uncounted(newcomer)?);
        return Ok(Slot { permit: None, share: None, inside: None, uncounted });
    }
    // First of all the caller's own share: who waits for it stands in no line of others.
    let share = take_share(trace).await?;
    let company = if tool.spec.runs_in_parallel() { Company::Beside } else { Company::Alone };
    let inside = match &context.conversation_id {
        None => None,
        Some(conversation) => {
            let entered = engine.gates.enter(conversation, company, trace.deadline()).await;
            Some(entered.map_err(turned_away)?)
        }
    };
    let acquired = engine.limiter.acquire(tool.bucket, context.priority, trace.deadline()).await;
    let permit = acquired.map_err(refused)?;
    Ok(Slot { permit: Some(permit), share, inside, uncounted: None })
}

async fn take_share<'a>(trace: &Trace<'a>) -> Result<Option<Share<'a>>, ToolError> {
    let context = trace.cx.context();
    let (Some(most), Some(caller)) = (context.rights.allowance.concurrency, &context.caller_id)
    else {
        return Ok(None);
    };
    let taken = trace.engine.shares.take(caller, most, trace.deadline()).await;
    taken.map(Some).map_err(|refusal| match refusal {
        ShareRefusal::Timeout => timed_out("waiting for other calls of this caller"),
        ShareRefusal::QueueFull => rejected(&format!(
            "This caller has {most} calls under way, as many as it may, and too many wait; make \
             fewer at once."
        )),
    })
}

/// Whose allowance a call counts against.
fn payer(trace: &Trace<'_>) -> Option<Text> {
    let context = trace.cx.context();
    context.user_id.clone().or_else(|| context.caller_id.clone())
}

/// The caller's own rate comes first: calls that it refuses must not use up what others share.
fn keep_to_rates(trace: &Trace<'_>, tool: &Entry) -> Result<(), ToolError> {
    if !trace.has_paid {
        keep_to_own_rate(trace)?;
    }
    let Some(rate) = &tool.rate else { return Ok(()) };
    let (calls, per) = (rate.limit().calls, rate.limit().per.as_secs_f64());
    rate.take(payer(trace).as_ref()).map_err(|wait| {
        limited(&format!("`{}` takes {calls} calls in {per} seconds", trace.tool_name), wait)
    })
}

/// Takes the call out of its caller's own rate.
pub(crate) fn keep_to_own_rate(trace: &Trace<'_>) -> Result<(), ToolError> {
    let engine = trace.engine;
    let own = trace.cx.context().rights.allowance.rate.or(engine.config.caller_rate);
    let Some(limit) = own else { return Ok(()) };
    let often = |wait| limited("This caller calls too often", wait);
    engine.caller_rates.take(limit, payer(trace).unwrap_or_default()).map_err(often)
}

fn book(trace: &Trace<'_>, tool: &Entry) -> Result<(), ToolError> {
    let engine = trace.engine;
    let quota = trace.cx.context().rights.allowance.quota.or(engine.config.caller_quota);
    // Free tools without a quota need no book: the records tell how often they were called.
    if quota.is_none() && tool.spec.cost.is_none() {
        return Ok(());
    }
    let Some(caller) = payer(trace) else { return Ok(()) };
    let used_up = |wait| limited("This caller's quota of calls is used up", wait);
    engine.meter.book(&caller, tool.spec.cost, quota).map_err(used_up)
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
        Refusal::Closed => ToolError::closing(),
    }
}

fn turned_away(refusal: GateRefusal) -> ToolError {
    match refusal {
        GateRefusal::Timeout => timed_out("waiting for other calls of its conversation"),
        GateRefusal::QueueFull => {
            rejected("Too many calls wait for others of their conversation; make fewer at once.")
        }
    }
}

fn rejected(message: &str) -> ToolError {
    ToolError::new(ErrorKind::Rejected, message)
}
