//! `GET /calls/{id}`: how a call is, or what came of it; `DELETE` ends it.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::{CallId, ErrorKind, Map, Outcome, Record, ToolError};

use super::{
    answer::{Accepted, Failure, Json},
    asked::OfCall,
};
use crate::{Gateway, Visitor, underway::Progress};

/// How a call is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CallReport")]
pub(super) struct Report {
    call_id: CallId,
    state: Stage,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Record>,
}

/// How far a call is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Stage {
    Running,
    Cancelling,
    Finished,
}

/// Answers how a call is; one of somebody else is not there.
pub(super) async fn show(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    OfCall(call_id): OfCall,
) -> Result<Json<Report>, Failure> {
    if let Some((caller, progress)) = gateway.0.underway.look_up(call_id) {
        if !visitor.may_see(Some(&caller)) {
            return Err(no_such_call());
        }
        return Ok(Json(Report::of(call_id, &progress)));
    }
    let record = recorded(&gateway, &visitor, call_id).await?;
    let outcome = Some(outcome_of(&record));
    Ok(Json(Report { call_id, state: Stage::Finished, outcome, record: Some(record) }))
}

/// Ends a call that is under way; one that has ended stays as it is.
pub(super) async fn cancel(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    OfCall(call_id): OfCall,
) -> Result<Response, Failure> {
    let underway = &gateway.0.underway;
    match underway.look_up(call_id) {
        Some((caller, _)) if !visitor.may_see(Some(&caller)) => Err(no_such_call()),
        Some((_, Progress::Running)) => {
            underway.cancel(call_id);
            let report = Report { call_id, state: Stage::Cancelling, outcome: None, record: None };
            Ok(Accepted(report).into_response())
        }
        Some((_, progress)) => Ok(Json(Report::of(call_id, &progress)).into_response()),
        None => Ok(show(State(gateway), visitor, OfCall(call_id)).await.into_response()),
    }
}

impl Report {
    fn of(call_id: CallId, progress: &Progress) -> Self {
        let (state, outcome) = match progress {
            Progress::Running => (Stage::Running, None),
            Progress::Finished(outcome) => (Stage::Finished, Some(Outcome::clone(outcome))),
        };
        Self { call_id, state, outcome, record: None }
    }
}

async fn recorded(gateway: &Gateway, visitor: &Visitor, id: CallId) -> Result<Record, Failure> {
    let record = gateway.store()?.record(id).await?;
    let record = record.filter(|record| visitor.may_see(record.caller_id.as_ref()));
    record.ok_or_else(no_such_call)
}

fn no_such_call() -> Failure {
    Failure::not_found("There is no such call.")
}

/// Returns what came of a call as far as its record knows: notes and details are not in it.
pub(crate) fn outcome_of(record: &Record) -> Outcome {
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
