//! A bare axum handler: it parses, checks the schema, runs and serialises, and nothing else.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use axum::{Json, Router, extract::State, http::StatusCode, routing::post, serve::ListenerExt};
use jsonschema::Validator;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{SCHEMA, listen, runtime};

#[derive(Deserialize)]
struct Call {
    tool_id: String,
    params: Value,
}

#[derive(Serialize)]
struct Outcome {
    success: bool,
    output: Value,
}

/// Serves until it is killed.
pub(crate) fn serve() -> Result<()> {
    let schema: Value = serde_json::from_str(SCHEMA)?;
    let schema = jsonschema::validator_for(&schema).map_err(|error| anyhow!("{error}"))?;
    let router = Router::new().route("/run_tool", post(run_tool)).with_state(Arc::new(schema));
    runtime()?.block_on(async {
        let listener = listen().await?.tap_io(|stream| {
            stream.set_nodelay(true).ok();
        });
        Ok(axum::serve(listener, router).await?)
    })
}

async fn run_tool(
    State(schema): State<Arc<Validator>>,
    Json(call): Json<Call>,
) -> Result<Json<Outcome>, StatusCode> {
    if call.tool_id != "echo" {
        return Err(StatusCode::NOT_FOUND);
    }
    if !schema.is_valid(&call.params) {
        return Err(StatusCode::BAD_REQUEST);
    }
    Ok(Json(Outcome { success: true, output: call.params }))
}
