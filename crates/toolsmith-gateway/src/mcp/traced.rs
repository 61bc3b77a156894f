//! Requests of MCP in traces, by the conventions for the Model Context Protocol.

use std::future::Future;

use serde::Deserialize;
use tokio::time::Instant;
use toolsmith_core::{Text, TraceContext, Tracer as _};

use super::{
    Answer,
    refusal::Refusal,
    revision::Revision,
    wire::{self, Request},
};
use crate::{
    Gateway, Telemetry,
    telemetry::{Role, Span, Value, here, within},
};

/// What is told of a request besides itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'a> {
    /// In which revision it is written.
    pub(crate) revision: Revision,
    /// The session that it belongs to.
    pub(crate) session: Option<&'a str>,
}

/// What a trace shows of the parameters: no argument, only what is asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    name: Option<String>,
    uri: Option<String>,
    #[serde(rename = "_meta")]
    meta: Meta,
}

/// Where the client stands in its trace (SEP-414).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Meta {
    traceparent: Option<String>,
}

/// Answers a request as a part of a trace.
pub(crate) async fn request(
    (gateway, telemetry): (&Gateway, &Telemetry),
    request: &Request<'_>,
    told: Told<'_>,
    answering: impl Future<Output = Result<Answer, Refusal>>,
) -> Result<Answer, Refusal> {
    let shown: Shown = wire::params(request.params).unwrap_or_default();
    let client = shown.meta.traceparent.as_deref().and_then(|text| text.parse().ok());
    let parent: Option<TraceContext> = client.or_else(here);
    let place = telemetry.begin(parent);
    let (started_at, started) = (gateway.0.engine.now(), Instant::now());
    let answer = within(place, answering).await;
    let refusal = answer.as_ref().err();
    telemetry.take(Span {
        place,
        parent,
        name: name_of(request, &shown),
        role: Role::Server,
        started_at,
        duration: started.elapsed(),
        attributes: attributes(request, &shown, told, refusal),
        is_failed: refusal.is_some(),
    });
    answer
}

/// The method, and the tool or prompt behind it; addresses of resources are too many for names.
fn name_of(request: &Request<'_>, shown: &Shown) -> String {
    match &shown.name {
        Some(name) => format!("{} {}", cut(&request.method), cut(name)),
        None => cut(&request.method).to_string(),
    }
}

fn attributes(
    request: &Request<'_>,
    shown: &Shown,
    told: Told<'_>,
    refusal: Option<&Refusal>,
) -> Vec<(&'static str, Value)> {
    let mut attributes = vec![
        ("mcp.method.name", Value::Text(cut(&request.method))),
        ("mcp.protocol.version", told.revision.as_str().into()),
        ("jsonrpc.request.id", Value::Text(cut(request.id.as_json().trim_matches('"')))),
    ];
    let mut put = |name, text: Option<&str>| {
        attributes.extend(text.map(|text| (name, Value::Text(cut(text)))));
    };
    put("mcp.session.id", told.session);
    put("mcp.resource.uri", shown.uri.as_deref());
    match request.method.as_ref() {
        "tools/call" => {
            put("gen_ai.operation.name", Some("execute_tool"));
            put("gen_ai.tool.name", shown.name.as_deref());
        }
        "prompts/get" => put("gen_ai.prompt.name", shown.name.as_deref()),
        _ => {}
    }
    if let Some(refusal) = refusal {
        let code = refusal.code().to_string();
        put("rpc.response.status_code", Some(&code));
        put("error.type", Some(&code));
    }
    attributes
}

/// Cuts what a client wrote: it may be as long as they like.
fn cut(text: &str) -> Text {
    Text::from(text.get(..text.floor_char_boundary(256)).unwrap_or_default())
}
