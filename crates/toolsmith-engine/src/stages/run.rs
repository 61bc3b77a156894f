//! Stage 7, run: the executor, once or again; the only await on foreign code.

use std::{
    future::poll_fn,
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use futures_util::FutureExt;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{
    Advice, ErrorKind, EventKind, Executor, JsonText, RetryPolicy, RetryWhen, ToolContext,
    ToolError, ToolSpec, Value, json,
};

use crate::{
    approvals::Grant,
    breaker::Sign,
    panics,
    registry::Entry,
    stages::{admit::Slot, record::Trace, reuse::Claim},
    time::later,
    watch,
};

/// Finds what runs the tool, or says why it cannot run now: nothing is used up by that.
pub(crate) fn ready<'t>(
    trace: &Trace<'_>,
    tool: &'t Entry,
    slot: &Slot<'_>,
) -> Result<&'t dyn Executor, ToolError> {
    let executor = tool.executor.as_deref().map_err(|handler| {
        // A name has no spaces; whoever knows better why nothing runs the tool says so in words.
        let why = if handler.contains(' ') {
            handler.clone()
        } else {
            format!("no handler `{handler}` is registered")
        };
        let message = format!("Nothing here runs `{}`: {why}.", tool.spec.name);
        ToolError::new(ErrorKind::ExecutorNotFound, message)
    })?;
    if slot.since().is_some_and(|since| since >= trace.deadline()) {
        return Err(timed_out("waiting for a slot"));
    }
    if let Some(breaker) = &tool.breaker {
        breaker.check(executor.upstream().unwrap_or_default())?;
    }
    Ok(executor)
}

/// Marks the point from which the tool counts as run.
pub(crate) fn begin<'a>(
    trace: &mut Trace<'_>,
    grant: Option<Grant>,
    mut claim: Claim<'a>,
) -> Claim<'a> {
    if let Some(grant) = grant {
        grant.spend();
    }
    claim.start(trace.call_id);
    trace.emit(EventKind::ExecutionStarted, || json!({}));
    claim
}

pub(crate) async fn run(
    trace: &mut Trace<'_>,
    tool: &Entry,
    executor: &dyn Executor,
    slot: &Slot<'_>,
) -> Result<Value, ToolError> {
    let mut since = slot.since();
    let mut input = std::mem::take(&mut trace.input);
    let mut retries = Retries::of(&tool.spec, trace.cx.context().max_retries);
    loop {
        let begun = tool.breaker.as_ref().map(|breaker| (breaker, breaker.begin()));
        let result = attempt(trace, executor, input, since.take()).await;
        if let Some((breaker, begun)) = begun {
            breaker.count(begun, sign(trace, &result));
        }
        let Err(error) = result else { return result };
        let Some(delay) = retries.next_delay(&error, trace.deadline()) else { return Err(error) };
        // An upstream that is left alone is not waited for: the slot is for others.
        if tool.breaker.as_ref().is_some_and(|breaker| breaker.is_open()) {
            return Err(error);
        }
        trace.emit(EventKind::RetryScheduled, || {
            let error = trace.engine.redactor.error(error);
            json!({ "attempt": retries.done, "error": error, "delay_ms": delay.as_millis() })
        });
        trace.note("retries", json!(retries.done));
        tokio::time::sleep(delay).await;
        // The input went into the failed attempt; its checked text is still here.
        input = trace.params.as_ref().map(JsonText::to_value).unwrap_or_default();
    }
}

/// Tells what an attempt says of its upstream.
fn sign(trace: &Trace<'_>, result: &Result<Value, ToolError>) -> Sign {
    match result {
        Ok(_) => Sign::Alive,
        // Whoever allows little time learns nothing about the other end.
        Err(error)
            if error.kind() == ErrorKind::Timeout && trace.cx.context().timeout.is_some() =>
        {
            Sign::Unknown
        }
        Err(error) => Sign::of(error),
    }
}

/// One attempt, within the deadline.
async fn attempt(
    trace: &Trace<'_>,
    executor: &dyn Executor,
    input: Value,
    since: Option<Instant>,
) -> Result<Value, ToolError> {
    let cancel = CancelOnDrop(Some(&trace.cx));
    let work = async { executor.execute(&trace.cx, input).await };
    let mut work = pin!(AssertUnwindSafe(work).catch_unwind().map(panics::or_error));
    let ended = match watch::poll_once(trace, since, work.as_mut()).await {
        Poll::Ready(result) => Ok(result),
        Poll::Pending => timeout_at(trace.deadline(), watch::poll_on(trace, work)).await,
    };
    // Only code that has not ended by itself has to be told.
    let Ok(result) = ended else { return Err(timed_out("running")) };
    cancel.disarm();
    result
}

/// Ends a call, wherever it is, when the caller's token is cancelled or the engine ends.
pub(crate) async fn unless_cancelled<T>(
    token: Option<CancellationToken>,
    end: &CancellationToken,
    mut work: Pin<&mut impl Future<Output = Result<T, ToolError>>>,
) -> Result<T, ToolError> {
    if token.as_ref().is_some_and(CancellationToken::is_cancelled) {
        return Err(cancelled(end));
    }
    let (mut taken_back, mut cut_off) = (pin!(None), pin!(None));
    poll_fn(|cx| {
        if has_come(taken_back.as_mut(), cx) || has_come(cut_off.as_mut(), cx) {
            return Poll::Ready(Err(cancelled(end)));
        }
        let polled = work.as_mut().poll(cx);
        // Most calls end at once, and need not listen for a change of mind.
        if polled.is_pending() && cut_off.is_none() {
            taken_back.set(token.as_ref().map(CancellationToken::cancelled));
            cut_off.set(Some(end.cancelled()));
            if has_come(taken_back.as_mut(), cx) || has_come(cut_off.as_mut(), cx) {
                return Poll::Ready(Err(cancelled(end)));
            }
        }
        polled
    })
    .await
}

fn has_come<F: Future>(awaited: Pin<&mut Option<F>>, cx: &mut Context<'_>) -> bool {
    awaited.as_pin_mut().is_some_and(|awaited| awaited.poll(cx).is_ready())
}

/// Ends a future when the deadline passes.
pub(crate) async fn with_deadline<T>(
    deadline: Instant,
    work: impl Future<Output = Result<T, ToolError>>,
) -> Result<T, ToolError> {
    timeout_at(deadline, work).await.unwrap_or_else(|_| Err(timed_out("running")))
}

/// Awaits code of the application within the deadline; its panic is an error of the call.
pub(crate) async fn foreign<T>(
    deadline: Instant,
    work: impl Future<Output = T>,
) -> Result<T, ToolError> {
    let work = AssertUnwindSafe(async { Ok(work.await) }).catch_unwind();
    with_deadline(deadline, work.map(panics::or_error)).await
}

pub(crate) fn timed_out(doing: &str) -> ToolError {
    ToolError::new(
        ErrorKind::Timeout,
        format!("The deadline passed while {doing}; allow more time or ask for less."),
    )
}

/// Says why a call was given up: its caller left or took it back, or the engine has ended.
pub(crate) fn cancelled(end: &CancellationToken) -> ToolError {
    let message = if end.is_cancelled() {
        "The server ended while the call was under way, and cut it off; what the tool had done by \
         then stays done."
    } else {
        "The caller cancelled the call."
    };
    ToolError::new(ErrorKind::Cancelled, message)
}

/// Tells code that cannot be dropped (threads, children) that nobody waits for it any more.
struct CancelOnDrop<'a>(Option<&'a ToolContext>);

impl CancelOnDrop<'_> {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(cx) = self.0 {
            cx.cancel();
        }
    }
}

/// How often, and after which waits, a failed attempt is repeated.
struct Retries {
    policy: RetryPolicy,
    most: u32,
    done: u32,
}

impl Retries {
    fn of(spec: &ToolSpec, max_retries: u32) -> Self {
        let policy = spec.retry.unwrap_or_default();
        let may_repeat = policy.when == RetryWhen::Always || spec.annotations.may_repeat();
        let most = if may_repeat { policy.max_retries.min(max_retries) } else { 0 };
        Self { policy, most, done: 0 }
    }

    /// Returns how long to wait before the next attempt; nothing when there is none.
    fn next_delay(&mut self, error: &ToolError, deadline: Instant) -> Option<Duration> {
        if self.done >= self.most || error.advice() != Advice::Later {
            return None;
        }
        let exponent = i32::try_from(self.done).unwrap_or(i32::MAX);
        let grown = self.policy.delay.as_secs_f64() * self.policy.factor.max(1.0).powi(exponent);
        let longest = self.policy.max_delay.as_secs_f64();
        // Half of the wait is random, so that callers who failed together do not return together.
        let wait = grown.min(longest) * (0.5 + fastrand::f64() / 2.0);
        let wait = Duration::try_from_secs_f64(wait).unwrap_or(self.policy.max_delay);
        let wait = error.retry_after().map_or(wait, |asked| asked.max(wait));
        self.done += 1;
        (later(Instant::now(), wait) < deadline).then_some(wait)
    }
}
