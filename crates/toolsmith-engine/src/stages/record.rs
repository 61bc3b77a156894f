//! Stage 9, record: one record and one final event, on every path.
//!
//! The trace is opened before the first stage and closed after the last. A caller that goes away
//! in between drops it, and that is recorded too.

use std::{borrow::Cow, sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolsmith_core::{
    Call, CallId, EventKind, JsonText, Map, Origin, Outcome, Receipt, Record, Text, Timestamp,
    ToolContext, ToolError, TraceContext, TracedCall, Value, json, to_millis,
};

use crate::{
    engine::Parts,
    lanes::Lane,
    registry::{Entry, View},
    stages::{
        run::cancelled,
        settle::{Settled, beginning},
    },
    time::later,
};

/// What is known of a call on its way along the line.
#[derive(Debug)]
pub(crate) struct Trace<'a> {
    pub(crate) engine: &'a Parts,
    /// Where the call was counted in.
    lane: Lane,
    pub(crate) call_id: CallId,
    pub(crate) started_at: Timestamp,
    started: Instant,
    /// The tool as the caller named it.
    pub(crate) asked: String,
    /// The tool's own name, once it is found.
    pub(crate) tool_name: Text,
    pub(crate) cx: ToolContext,
    pub(crate) cancel: Option<CancellationToken>,
    pub(crate) is_nested: bool,
    /// A call made by a tool has no more time than the call above it.
    parent_deadline: Option<Instant>,
    pub(crate) input: Value,
    /// The checked input as text, secrets included: redacted where it leaves.
    pub(crate) params: Option<JsonText>,
    /// Why a person has to be asked, when an interceptor says so.
    pub(crate) ask: Option<Text>,
    /// Whether the call has come out of its caller's rate already.
    pub(crate) has_paid: bool,
    /// The tools as they were when the call began.
    pub(crate) view: &'a View,
    tool: Option<&'a Arc<Entry>>,
    /// The span above that of this call, when traces are written.
    above: Option<TraceContext>,
    metadata: Map<String, Value>,
    is_open: bool,
}

pub(crate) fn open<'a>(engine: &'a Parts, mut call: Call, view: &'a View) -> Trace<'a> {
    let (lane, caller) = engine.open.enter();
    let started_at = engine.clock.now();
    let started = Instant::now();
    let call_id = call.id.unwrap_or_else(|| engine.ids.call_id(started_at));
    let depth = call.parent.map_or(0, |parent| parent.depth + 1);
    // What the caller wrote for a name may be anything, a secret too.
    let tool_name = engine.redactor.label(&Text::new(beginning(&call.tool, 256)));
    let above = call.context.trace;
    if let Some(tracer) = &engine.tracer {
        call.context.trace = Some(tracer.begin(above));
    }
    let stream = engine.stream_of(call.stream, (call_id, &call.context), &tool_name);
    let cx = ToolContext::new(call_id, Text::default(), call.context, started, caller)
        .with_stream(stream)
        .with_asker(call.asker)
        .with_depth(depth);
    let trace = Trace {
        engine,
        lane,
        call_id,
        started_at,
        started,
        tool_name,
        asked: call.tool,
        cx,
        cancel: call.cancel,
        is_nested: call.parent.is_some(),
        parent_deadline: call.parent.map(|parent| parent.deadline),
        input: call.input,
        params: None,
        ask: None,
        has_paid: false,
        view,
        tool: None,
        above,
        metadata: Map::new(),
        is_open: true,
    };
    trace.emit(
        EventKind::CallRequested,
        || json!({ "params": trace.shown(JsonText::of(&trace.input)).to_value() }),
    );
    trace
}

/// Ends the call: what came of it is recorded and told, and then given to the caller.
pub(crate) async fn close(mut trace: Trace<'_>, result: Result<Settled, ToolError>) -> Outcome {
    let (mut outcome, receipt) = trace.finish(result);
    drop(trace);
    // Waits only when the store promises that the record is on disk, or cannot keep up.
    if !receipt.is_done() && !receipt.wait().await {
        outcome.metadata.insert("unrecorded".to_owned(), json!(true));
    }
    outcome
}

impl<'a> Trace<'a> {
    /// Fixes the tool and the deadline.
    pub(crate) fn bind(&mut self, tool: &'a Arc<Entry>, timeout: Duration) {
        self.tool_name = tool.spec.name.text().clone();
        let own = later(self.started, timeout);
        let deadline = self.parent_deadline.map_or(own, |parent| parent.min(own));
        self.cx.bind(self.tool_name.clone(), deadline);
        if let Some(message) = &tool.spec.deprecated {
            self.note("deprecated", json!(message));
        }
        self.tool = Some(tool);
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.cx.deadline()
    }

    /// Returns what ends the call together with the engine.
    pub(crate) fn end(&self) -> &'a CancellationToken {
        self.engine.open.end_of(self.lane)
    }

    /// Adds a note to the outcome.
    pub(crate) fn note(&mut self, key: &str, value: Value) {
        self.metadata.insert(key.to_owned(), value);
    }

    pub(crate) fn emit(&self, kind: EventKind, data: impl FnOnce() -> Value) {
        if self.engine.events.is_heard() {
            let call = Some((self.call_id, Origin::from(self.cx.context())));
            self.engine.events.emit(kind, Some(&self.tool_name), call, data);
        }
    }

    fn finish(&mut self, result: Result<Settled, ToolError>) -> (Outcome, Receipt) {
        self.is_open = false;
        let duration = self.started.elapsed();
        let unanswered = self.cx.unanswered();
        if unanswered > 0 {
            self.metadata.insert("unanswered_questions".to_owned(), unanswered.into());
        }
        let result = self.judge_failure(result);
        let error_kind = result.as_ref().err().map(ToolError::kind);
        if let Some(tool) = self.tool {
            tool.counters().count(duration, error_kind);
        }
        let door = self.cx.context().caller_type;
        self.engine.tally.count(self.lane, door, error_kind, duration);
        self.tell(&result, duration);
        self.trace(result.as_ref().err(), duration);
        tracing::debug!(
            call.id = %self.call_id,
            tool.name = %self.tool_name,
            is_success = result.is_ok(),
            ?duration,
            "a call has ended"
        );
        let (result, text) = match result {
            Ok(settled) => (Ok(settled.output), Some(settled.text)),
            Err(error) => (Err(error), None),
        };
        let version = self.tool.map(|tool| tool.version.clone());
        let receipt = match &self.engine.sink {
            None => Receipt::done(),
            Some(sink) => {
                let params = self.params.take().unwrap_or_else(|| JsonText::of(&self.input));
                let texts = (self.shown(params), text);
                sink.push(self.record(&result, texts, version.clone(), duration))
            }
        };
        let mut metadata = std::mem::take(&mut self.metadata);
        self.engine.redactor.fields(&mut metadata);
        self.engine.open.leave(self.lane);
        let outcome = Outcome {
            call_id: self.call_id,
            tool_name: self.tool_name.clone(),
            version,
            result,
            started_at: self.started_at,
            duration,
            metadata,
        };
        (outcome, receipt)
    }

    /// Takes secrets out of an error, and counts failures in a row.
    fn judge_failure(&self, result: Result<Settled, ToolError>) -> Result<Settled, ToolError> {
        let context = self.cx.context();
        match result {
            Ok(settled) => {
                self.engine.streaks.succeed(context, &self.tool_name);
                Ok(settled)
            }
            Err(error) => {
                if let Some(source) = std::error::Error::source(&error) {
                    let source = source.to_string();
                    let source = self.engine.redactor.text(&source).into_owned();
                    tracing::debug!(call.id = %self.call_id, tool.name = %self.tool_name, source);
                }
                let error = bounded(self.engine.redactor.error(error));
                Err(self.engine.streaks.fail(context, &self.tool_name, error))
            }
        }
    }

    fn tell(&self, result: &Result<Settled, ToolError>, duration: Duration) {
        let duration_ms = to_millis(duration);
        match result {
            Ok(settled) => self.emit(
                EventKind::ExecutionCompleted,
                || json!({ "result": settled.output, "duration_ms": duration_ms }),
            ),
            Err(error) => self.emit(
                EventKind::ExecutionFailed,
                || json!({ "error": error, "duration_ms": duration_ms }),
            ),
        }
    }

    /// Hands the call to who writes traces, if anybody does.
    fn trace(&self, error: Option<&ToolError>, duration: Duration) {
        let context = self.cx.context();
        let span = context.trace.filter(|span| span.is_sampled);
        let clean = |id: &Option<Text>| id.as_ref().map(|id| self.engine.redactor.label(id));
        if let (Some(tracer), Some(span)) = (&self.engine.tracer, span) {
            tracer.end(&TracedCall {
                span,
                parent: self.above,
                call_id: self.call_id,
                tool_name: &self.tool_name,
                door: context.caller_type,
                caller_id: clean(&context.caller_id),
                conversation_id: clean(&context.conversation_id),
                started_at: self.started_at,
                duration,
                error,
            });
        }
    }

    fn record(
        &self,
        result: &Result<Value, ToolError>,
        (params, text): (JsonText, Option<JsonText>),
        version: Option<Text>,
        duration: Duration,
    ) -> Record {
        let context = self.cx.context();
        let error = result.as_ref().err();
        let clean = |id: &Option<Text>| id.as_ref().map(|id| self.engine.redactor.label(id));
        Record {
            record_id: self.call_id,
            tool_name: self.tool_name.clone(),
            version,
            params,
            result: text,
            execution_time: duration,
            is_success: error.is_none(),
            error: error.map(|error| error.message().to_owned()),
            error_type: error.map(ToolError::kind),
            caller_id: clean(&context.caller_id),
            caller_type: context.caller_type,
            conversation_id: clean(&context.conversation_id),
            workflow_id: clean(&context.workflow_id),
            node_id: clean(&context.node_id),
            task_id: clean(&context.task_id),
            user_id: clean(&context.user_id),
            created_at: self.started_at,
        }
    }

    /// The input as others may see it: without secrets, and not without end.
    pub(crate) fn shown(&self, params: JsonText) -> JsonText {
        let params = match self.engine.redactor.text(params.as_str()) {
            Cow::Borrowed(_) => params,
            // Cleaned as a value: a secret with quotes in it could break the text.
            Cow::Owned(_) => {
                let mut value = params.to_value();
                self.engine.redactor.value(&mut value);
                JsonText::of(&value)
            }
        };
        let bytes = params.as_str().len();
        if bytes <= self.engine.config.max_recorded_bytes {
            return params;
        }
        let preview = beginning(params.as_str(), 4_096);
        JsonText::of(&json!({ "cut": true, "bytes": bytes, "preview": preview }))
    }
}

/// Cuts what a tool says about its failure: it goes to the model and into the record.
fn bounded(error: ToolError) -> ToolError {
    const MESSAGE: usize = 8 * 1_024;
    const DETAILS: usize = 64 * 1_024;
    let message = beginning(error.message(), MESSAGE).to_owned();
    let is_long = message.len() < error.message().len();
    let error = if is_long { error.with_message(format!("{message}…")) } else { error };
    if error.details().is_null() || JsonText::of(error.details()).as_str().len() <= DETAILS {
        return error;
    }
    error.with_details(json!({ "cut": true }))
}

/// A trace that was not closed belongs to a caller that went away.
impl Drop for Trace<'_> {
    fn drop(&mut self) {
        if self.is_open {
            let why = cancelled(self.end());
            let (_outcome, _receipt) = self.finish(Err(why));
        }
    }
}
