//! `GET /calls/{id}`: how a call is, or what came of it.

use axum::extract::State;
use serde::Serialize;
use toolsmith_core::{CallId, ErrorKind, Map, Outcome, Record, ToolError};

use super::{
    answer::{Failure, Json},
    asked::OfCall,
};
use crate::{Gateway, Visitor};

/// How a call is.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    call_id: CallId,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Record>,
}

/// Answers how a call is; one of somebody else is not there.
pub(super) async fn show(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    OfCall(call_id): OfCall,
) -> Result<Json<Report>, Failure> {
    let record = gateway.store()?.record(call_id).await?;
    let record = record.filter(|record| visitor.may_see(record.caller_id.as_ref()));
    let record = record.ok_or_else(no_such_call)?;
    let outcome = Some(outcome_of(&record));
    Ok(Json(Report { call_id, state: "finished", outcome, record: Some(record) }))
}

pub(super) fn no_such_call() -> Failure {
    Failure::not_found("There is no such call.")
}

/// Returns what came of a call as far as its record knows: notes and details are not in it.
fn outcome_of(record: &Record) -> Outcome {
    let result = match (&record.result, record.is_success) {
        (Some(output), true) => Ok(output.to_value()),
        (None, true) => Ok(toolsmith_core::Value::Null),
        (_, false) => {
            let kind = record.error_type.unwrap_or(ErrorKind::ExecutionError);
            Err(ToolError::new(kind, record.error.clone().unwrap_or_default()))
        }
    };
    Outcome {
        call_id: record.record_id,
        tool_name: record.tool_name.clone(),
        version: record.version.clone(),
        result,
        started_at: record.created_at,
        duration: record.execution_time,
        metadata: Map::new(),
    }
}
