//! What is known of the request that is being answered: its place in a trace, and its call.
//!
//! It belongs to the task and not to the arguments of every function between a connection and its
//! call: most of the time nobody wants to know, and then nobody carries it.

use std::{cell::Cell, future::Future};

use toolsmith_core::{CallId, TraceContext};

tokio::task_local! {
    static PLACE: TraceContext;
    static CALL: Cell<Option<CallId>>;
}

/// Answers something at a place of a trace.
pub(crate) async fn within<F: Future>(place: TraceContext, answering: F) -> F::Output {
    PLACE.scope(place, answering).await
}

/// Returns the place of what is being answered, if it has one.
pub(crate) fn here() -> Option<TraceContext> {
    PLACE.try_with(|place| *place).ok()
}

/// Answers something, and tells which call was made for it.
pub(crate) async fn noting<F: Future>(answering: F) -> (F::Output, Option<CallId>) {
    let work = async {
        let output = answering.await;
        (output, CALL.with(Cell::get))
    };
    CALL.scope(Cell::new(None), work).await
}

/// Notes the call that a request came to, if anybody wants to know.
pub(crate) fn note(call_id: CallId) {
    CALL.try_with(|call| call.set(Some(call_id))).ok();
}
