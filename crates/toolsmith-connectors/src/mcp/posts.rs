//! Calls to a server over HTTP, past the library's loops.
//!
//! The library hands a request through two loops and a task of its own to the connections, and the
//! answer all the way back. A call is sent by whoever makes it, who reads the answer too. What else
//! comes on the stream of an answer is handed to the library, as if it had been sent by that.

use std::{collections::HashSet, fmt, future::pending, sync::Arc};

use http::{StatusCode, header::CONTENT_TYPE};
use parking_lot::RwLock;
use rmcp::{
    RoleClient, ServiceError,
    model::{JsonObject, ProtocolVersion, ServerResult},
    transport::{DynamicTransportError, streamable_http_client::StreamableHttpError},
};
use tokio::sync::mpsc;
use toolsmith_core::{Secret, Value};
use toolsmith_net::{Answer as HttpAnswer, HeaderName, HeaderValue, Message as HttpMessage};

use super::{
    answers::{self, Message},
    calls::{Answer, Calls},
    events::{Events, events},
    joined::{Ends, Joined},
    keeper::Chore,
    listing::Listing,
    refusals::Refusal,
    session::Unanswered,
    wire::{EVENTS, Headers, HttpError, JSON, LONGEST_MESSAGE, Wire, is_of, read},
};

/// Names the revision that a message is of.
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Names the method of a request, where requests stand for themselves.
const METHOD: HeaderName = HeaderName::from_static("mcp-method");

/// Names the tool of a call, where requests stand for themselves.
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Marks an argument that stands in a header too.
const MARK: &str = "x-mcp-header";

/// What a value in a header begins with that is not meant as it stands.
const ENCODED: &str = "=?base64?";

/// What calls need besides the transport of their session.
pub(super) struct Line {
    pub(super) wire: Wire,
    /// Where every message goes.
    pub(super) uri: Arc<str>,
    /// What the operator has every message carry.
    pub(super) headers: Headers,
    pub(super) token: Option<Secret>,
    pub(super) ends: Ends,
}

/// The way of calls to a server over HTTP.
pub(super) struct Posts {
    pub(super) line: Line,
    pub(super) session: Option<Arc<str>>,
    /// A request without what is a call's own.
    template: HttpMessage,
    /// Whether requests stand for themselves, with their tools in their headers.
    names_tools: bool,
    /// The tools with arguments that stand in headers, which the library sees to.
    marked: RwLock<HashSet<String>>,
    pub(super) chores: mpsc::UnboundedSender<Chore>,
}

impl Posts {
    /// Prepares the calls of a session that was opened; nothing when they cannot be.
    pub(super) fn new(
        mut line: Line,
        revision: &ProtocolVersion,
        chores: mpsc::UnboundedSender<Chore>,
    ) -> Option<Self> {
        let session = line.wire.session.get().cloned();
        line.headers.insert(REVISION, HeaderValue::from_str(revision.as_str()).ok()?);
        let token = line.token.as_ref().map(|token| token.expose().to_owned());
        let request = line.wire.request(&line.uri, line.headers.clone(), session.as_deref(), token);
        let mut template = request.build().ok()?;
        let names_tools = !revision.has_initialize();
        if names_tools {
            template.headers_mut().insert(METHOD, HeaderValue::from_static("tools/call"));
        }
        let marked = RwLock::default();
        Some(Self { line, session, template, names_tools, marked, chores })
    }

    /// Takes note of the tools that the server lists.
    pub(super) fn note(&self, listing: &Listing) {
        if self.names_tools {
            let marked = listing.tools.iter().filter(|(_, tool)| is_marked(&tool.input_schema));
            *self.marked.write() = marked.map(|(name, _)| name.clone()).collect();
        }
    }

    /// Tells whether calls of a tool can be made here.
    pub(super) fn takes(&self, tool: &str) -> bool {
        if !self.names_tools {
            return true;
        }
        let is_plain = tool.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain && !tool.starts_with(ENCODED) && !self.marked.read().contains(tool)
    }

    /// Tells whether no answer comes any more.
    pub(super) fn is_over(&self) -> bool {
        self.line.ends.calls.is_over()
    }

    /// Makes a call; its body is written already.
    pub(super) async fn call(
        &self,
        number: i64,
        tool: &str,
        body: Vec<u8>,
    ) -> Result<ServerResult, Unanswered> {
        let calls = &*self.line.ends.calls;
        let Some(told) = calls.enter(number) else { return Err(Unanswered::Unsent) };
        let _entered = Entered { calls, number };
        let answer = tokio::select! {
            biased;
            answer = self.exchange(number, tool, body) => answer,
            // It came on another stream, or the session is over.
            told = told => told.map_err(|_| ServiceError::TransportClosed),
        };
        let answer = answer.and_then(|answer| answer.map_err(ServiceError::McpError));
        answer.map_err(Unanswered::Service)
    }

    async fn exchange(
        &self,
        number: i64,
        tool: &str,
        body: Vec<u8>,
    ) -> Result<Answer, ServiceError> {
        match self.post(number, tool, body).await.map_err(failed)? {
            Came::Answer(answer) => Ok(answer),
            Came::Events(events) => Box::pin(self.follow(number, events)).await,
            Came::Nothing => pending().await,
        }
    }

    async fn post(&self, number: i64, tool: &str, body: Vec<u8>) -> Result<Came, HttpError> {
        let wire = &self.line.wire;
        let answer = wire.connections.execute(self.request(tool, body)?).await;
        let answer = answer.map_err(StreamableHttpError::Client)?;
        match answer.status() {
            StatusCode::ACCEPTED => Ok(Came::Nothing),
            StatusCode::NO_CONTENT => {
                Err(StreamableHttpError::UnexpectedServerResponse("no content".into()))
            }
            StatusCode::NOT_FOUND if self.session.is_some() => {
                Err(StreamableHttpError::SessionExpired)
            }
            status if status.is_success() => self.accept(number, answer).await,
            _ => {
                let mut refusal = Refusal::read(answer).await?;
                let told = refusal.told.take().ok_or_else(|| refusal.into_error())?;
                Ok(Came::Answer(Err(told.error)))
            }
        }
    }

    fn request(&self, tool: &str, body: Vec<u8>) -> Result<HttpMessage, HttpError> {
        let broken = || StreamableHttpError::UnexpectedServerResponse("no request".into());
        let mut request = self.template.try_clone().ok_or_else(broken)?;
        if self.names_tools {
            let name = HeaderValue::from_str(tool).map_err(|_| broken())?;
            request.headers_mut().insert(NAME, name);
        }
        *request.body_mut() = Some(body.into());
        Ok(request)
    }

    /// Takes the answer of a success.
    async fn accept(&self, number: i64, answer: HttpAnswer) -> Result<Came, HttpError> {
        let kind = answer.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let is = |word: &str| kind.is_some_and(|kind| is_of(kind, word));
        if is(JSON) {
            let body = read(answer, LONGEST_MESSAGE).await?;
            return match answers::read_back(number, &body)? {
                Message::Answer(id, answer) if id == number => Ok(Came::Answer(answer)),
                other => {
                    self.hand_on(number, other).await;
                    // It was all that comes of this request.
                    Err(StreamableHttpError::UnexpectedServerResponse(
                        "no answer to the call".into(),
                    ))
                }
            };
        }
        if is(EVENTS) {
            return Ok(Came::Events(self.listen(number, events(answer))));
        }
        let kind = kind.map(|kind| String::from_utf8_lossy(kind).into_owned());
        Err(StreamableHttpError::UnexpectedContentType(kind))
    }
}

/// Addresses and headers may hold secrets, so none are shown.
impl fmt::Debug for Posts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Posts").field("names_tools", &self.names_tools).finish_non_exhaustive()
    }
}

/// What came of a call that was posted.
#[expect(clippy::large_enum_variant, reason = "an answer is what nearly always comes, at once")]
enum Came {
    Answer(Answer),
    Events(Events),
    /// The answer comes on another stream.
    Nothing,
}

/// The entry of a call that waits.
struct Entered<'a> {
    calls: &'a Calls,
    number: i64,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.calls.forget(self.number);
    }
}

/// Says that an exchange has failed.
pub(super) fn failed(error: HttpError) -> ServiceError {
    ServiceError::TransportSend(DynamicTransportError::new::<Joined, RoleClient>(error))
}

/// Tells whether a schema marks an argument, wherever that may be.
fn is_marked(schema: &JsonObject) -> bool {
    let is_marked_too = |value: &Value| match value {
        Value::Object(schema) => is_marked(schema),
        Value::Array(schemas) => schemas.iter().filter_map(Value::as_object).any(is_marked),
        _ => false,
    };
    schema.contains_key(MARK) || schema.values().any(is_marked_too)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

    use parking_lot::Mutex;
    use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
    use serde_json::json;
    use tokio::{
        io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
        net::{TcpListener, TcpStream},
    };
    use toolsmith_children::Children;
    use toolsmith_core::{Context, Redactor, Template, Vault};
    use toolsmith_net::{Client, Settings};

    use super::*;
    use crate::{
        mcp::{
            listing,
            open::Opener,
            session::Session,
            settings::{Address, Link, ServerSettings},
            surroundings::Surroundings,
        },
        workbench::context,
    };

    /// A request of a call: its first line, its headers in order, and its message.
    #[derive(Clone, Debug, PartialEq)]
    struct Posted {
        line: String,
        headers: BTreeMap<String, String>,
        message: Value,
    }

    /// What was posted to a server.
    type Seen = Arc<Mutex<Vec<Posted>>>;

    /// Serves one revision on a free port; keeps the calls that it is sent.
    async fn serve(revision: ProtocolVersion) -> (SocketAddr, Seen) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Seen::default();
        let kept = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, revision.clone(), Arc::clone(&kept)));
            }
        });
        (address, seen)
    }

    async fn converse(stream: TcpStream, revision: ProtocolVersion, seen: Seen) {
        let mut stream = BufReader::new(stream);
        while let Some(posted) = receive(&mut stream).await {
            let message = posted.message.clone();
            let server = json!({ "name": "server", "version": "1" });
            let mut result = json!({ "capabilities": { "tools": {} }, "serverInfo": server });
            match message["method"].as_str() {
                Some("server/discover") if !revision.has_initialize() => {
                    result["resultType"] = "complete".into();
                    result["supportedVersions"] = json!([revision]);
                    result["ttlMs"] = 0.into();
                    result["cacheScope"] = "private".into();
                }
                Some("initialize") => result["protocolVersion"] = json!(revision),
                Some("tools/list") => {
                    let marked = json!({ "type": "string", "x-mcp-header": "Place" });
                    let schema = json!({ "type": "object", "properties": { "at": marked } });
                    let plain = json!({ "type": "object" });
                    result = json!({ "tools": [
                        { "name": "echo", "inputSchema": plain },
                        { "name": "marked", "inputSchema": schema },
                    ]});
                }
                Some("tools/call") => {
                    result = json!({ "content": [], "resultType": "complete" });
                    seen.lock().push(posted);
                }
                _ => {
                    let no = "HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n";
                    let got = "HTTP/1.1 202 Got\r\ncontent-length: 0\r\n\r\n";
                    let is_told = message["method"] == "notifications/initialized";
                    let answer = if is_told { got } else { no };
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    continue;
                }
            }
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            let answer = answer.to_string();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nmcp-session-id: the-session\r\n\
                 content-length: {}\r\n\r\n{answer}",
                answer.len()
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }

    async fn receive(stream: &mut BufReader<TcpStream>) -> Option<Posted> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            match line.trim() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let line = lines.remove(0);
        let headers = lines.iter().map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_owned(), value.to_owned())
        });
        let headers: BTreeMap<_, _> = headers.collect();
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        let message = serde_json::from_slice(&body).unwrap_or_default();
        Some(Posted { line, headers, message })
    }

    async fn open(address: SocketAddr) -> Session {
        let url = Template::literal(format!("http://{address}/mcp?key=1"));
        let mut address = Address::new(url);
        address.headers = vec![("X-Key".to_owned(), Template::literal("key"))];
        let settings = ServerSettings::new("far", Link::Http(address));
        let net = Client::new(Settings::default()).unwrap();
        let vault = Vault::with_values([("A", "b")], Redactor::default());
        let surroundings = Surroundings::new(Children::new(), &BTreeMap::new(), net, vault);
        let vitals = Arc::default();
        let opener = Opener { settings: &settings, surroundings: &surroundings, vitals: &vitals };
        let session = opener.open().await.unwrap();
        let listed = listing::list(&session.peer).await.unwrap();
        session.express.as_ref().unwrap().note(&listed.listing);
        session
    }

    /// Makes a call in both ways; returns what each of them posts, under the same number.
    async fn post_twice(revision: ProtocolVersion, tool: &'static str) -> [Posted; 2] {
        let (address, seen) = serve(revision).await;
        let session = open(address).await;
        let arguments = json!({ "at": "the \"place\"", "list": [1, 2.5, null, {}] });
        let arguments = arguments.as_object().unwrap().clone();
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        let cx = context(Context::default(), Duration::from_secs(20));
        session.call(&cx, &params).await.unwrap();
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        session.ask(&cx, request).await.unwrap();
        let posted = seen.lock().clone();
        let Ok([mut ours, mut theirs]) = <[Posted; 2]>::try_from(posted) else {
            panic!("not two calls: {seen:?}")
        };
        for posted in [&mut ours, &mut theirs] {
            posted.message["id"] = 0.into();
            posted.message["params"]["_meta"]["progressToken"] = 0.into();
            // The numbers are of other lengths.
            posted.headers.remove("content-length");
        }
        [ours, theirs]
    }

    #[tokio::test]
    async fn a_call_is_posted_as_the_library_posts_it() {
        for revision in ["2025-03-26", "2025-11-25", "2026-07-28"] {
            let revision: ProtocolVersion = serde_json::from_value(json!(revision)).unwrap();
            for tool in ["echo", "marked", "tool with \u{fc}"] {
                let [ours, theirs] = post_twice(revision.clone(), tool).await;
                assert_eq!(ours, theirs);
                let is_old = revision.has_initialize();
                assert_eq!(ours.headers["mcp-protocol-version"], revision.as_str());
                assert_eq!(ours.headers["x-key"], "key");
                assert_eq!(ours.headers.contains_key("mcp-session-id"), is_old);
                assert_eq!(ours.headers.contains_key("mcp-name"), !is_old);
                let is_marked = tool == "marked" && !is_old;
                assert_eq!(ours.headers.contains_key("mcp-param-place"), is_marked);
            }
        }
    }

    #[tokio::test]
    async fn calls_that_need_headers_of_their_own_are_left_to_the_library() {
        let (address, _) = serve(ProtocolVersion::LATEST).await;
        let session = open(address).await;
        let express = session.express.as_ref().unwrap();
        for (tool, takes) in [("echo", true), ("marked", false), ("t\u{fc}", false), ("a b", false)]
        {
            assert_eq!(express.takes(tool), takes, "{tool}");
        }
        let (address, _) = serve(ProtocolVersion::LATEST_WITH_INITIALIZE).await;
        let session = open(address).await;
        assert!(session.express.as_ref().unwrap().takes("marked"));
    }
}
