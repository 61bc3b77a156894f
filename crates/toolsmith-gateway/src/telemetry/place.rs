//! Where in a trace the request stands that is being answered.
//!
//! It belongs to the task and not to the arguments of every function between a connection and its
//! call: most of the time there is none, and then nobody carries it.

use std::future::Future;

use toolsmith_core::TraceContext;

tokio::task_local! {
    static PLACE: TraceContext;
}

/// Answers something at a place of a trace.
pub(crate) async fn within<F: Future>(place: TraceContext, answering: F) -> F::Output {
    PLACE.scope(place, answering).await
}

/// Returns the place of what is being answered, if it has one.
pub(crate) fn here() -> Option<TraceContext> {
    PLACE.try_with(|place| *place).ok()
}
