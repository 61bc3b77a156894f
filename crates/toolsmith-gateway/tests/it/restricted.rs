//! A key for some tools, at the MCP door: everything else is not there.

use std::sync::Arc;

use hyper::Method;
use toolsmith_core::{AllowList, Exposure, Tool, ToolContext, ToolSpec, Value, json};
use toolsmith_gateway::GatewayConfig;

use super::{
    fixtures::library::Shelf,
    mcp::{begin_with, send},
    support::{Keys, Running},
};

/// How a client with a key speaks.
struct Client {
    running: Running,
    authorization: String,
    session: String,
}

impl Client {
    /// A client whose key is for some tools only.
    async fn for_files(keys: &Keys) -> Self {
        let mut found = ToolSpec::new("found_by_search").unwrap();
        found.exposure = Exposure::Deferred;
        let found = Tool::function(found, |_: ToolContext, _: Value| async { Ok(Value::Null) });
        let (library, config) = (Arc::new(Shelf::default()), GatewayConfig::default());
        let running = Running::offering(keys.door(), vec![found], Some(library), config).await;
        let key = keys.make("a", |new| new.tools = Some(AllowList::new(["*_file"]))).await;
        let authorization = format!("Bearer {key}");
        let headers = [("authorization", authorization.as_str())];
        let session = begin_with(&running, &headers, &json!({})).await;
        Self { running, authorization, session }
    }

    /// Asks in a session and in a request that stands for itself; both know the same.
    async fn ask(&self, method: &str, params: Value) -> Value {
        let in_session = self.ask_in_session(method, &params).await;
        let alone = self.ask_alone(method, params).await;
        for member in ["tools", "resources", "resourceTemplates", "prompts", "completion"] {
            let names = |answer: &Value| without_titles(&answer["result"][member]);
            assert_eq!(names(&in_session), names(&alone), "{method}");
        }
        assert_eq!(in_session["error"].is_object(), alone["error"].is_object(), "{method}");
        in_session
    }

    async fn ask_in_session(&self, method: &str, params: &Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers =
            [("authorization", self.authorization.as_str()), ("mcp-session-id", &self.session)];
        let back = send(&self.running, Method::POST, &headers, &body.to_string()).await;
        back.messages.into_iter().next().unwrap()
    }

    async fn ask_alone(&self, method: &str, mut params: Value) -> Value {
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or("-").to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers = [
            ("authorization", self.authorization.as_str()),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", &name),
        ];
        let back = send(&self.running, Method::POST, &headers, &body.to_string()).await;
        back.messages.into_iter().next().unwrap()
    }

    async fn refuses(&self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params.clone()).await;
        assert!(answer["error"].is_object(), "{method} {params}: {answer}");
        answer["error"].clone()
    }
}

/// What is listed, by name: revisions write the rest of it in different ways.
fn without_titles(listed: &Value) -> Vec<Value> {
    let rows = listed.as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter().map(|row| json!([row["name"], row["uri"], row["uriTemplate"]])).collect()
}

fn texts<'a>(answer: &'a Value, list: &str, member: &str) -> Vec<&'a str> {
    let rows = answer["result"][list].as_array().unwrap();
    rows.iter().map(|row| row[member].as_str().unwrap()).collect()
}

#[tokio::test]
async fn only_its_tools_are_listed_and_called() {
    let client = Client::for_files(&Keys::new().await).await;
    let listed = client.ask("tools/list", json!({})).await;
    let names = texts(&listed, "tools", "name");
    assert!(names.contains(&"read_file"), "{names:?}");
    assert!(names.iter().all(|name| name.ends_with("_file")), "{names:?}");
    let unknown = client.refuses("tools/call", json!({ "name": "nothing" })).await;
    for name in ["echo", "found_by_search", "search_tools"] {
        let call = json!({ "name": name, "arguments": { "message": "hi", "query": "echo" } });
        let refused = client.refuses("tools/call", call).await;
        // Nobody learns from the answer that there is such a tool.
        assert_eq!(refused["code"], unknown["code"]);
        let said = refused["message"].as_str().unwrap().replace(name, "nothing");
        assert_eq!(said, unknown["message"].as_str().unwrap());
    }
    let around = json!({ "name": "call_tool", "arguments": { "name": "echo", "arguments": {} } });
    client.refuses("tools/call", around).await;
}

#[tokio::test]
async fn only_pages_of_its_tools_are_listed_and_read() {
    let client = Client::for_files(&Keys::new().await).await;
    let listed = client.ask("resources/list", json!({})).await;
    let pages = texts(&listed, "resources", "uri");
    assert!(pages.contains(&"toolsmith://tools/read_file"), "{pages:?}");
    let is_theirs = |uri: &&str| uri.starts_with("toolsmith://tools/") && uri.ends_with("_file");
    assert!(pages.iter().all(is_theirs), "{pages:?}");
    let templates = client.ask("resources/templates/list", json!({})).await;
    let templates = texts(&templates, "resourceTemplates", "uriTemplate");
    assert!(templates.iter().all(|template| template.starts_with("toolsmith://")));
    for uri in [
        "toolsmith://tools/echo",
        "toolsmith://tools/found_by_search",
        "toolsmith://tools/echo?x=_file",
        "toolsmith://artifacts/00000000-0000-7000-8000-000000000000",
        "test://static-text",
        "test://template/1/data",
        "file:///etc/passwd",
    ] {
        client.refuses("resources/read", json!({ "uri": uri })).await;
    }
    let read = client.ask("resources/read", json!({ "uri": "toolsmith://tools/read_file" })).await;
    assert!(read["result"]["contents"][0]["text"].is_string(), "{read}");
}

#[tokio::test]
async fn no_prompt_and_no_completion_tells_of_other_tools() {
    let client = Client::for_files(&Keys::new().await).await;
    let listed = client.ask("prompts/list", json!({})).await;
    assert_eq!(listed["result"]["prompts"], json!([]));
    for name in ["texts", "empty", "test_simple_prompt", "nothing"] {
        client.refuses("prompts/get", json!({ "name": name })).await;
    }
    let page = json!({ "type": "ref/resource", "uri": "toolsmith://tools/{name}" });
    for begun in ["", "e", "echo", "read"] {
        let typed = json!({ "ref": page, "argument": { "name": "name", "value": begun } });
        let answer = client.ask("completion/complete", typed).await;
        let completion = &answer["result"]["completion"];
        let values = completion["values"].as_array().unwrap();
        let is_theirs = |value: &Value| value.as_str().unwrap().ends_with("_file");
        assert!(values.iter().all(is_theirs), "{begun}: {values:?}");
        assert_eq!(completion["total"], values.len());
    }
    let prompt = json!({ "type": "ref/prompt", "name": "test_prompt_with_arguments" });
    let typed = json!({ "ref": prompt, "argument": { "name": "arg1", "value": "t" } });
    let answer = client.ask("completion/complete", typed).await;
    assert_eq!(answer["result"]["completion"]["values"], json!([]));
}

#[tokio::test]
async fn a_group_without_any_of_its_tools_is_not_there() {
    let client = Client::for_files(&Keys::new().await).await;
    let key = client.authorization.strip_prefix("Bearer ").unwrap();
    for group in ["texts", "empty", "nothing"] {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let (status, answer) = client.running.post_as(key, &format!("/mcp/{group}"), body).await;
        assert_eq!(status.as_u16(), 404, "{group}");
        assert_eq!(answer["error"]["message"], "There is no such group of tools.");
    }
}
