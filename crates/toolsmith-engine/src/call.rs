//! The line of a call: what happens to every call, from top to bottom.
//!
//! Each stage is a function in a file of its own under `stages/`. A feature finds its stage; it
//! does not add a second path or a flag here.

use std::pin::pin;

use toolsmith_core::{Call, Outcome, ToolError};

use crate::{
    engine::Parts,
    stages::{
        admit, approve, authorize, record, record::Trace, resolve, reuse, reuse::Reuse, run,
        settle, settle::Settled, validate,
    },
};

/// Takes a call through the line; whatever happens, one record and one final event come of it.
pub(crate) async fn call(engine: &Parts, call: Call) -> Outcome {
    let view = engine.registry.view();
    let mut trace = record::open(engine, call, &view);
    let (token, end) = (trace.cancel.take(), trace.end());
    let result = run::unless_cancelled(token, end, pin!(walk(&mut trace))).await;
    record::close(trace, result).await
}

/// Refuses a call before it begins its way; it is recorded and told like any other.
pub(crate) async fn refuse(engine: &Parts, call: Call, why: ToolError) -> Outcome {
    let view = engine.registry.view();
    let trace = record::open(engine, call, &view);
    record::close(trace, Err(why)).await
}

async fn walk(trace: &mut Trace<'_>) -> Result<Settled, ToolError> {
    let tool = resolve::resolve(trace)?;
    authorize::authorize(trace, tool).await?;
    validate::validate(trace, tool).await?;
    // A promise to the caller comes before everything else: its repetition is asked about by nobody.
    let claim = match reuse::by_key(trace).await? {
        Reuse::Answered(settled) => return Ok(settled),
        Reuse::Run(claim) => claim,
    };
    let grant = approve::approve(trace, tool)?;
    let claim = match reuse::from_cache(trace, tool, claim).await? {
        Reuse::Answered(settled) => return Ok(settled),
        Reuse::Run(claim) => claim,
    };
    let slot = admit::admit(trace, tool).await?;
    let executor = run::ready(trace, tool, &slot)?;
    let claim = run::begin(trace, grant, claim);
    let output = run::run(trace, tool, executor, &slot).await;
    // The slot is given back before anything slow is done with the output.
    drop(slot);
    let settled = settle::settle(trace, tool, output).await;
    claim.land(trace.call_id, &settled);
    settled
}
