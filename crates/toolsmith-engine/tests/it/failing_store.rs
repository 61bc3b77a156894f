//! A store that cannot keep its promise.

use std::sync::Arc;

use toolsmith_core::{ErrorKind, Receipt, Record, RecordSink, ToolError};
use toolsmith_engine::Engine;

use crate::fakes::{call, echo, verdict};

/// Refuses new calls, and says of every record that it is not safe.
#[derive(Debug)]
struct Failing;

impl RecordSink for Failing {
    fn push(&self, _record: Record) -> Receipt {
        Receipt::not_safe()
    }

    fn ready(&self) -> Result<(), ToolError> {
        Err(ToolError::new(ErrorKind::Rejected, "The record store cannot write."))
    }
}

#[tokio::test]
async fn calls_are_refused_at_once_and_say_that_they_are_unrecorded() {
    let engine = Engine::builder().tool(echo()).with_records(Arc::new(Failing)).build().unwrap();
    for (tool, expected) in [("echo", "rejected"), ("nowhere", "tool_not_found")] {
        let outcome = engine.call(call(tool)).await;
        assert_eq!(verdict(&outcome), expected);
        assert_eq!(outcome.metadata["unrecorded"], true);
    }
}
