//! Calls to a server, past the library's loop.
//!
//! The library hands a request through a channel to its loop, which copies it, sends it in a task of
//! its own and keeps it in tables for cases that calls do not have. A call on pipes writes its line
//! itself, and the reader of the pipes hands the answer to it; a call over HTTP is posted by whoever
//! makes it. All else stays with the library.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use rmcp::model::{
    CallToolRequestParams, ClientConfig, InputResponses, JsonObject, ProtocolVersion, RequestId,
    RequestMetaObject,
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use toolsmith_core::TraceContext;

use super::{
    behalf::{Behalf, CAPABILITIES, LEVEL},
    calls::FIRST,
    listing::Listing,
    outbox::Outbox,
    posts::Posts,
};

/// The way of calls to a server.
#[derive(Debug)]
pub(super) struct Express {
    pub(super) way: Way,
    next: AtomicI64,
    /// What every request says about us, in revisions that have no greeting to say it.
    about_us: JsonObject,
}

/// How calls get to a server.
#[derive(Debug)]
pub(super) enum Way {
    Pipes(Arc<Outbox>),
    Http(Box<Posts>),
}

impl Express {
    pub(super) fn new(way: Way, about_us: JsonObject) -> Self {
        Self { way, next: AtomicI64::new(FIRST), about_us }
    }

    /// Returns the number of the next call, which is that of its progress too.
    pub(super) fn number(&self) -> i64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells whether calls of a tool can be made here.
    pub(super) fn takes(&self, tool: &str) -> bool {
        match &self.way {
            Way::Pipes(_) => true,
            Way::Http(posts) => posts.takes(tool),
        }
    }

    /// Takes note of the tools that the server lists.
    pub(super) fn note(&self, listing: &Listing) {
        if let Way::Http(posts) = &self.way {
            posts.note(listing);
        }
    }

    /// Returns a call, to be written.
    pub(super) fn request<'a>(
        &'a self,
        number: i64,
        params: &'a CallToolRequestParams,
        behalf: Option<&'a Behalf>,
        trace: Option<TraceContext>,
    ) -> Request<'a> {
        request(Meta { about_us: &self.about_us, behalf, token: number, trace }, params)
    }

    /// Forgets a call that nobody waits for any more.
    pub(super) fn forget(&self, id: &RequestId) {
        if let (Way::Pipes(outbox), RequestId::Number(number)) = (&self.way, id) {
            outbox.calls.forget(*number);
        }
    }

    /// Tells whether no answer comes any more.
    pub(super) fn is_over(&self) -> bool {
        match &self.way {
            Way::Pipes(outbox) => outbox.calls.is_over(),
            Way::Http(posts) => posts.is_over(),
        }
    }
}

/// Returns what every request says about us in a session of this revision.
pub(super) fn about_us(revision: &ProtocolVersion, us: ClientConfig) -> JsonObject {
    let mut meta = RequestMetaObject::new();
    if !revision.has_initialize() {
        meta.set_protocol_version(revision.clone());
        meta.set_client_info(us.client_info);
        meta.set_client_capabilities(us.capabilities);
    }
    meta.0.0
}

/// A call, as it is written.
#[derive(Serialize)]
pub(super) struct Request<'a> {
    jsonrpc: &'static str,
    id: i64,
    method: &'static str,
    params: Params<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(rename = "_meta")]
    meta: Meta<'a>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a JsonObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_responses: Option<&'a InputResponses>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<&'a str>,
}

struct Meta<'a> {
    about_us: &'a JsonObject,
    behalf: Option<&'a Behalf>,
    token: i64,
    trace: Option<TraceContext>,
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.about_us {
            match self.behalf {
                Some(behalf) if key == CAPABILITIES => {
                    map.serialize_entry(key, &behalf.capabilities)?;
                }
                _ => map.serialize_entry(key, value)?,
            }
        }
        if let Some(level) = self.behalf.and_then(|behalf| behalf.level) {
            map.serialize_entry(LEVEL, &level)?;
        }
        map.serialize_entry("progressToken", &self.token)?;
        if let Some(trace) = &self.trace {
            map.serialize_entry("traceparent", &trace.to_string())?;
        }
        map.end()
    }
}

fn request<'a>(meta: Meta<'a>, params: &'a CallToolRequestParams) -> Request<'a> {
    Request {
        jsonrpc: "2.0",
        id: meta.token,
        method: "tools/call",
        params: Params {
            meta,
            name: &params.name,
            arguments: params.arguments.as_ref(),
            input_responses: params.input_responses.as_ref(),
            request_state: params.request_state.as_deref(),
        },
    }
}

#[cfg(test)]
mod tests {
    use rmcp::{
        model::{
            CallToolRequest, ClientCapabilities, ClientRequest, ElicitationCapability,
            Implementation,
        },
        service::{ClientLifecycleMode, PeerRequestOptions, serve_client_with_lifecycle},
    };
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
        net::unix::pipe,
    };

    use toolsmith_core::LogLevel;

    use super::*;
    use crate::mcp::pipes::Pipes;

    fn us() -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::default());
        ClientConfig::new(capabilities, Implementation::new("toolsmith", "1"))
    }

    /// Greets as a server of this revision; returns the call that follows, in our number.
    async fn receive_call(
        revision: &ProtocolVersion,
        stdin: pipe::Receiver,
        mut stdout: pipe::Sender,
    ) -> String {
        let mut lines = BufReader::new(stdin).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            let message: Value = serde_json::from_str(&line).unwrap();
            let id = &message["id"];
            let server = json!({ "name": "server", "version": "1" });
            let mut result = json!({ "capabilities": {}, "serverInfo": server });
            match message["method"].as_str() {
                Some("tools/call") => {
                    let token = &message["params"]["_meta"]["progressToken"];
                    return line
                        .replace(&format!("\"id\":{id}"), &format!("\"id\":{FIRST}"))
                        .replace(&format!("Token\":{token}"), &format!("Token\":{FIRST}"));
                }
                Some("initialize") => {
                    result["protocolVersion"] = json!(revision);
                }
                Some("server/discover") => {
                    result["resultType"] = "complete".into();
                    result["supportedVersions"] = json!([revision]);
                    result["ttlMs"] = 0.into();
                    result["cacheScope"] = "private".into();
                }
                _ => continue,
            }
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            stdout.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
        panic!("no call came");
    }

    /// Returns what the library writes for a call in a session of this revision.
    async fn line_of_library(
        revision: &ProtocolVersion,
        params: &CallToolRequestParams,
        behalf: Option<Behalf>,
    ) -> String {
        let (stdin, their_input) = pipe::pipe().unwrap();
        let (their_output, stdout) = pipe::pipe().unwrap();
        let preferred_versions = vec![revision.clone()];
        let mode = if revision.has_initialize() {
            ClientLifecycleMode::Initialize
        } else {
            ClientLifecycleMode::Discover { preferred_versions }
        };
        let calling = async {
            let pipes = Pipes::new(stdin, stdout, Arc::default());
            let service = serve_client_with_lifecycle(us(), pipes, mode).await.unwrap();
            let request = CallToolRequest::new(params.clone());
            let request = ClientRequest::CallToolRequest(request);
            let mut options = PeerRequestOptions::no_options();
            if let Some(behalf) = behalf {
                options = options.with_meta(behalf.into_meta());
            }
            let sent = service.peer().send_request_with_option(request, options).await;
            sent.unwrap().await_response().await
        };
        tokio::select! {
            line = receive_call(revision, their_input, their_output) => line,
            answer = calling => panic!("{answer:?}"),
        }
    }

    #[tokio::test]
    async fn a_call_is_written_as_the_library_writes_it() {
        let arguments = json!({ "text": "a \"quoted\" line\n", "list": [1, 2.5, null, {}] });
        let answers = [("name".to_owned(), json!({ "action": "decline" }))];
        let plain = CallToolRequestParams::new("echo");
        let full = plain.clone().with_arguments(arguments.as_object().unwrap().clone());
        let mut again = full.clone().with_input_responses(answers.into());
        again.request_state = Some("state".to_owned());
        for revision in [ProtocolVersion::LATEST_WITH_INITIALIZE, ProtocolVersion::LATEST] {
            let about_us = about_us(&revision, us());
            let behalf = (!revision.has_initialize()).then(|| Behalf {
                capabilities: ClientCapabilities::default(),
                level: Some(LogLevel::Notice),
            });
            for (params, behalf) in
                [(&plain, None), (&full, behalf.clone()), (&again, None), (&again, behalf)]
            {
                let meta = Meta {
                    about_us: &about_us,
                    behalf: behalf.as_ref(),
                    token: FIRST,
                    trace: None,
                };
                let ours = serde_json::to_string(&request(meta, params)).unwrap();
                assert_eq!(ours, line_of_library(&revision, params, behalf).await);
            }
        }
    }
}
