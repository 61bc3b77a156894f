//! Stage 5, reuse: was the call answered already?
//!
//! Idempotency keys are a promise to the caller, and looked at before anybody is asked for approval;
//! a cached answer comes after it. Neither takes a slot, a rate or a budget.

use std::sync::Arc;

use toolsmith_core::{CallId, JsonText, Kind, ToolError, json};

use crate::{
    registry::Entry,
    reuse::{Answer, CacheLead, Cached, KeyFirst, Keyed, normalised, scope_of},
    stages::{record::Trace, settle::Settled},
};

/// Whether the tool has to run.
pub(crate) enum Reuse<'a> {
    /// No: this is the answer.
    Answered(Settled),
    /// Yes: and others wait for what comes of it.
    Run(Claim<'a>),
}

/// What the running call owes to others.
#[derive(Debug, Default)]
pub(crate) struct Claim<'a> {
    key: Option<KeyFirst<'a>>,
    cache: Option<CacheLead<'a>>,
}

/// Finds what came of the call that had the same idempotency key.
pub(crate) async fn by_key<'t, 'a: 't>(trace: &mut Trace<'a>) -> Result<Reuse<'t>, ToolError> {
    let mut claim = Claim::default();
    if let Some(key) = trace.cx.context().idempotency_key.clone() {
        let scope = scope_of(trace.cx.context());
        let key = format!("{}\n{scope}\n{key}", trace.tool_name);
        match look_up(trace, &key).await? {
            Found::Answer(answer) => return answered(trace, &answer, "idempotency_key"),
            Found::Nothing(first) => claim.key = Some(first),
        }
    }
    Ok(Reuse::Run(claim))
}

/// Finds what came of an equal call of a tool whose answers are kept.
pub(crate) async fn from_cache<'t, 'a: 't>(
    trace: &mut Trace<'a>,
    tool: &'t Entry,
    mut claim: Claim<'t>,
) -> Result<Reuse<'t>, ToolError> {
    if let Some(cache) = &tool.live().cache {
        let mut key = normalised(&trace.input);
        if !cache.is_shared() {
            key.push_str(&scope_of(trace.cx.context()));
        }
        if tool.spec.kind == Kind::Stateful {
            let context = trace.cx.context();
            key = format!("{key}{:?}{:?}", context.thread_id, context.conversation_id);
        }
        loop {
            match cache.look(&key) {
                Cached::Hit(answer) => return answered(trace, &answer, "cache"),
                // The equal call may be waiting for the slot that carries this one.
                Cached::UnderWay(_) if trace.is_nested => break,
                Cached::UnderWay(mut landing) => {
                    if let Some(answer) = landing.wait(trace.deadline()).await? {
                        return answered(trace, &answer, "equal_call");
                    }
                }
                Cached::Lead(lead) => {
                    claim.cache = Some(lead);
                    break;
                }
            }
        }
    }
    Ok(Reuse::Run(claim))
}

enum Found<'a> {
    Answer(Arc<Answer>),
    Nothing(KeyFirst<'a>),
}

async fn look_up<'a>(trace: &Trace<'a>, key: &str) -> Result<Found<'a>, ToolError> {
    let keys = &trace.engine.keys;
    let input = normalised(&trace.input);
    loop {
        match keys.look(key, &input)? {
            Keyed::Done(answer) => return Ok(Found::Answer(answer)),
            Keyed::First(first) => return Ok(Found::Nothing(first)),
            Keyed::UnderWay(mut landing) => {
                if let Some(answer) = landing.wait(trace.deadline()).await? {
                    return Ok(Found::Answer(answer));
                }
            }
        }
    }
}

fn answered<'a>(
    trace: &mut Trace<'_>,
    answer: &Answer,
    from: &str,
) -> Result<Reuse<'a>, ToolError> {
    trace.note("reused", json!({ "from": from, "call_id": answer.call_id }));
    let output = answer.result.clone()?;
    let text = JsonText::of(&output);
    Ok(Reuse::Answered(Settled { output, text }))
}

impl Claim<'_> {
    /// Says that the tool is about to run.
    pub(crate) fn start(&mut self, call_id: CallId) {
        if let Some(key) = &mut self.key {
            key.start(call_id);
        }
    }

    /// Leaves what came of the call for those who wait, and for those who come later.
    pub(crate) fn land(self, call_id: CallId, settled: &Result<Settled, ToolError>) {
        if self.key.is_none() && self.cache.is_none() {
            return;
        }
        let result = settled.as_ref().map(|settled| settled.output.clone()).map_err(Clone::clone);
        let answer = Arc::new(Answer { call_id, result });
        if let Some(key) = self.key {
            key.land(&answer);
        }
        if let Some(cache) = self.cache {
            cache.land(&answer);
        }
    }
}
