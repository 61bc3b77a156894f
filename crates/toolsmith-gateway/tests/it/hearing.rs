//! Who hears that tools have changed: those who see one of them.

use http_body_util::BodyExt;
use hyper::{Method, body::Incoming};
use toolsmith_core::{AllowList, Tool, ToolSpec, Value, json};
use toolsmith_gateway::GatewayConfig;

use super::{
    mcp::{AbortOnDrop, begin_with, open},
    support::{Keys, Running, within},
};

fn tool(name: &str) -> Tool {
    Tool::function(ToolSpec::new(name).unwrap(), |_, _| async { Ok(json!(null)) })
}

/// A client that listens for changes.
struct Listener {
    body: Incoming,
    _connection: AbortOnDrop,
}

impl Listener {
    /// Listens within a session.
    async fn in_session(running: &Running, key: &str) -> Self {
        let authorization = format!("Bearer {key}");
        let headers = [("authorization", authorization.as_str())];
        let session = begin_with(running, &headers, &json!({})).await;
        let headers = [
            ("authorization", authorization.as_str()),
            ("mcp-session-id", &session),
            ("accept", "text/event-stream"),
        ];
        let (response, connection) = open(running, Method::GET, &headers, "").await;
        Self { body: response.into_body(), _connection: connection }
    }

    /// Listens by a request that stands for itself.
    async fn alone(running: &Running, key: &str) -> Self {
        let wanted = json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        });
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let method = "subscriptions/listen";
        let params = json!({ "notifications": wanted, "_meta": meta });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers = [
            ("authorization", &*format!("Bearer {key}")),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        let opened = open(running, Method::POST, &headers, body.to_string()).await;
        let mut listener = Self { body: opened.0.into_body(), _connection: opened.1 };
        assert!(listener.next().await.ends_with("acknowledged"));
        listener
    }

    /// Waits for the next message, and returns its method.
    async fn next(&mut self) -> String {
        let frame = within(self.body.frame()).await.unwrap().unwrap();
        let text = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        let message: Value = serde_json::from_str(line).unwrap();
        message["method"].as_str().unwrap().to_owned()
    }

    /// Waits for everything that is told of one change.
    async fn change(&mut self) -> Vec<String> {
        let mut told = vec![self.next().await, self.next().await, self.next().await];
        told.sort();
        told
    }
}

const ALL: [&str; 3] = [
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/tools/list_changed",
];

#[tokio::test]
async fn a_key_for_some_tools_hears_of_no_others() {
    let keys = Keys::new().await;
    let running = Running::behind(keys.door(), Vec::new(), GatewayConfig::default()).await;
    let all = keys.make("all", |_| {}).await;
    let some = keys.make("some", |new| new.tools = Some(AllowList::new(["*_file"]))).await;
    let mut everything = Listener::in_session(&running, &all).await;
    let mut in_session = Listener::in_session(&running, &some).await;
    let mut alone = Listener::alone(&running, &some).await;
    for number in 0..5 {
        running.engine.register(tool(&format!("other_{number}"))).unwrap();
        assert_eq!(everything.change().await, ALL);
    }
    // Who listens to everything has heard of all of them by now; who does not, of none.
    running.engine.register(tool("copy_file")).unwrap();
    assert_eq!(everything.change().await, ALL);
    running.engine.registry().unregister("other_1");
    assert_eq!(everything.change().await, ALL);
    running.engine.registry().unregister("copy_file");
    assert_eq!(everything.change().await, ALL);
    for listener in [&mut in_session, &mut alone] {
        assert_eq!(listener.change().await, ALL);
        assert_eq!(listener.change().await, ALL);
        let rest = tokio::time::timeout(std::time::Duration::from_millis(300), listener.next());
        assert!(rest.await.is_err(), "nothing more");
    }
}
