//! A gateway on a free port, and a client for it.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Method, Request, StatusCode, client::conn::http1, http::request::Builder};
use hyper_util::rt::TokioIo;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{
    Allowance, Clock, Group, Library, Role, State, SystemClock, Tool, ToolSpec, Value,
};
use toolsmith_engine::{Engine, Heard, Subscription};
use toolsmith_gateway::{
    Doorkeeper, Ended, Gateway, GatewayConfig, Health, Hosts, House, KeyRing, Telemetry, WithoutKey,
};
use toolsmith_store::{NewKey, Seal, Store, StoreConfig};

use crate::contract::{CONTRACT, Contract};

/// A gateway on a free port.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) engine: Engine,
    pub(crate) stop: CancellationToken,
    pub(crate) serving: JoinHandle<Ended>,
}

impl Running {
    /// Starts a gateway with the built-in tools and some more.
    pub(crate) async fn with(tools: Vec<Tool>, config: GatewayConfig) -> Self {
        Self::behind(Doorkeeper::local(), tools, config).await
    }

    /// The same, behind a door.
    pub(crate) async fn behind(door: Doorkeeper, tools: Vec<Tool>, config: GatewayConfig) -> Self {
        Self::offering(door, tools, None, config).await
    }

    /// The same, with resources and prompts besides.
    pub(crate) async fn offering(
        door: Doorkeeper,
        tools: Vec<Tool>,
        library: Option<Arc<dyn Library>>,
        config: GatewayConfig,
    ) -> Self {
        let engine = Engine::builder().tools(builtins()).tools(tools).build().unwrap();
        let gateway = Gateway::new(engine.clone(), Arc::new(Plain { library }), door, config);
        Self::open(engine, gateway).await
    }

    /// The same, behind a door that keys open, with records in the store of the keys.
    pub(crate) async fn recording(keys: &Keys, tools: Vec<Tool>) -> Self {
        Self::recording_with(keys, tools, GatewayConfig::default()).await
    }

    /// The same, with settings.
    pub(crate) async fn recording_with(
        keys: &Keys,
        tools: Vec<Tool>,
        config: GatewayConfig,
    ) -> Self {
        let store = Arc::new(keys.store.clone());
        let builder = Engine::builder().tools(builtins()).tools(tools);
        let engine = builder
            .with_records(Arc::<Store>::clone(&store))
            .with_artifacts(store)
            .build()
            .unwrap();
        let gateway =
            Gateway::new(engine.clone(), Arc::new(Plain { library: None }), keys.door(), config);
        Self::open(engine, gateway.with_store(keys.store.clone())).await
    }

    /// The same, with traces of requests and calls.
    pub(crate) async fn traced(telemetry: &Telemetry, tools: Vec<Tool>) -> Self {
        let builder = Engine::builder().tools(builtins()).tools(tools);
        let engine = builder.with_tracer(Arc::new(telemetry.clone())).build().unwrap();
        let config =
            GatewayConfig { telemetry: Some(telemetry.clone()), ..GatewayConfig::default() };
        let house = Arc::new(Plain { library: None });
        let gateway = Gateway::new(engine.clone(), house, Doorkeeper::local(), config);
        Self::open(engine, gateway).await
    }

    async fn open(engine: Engine, gateway: Gateway) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let serving = tokio::spawn(toolsmith_gateway::serve(listener, gateway, stop.clone()));
        Self { address, engine, stop, serving }
    }

    pub(crate) async fn start() -> Self {
        Self::with(Vec::new(), GatewayConfig::default()).await
    }

    /// Sends a request on a connection of its own.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> (StatusCode, Value) {
        let (status, _, body) = self.send_and_see(request).await;
        (status, body)
    }

    /// The same; returns the headers too.
    pub(crate) async fn send_and_see(
        &self,
        request: Request<Full<Bytes>>,
    ) -> (StatusCode, HeaderMap, Value) {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let (method, path) = (request.method().clone(), request.uri().to_string());
        let response = sender.send_request(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        self.contract().await.check(&method, &path, (status, &body));
        (status, headers, body)
    }

    /// Returns what all answers are compared with.
    async fn contract(&self) -> Arc<Contract> {
        if let Some(known) = CONTRACT.lock().as_ref() {
            return Arc::clone(known);
        }
        let gateway = Box::pin(Self::start()).await;
        let head = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let answer = gateway.raw(head.as_bytes()).await;
        let document = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        let contract = Arc::new(Contract::of(document));
        *CONTRACT.lock() = Some(Arc::clone(&contract));
        contract
    }

    /// Sends a request, and returns the status, the text and the tag of the answer.
    pub(crate) async fn exchange(
        &self,
        request: Builder,
        body: &'static str,
    ) -> (u16, String, Option<String>) {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let request = request.body(Full::<Bytes>::from(body)).unwrap();
        let response = sender.send_request(request).await.unwrap();
        let tag = response.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap(), tag)
    }

    pub(crate) async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.get_as("", path).await
    }

    pub(crate) async fn post(&self, path: &str, body: impl Into<Bytes>) -> (StatusCode, Value) {
        self.post_as("", path, body).await
    }

    /// Asks with a key; without one when it is empty.
    pub(crate) async fn get_as(&self, key: &str, path: &str) -> (StatusCode, Value) {
        self.send_as(Method::GET, key, path).await
    }

    /// Sends a request without a body, with a key.
    pub(crate) async fn send_as(
        &self,
        method: Method,
        key: &str,
        path: &str,
    ) -> (StatusCode, Value) {
        let request = self.request(method, path, key);
        self.send(request.body(Full::default()).unwrap()).await
    }

    pub(crate) async fn post_as(
        &self,
        key: &str,
        path: &str,
        body: impl Into<Bytes>,
    ) -> (StatusCode, Value) {
        let request = self.request(Method::POST, path, key);
        let request = request.header("content-type", "application/json");
        self.send(request.body(Full::new(body.into())).unwrap()).await
    }

    /// Makes a call and follows it.
    pub(crate) async fn follow(&self, key: &str, call: &str) -> Stream {
        let length = call.len();
        let head = format!("accept: text/event-stream\r\ncontent-length: {length}\r\n");
        let head = format!("{head}content-type: application/json\r\n");
        self.stream(key, "POST /run_tool", &head, call).await
    }

    /// Listens to what happens, from a place on when one is given.
    pub(crate) async fn listen(&self, key: &str, path: &str, place: &str) -> Stream {
        let head =
            if place.is_empty() { String::new() } else { format!("last-event-id: {place}\r\n") };
        self.stream(key, &format!("GET {path}"), &head, "").await
    }

    /// Listens to what an MCP session is told besides answers.
    pub(crate) async fn hear(&self, session: &str) -> Stream {
        let head = format!("accept: text/event-stream\r\nmcp-session-id: {session}\r\n");
        self.stream("", "GET /mcp", &head, "").await
    }

    async fn stream(&self, key: &str, line: &str, head: &str, body: &str) -> Stream {
        let key = if key.is_empty() { String::new() } else { format!("x-api-key: {key}\r\n") };
        let request = format!("{line} HTTP/1.1\r\nhost: localhost\r\n{key}{head}\r\n{body}");
        Stream::open(self.address, request).await
    }

    pub(crate) fn request(&self, method: Method, path: &str, key: &str) -> Builder {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("host", self.address.to_string());
        if key.is_empty() {
            request
        } else {
            request.header("authorization", format!("Bearer {key}"))
        }
    }

    /// Sends bytes as they are, and returns everything that comes back until the other end closes.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

fn builtins() -> Vec<Tool> {
    let settings = toolsmith_builtins::Settings::new("/nowhere");
    toolsmith_builtins::all_with(&settings).unwrap()
}

/// A stream of events, as a client reads it.
pub(crate) struct Stream {
    connection: TcpStream,
    pub(crate) head: String,
    text: String,
    /// The id of the event that was read last.
    pub(crate) last_id: String,
}

impl Stream {
    /// Sends a request and reads the head of its answer.
    async fn open(address: SocketAddr, request: String) -> Self {
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(request.as_bytes()).await.unwrap();
        let text = String::new();
        let mut this = Self { connection, head: String::new(), text, last_id: String::new() };
        let head = this.until("\r\n\r\n").await.unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.contains("text/event-stream"), "{head}");
        this.head = head;
        this
    }

    /// Waits for the next event; comments are passed over.
    pub(crate) async fn event(&mut self) -> (String, Value) {
        loop {
            let frame = self.until("\n\n").await.unwrap();
            let field = |name: &str| {
                frame.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned)
            };
            self.last_id = field("id: ").unwrap_or_default();
            if let (Some(name), Some(data)) = (field("event: "), field("data: ")) {
                return (name, serde_json::from_str(&data).unwrap());
            }
        }
    }

    /// Waits for the end; tells whether it comes before anything else.
    pub(crate) async fn is_at_end(&mut self) -> bool {
        self.until("\n\n").await.is_none()
    }

    /// Reads up to a mark; nothing when the other end closes before it. Sizes of chunks are left
    /// in the text, on lines of their own.
    async fn until(&mut self, mark: &str) -> Option<String> {
        let reading = async {
            loop {
                if let Some(at) = self.text.find(mark) {
                    let rest = self.text.split_off(at + mark.len());
                    return Some(std::mem::replace(&mut self.text, rest));
                }
                // The last chunk of a body has no bytes.
                if self.text.ends_with("\n0\r\n\r\n") {
                    return None;
                }
                let mut bytes = vec![0; 65_536];
                let count = self.connection.read(&mut bytes).await.unwrap_or(0);
                if count == 0 {
                    return None;
                }
                self.text.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
            }
        };
        within(reading).await
    }
}

/// Keys in a folder of their own.
pub(crate) struct Keys {
    pub(crate) store: Store,
    pub(crate) seal: Seal,
    _folder: TempDir,
}

impl Keys {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(StoreConfig::at(folder.path())).await.unwrap();
        Self { store, seal: Seal::open(folder.path()).unwrap(), _folder: folder }
    }

    /// Makes a key for someone, and changes what it is good for.
    pub(crate) async fn make(&self, name: &str, change: impl FnOnce(&mut NewKey)) -> String {
        let (role, allowance) = (Role::Caller, Allowance::default());
        let mut new = NewKey { name: name.into(), role, tools: None, allowance, expires_at: None };
        change(&mut new);
        let now = SystemClock.now();
        let (_, text) = self.store.create_key(&self.seal, new, now).await.unwrap();
        text.expose().clone()
    }

    /// Returns a door that only keys open.
    pub(crate) fn door(&self) -> Doorkeeper {
        let keys = KeyRing::new(self.store.clone(), self.seal.clone());
        let without_key = WithoutKey::Refused;
        let hosts = Hosts::loopback();
        Doorkeeper { hosts, keys: Some(keys), without_key, ..Doorkeeper::local() }
    }
}

/// Waits for something that must happen soon.
pub(crate) async fn within<F: Future>(happening: F) -> F::Output {
    tokio::time::timeout(std::time::Duration::from_secs(20), happening).await.unwrap()
}

/// Waits for the next event.
pub(crate) async fn happens(events: &mut Subscription) -> Value {
    match events.next().await {
        Some(Heard::Event(event)) => serde_json::to_value(event).unwrap(),
        other => panic!("no event: {other:?}"),
    }
}

/// A program with one group and nothing that could fail.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    pub(crate) library: Option<Arc<dyn Library>>,
}

impl House for Plain {
    fn groups(&self) -> Vec<Arc<Group>> {
        let mut group = Group::new("texts");
        group.tool_ids = ["echo", "gone"].map(|name| name.parse().unwrap()).to_vec();
        vec![Arc::new(group), Arc::new(Group::new("empty"))]
    }

    fn state(&self, _tool: &ToolSpec) -> State {
        State::Running
    }

    fn health(&self) -> BTreeMap<&'static str, Health> {
        BTreeMap::from([("store", Health::good()), ("upstreams", Health::bad("`a` is down"))])
    }

    fn library(&self) -> Option<Arc<dyn Library>> {
        self.library.clone()
    }
}
