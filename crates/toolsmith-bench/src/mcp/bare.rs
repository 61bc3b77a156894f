//! The other side: the library's own client and transports, and nothing else.
//!
//! HTTP goes through connections of the same settings as ours: what is compared is the protocol.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, ContentBlock},
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::Value;
use tokio::process::{Child, Command};
use toolsmith_net::Guard;

use super::Way;
use crate::machine::this_program;

/// A client of a server.
pub(super) struct Bare {
    client: RunningService<RoleClient, ()>,
    _server: Option<Child>,
}

impl Bare {
    pub(super) async fn start(way: &Way) -> Result<Self> {
        let starts = match way {
            Way::Program { starts } => starts,
            Way::Address(url) => {
                let net = toolsmith_net::Client::new(toolsmith_net::Settings::default())?;
                let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
                let connections = net.connections(Guard::Trusted)?;
                let transport = StreamableHttpClientTransport::with_client(connections, config);
                return Ok(Self { client: ().serve(transport).await?, _server: None });
            }
        };
        let mut server = Command::new(this_program()?)
            .args(["serve-mcp-echo", "--starts", starts])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let pipes = server.stdout.take().zip(server.stdin.take()).context("no pipes")?;
        Ok(Self { client: ().serve(pipes).await?, _server: Some(server) })
    }

    pub(super) async fn call(&self, input: Value) -> Result<Value> {
        let Value::Object(arguments) = input else { return Ok(Value::Null) };
        let params = CallToolRequestParams::new("echo").with_arguments(arguments);
        let result = self.client.call_tool(params).await?;
        match result.content.into_iter().next() {
            Some(ContentBlock::Text(text)) => Ok(Value::String(text.text)),
            other => bail!("no text: {other:?}"),
        }
    }
}
