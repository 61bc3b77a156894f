//! A plain server of rmcp: without sessions and with JSON answers, which is its fastest way.

use std::sync::Arc;

use anyhow::Result;
use axum::{Router, serve::ListenerExt};
use rmcp::{
    Json, ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    tool, tool_handler, tool_router,
    transport::{
        stdio,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{listen, runtime};
use crate::machine::{keep_up_with_session, stay_on};

/// What is said, there and back.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    /// The text to give back.
    message: String,
}

struct Echo {
    tool_router: ToolRouter<Self>,
}

#[tool_router(router = tool_router)]
impl Echo {
    #[tool(name = "echo", description = "Returns the message unchanged.")]
    async fn echo(&self, said: Parameters<Said>) -> Result<Json<Said>, String> {
        Ok(Json(said.0))
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Echo {}

/// Serves until it is killed.
pub(crate) fn serve() -> Result<()> {
    // One for all requests: a router made for each of them would cost more than the call.
    let echo = Arc::new(Echo { tool_router: Echo::tool_router() });
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None);
    let service = StreamableHttpService::new(
        move || Ok(Arc::clone(&echo)),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let router = Router::new().nest_service("/mcp", service);
    runtime()?.block_on(async {
        let listener = listen().await?.tap_io(|stream| {
            stream.set_nodelay(true).ok();
        });
        Ok(axum::serve(listener, router).await?)
    })
}

/// Speaks on standard streams until they end, on a core of its own.
pub(crate) fn speak(core: usize, priority_of_session: &str) -> Result<()> {
    stay_on(core)?;
    keep_up_with_session(priority_of_session);
    let echo = Echo { tool_router: Echo::tool_router() };
    runtime()?.block_on(async {
        echo.serve(stdio()).await?.waiting().await?;
        Ok(())
    })
}
