//! A gateway that has another one behind it, as an MCP server.

use std::{collections::BTreeMap, sync::Arc};

use http_body_util::BodyExt;
use hyper::Method;
use tempfile::TempDir;
use toolsmith_children::Children;
use toolsmith_connectors::mcp::{Address, Link, Prefix, ServerSettings, Servers, Surroundings};
use toolsmith_core::{AllowList, Redactor, Template, Value, Vault, json};
use toolsmith_gateway::{Doorkeeper, GatewayConfig};
use toolsmith_net::Client;

use super::{
    conformance::{Fixtures, fixtures},
    mcp::{begin, open_at, send},
    support::{Keys, Running, within},
};

/// A gateway with another one behind it.
pub(crate) struct Joined {
    pub(crate) running: Running,
    pub(crate) behind: Fixtures,
    pub(crate) servers: Servers,
    _memory: TempDir,
}

impl Joined {
    /// Puts the fixtures behind a gateway, under their own names.
    pub(crate) async fn without_prefix() -> Self {
        Self::with(Doorkeeper::local(), Prefix::None).await
    }

    /// Puts the fixtures behind a gateway.
    pub(crate) async fn with(door: Doorkeeper, prefix: Prefix) -> Self {
        let (behind, memory) = (fixtures().await, tempfile::tempdir().unwrap());
        let address = format!("http://{}/mcp", behind.running.address);
        let link = Link::Http(Address::new(Template::literal(address.as_str())));
        let settings = ServerSettings { prefix, ..ServerSettings::new("behind", link) };
        let net = Client::new(toolsmith_net::Settings::default()).unwrap();
        let vault = Vault::with_values([("TOKEN", "s3cret-token")], Redactor::default());
        let surroundings = Surroundings::new(Children::new(), &BTreeMap::new(), net, vault);
        let surroundings = surroundings.with_memory(memory.path().to_owned());
        let servers = Servers::new(surroundings, vec![settings]);
        let library = Some(servers.library());
        let config = GatewayConfig::default();
        let running = Running::offering(door, Vec::new(), library, config).await;
        servers.attach(&running.engine, Arc::new(|_| false));
        let failed = servers.load().await;
        assert!(failed.is_empty(), "{failed:?}");
        Self { running, behind, servers, _memory: memory }
    }
}

/// Asks in a request that stands for itself, with a key when there is one.
async fn ask(
    running: &Running,
    path: &str,
    key: &str,
    (method, mut params): (&str, Value),
) -> Value {
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or("-").to_owned();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let authorization = format!("Bearer {key}");
    let mut headers = vec![
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
        ("mcp-name", &name),
    ];
    if !key.is_empty() {
        headers.push(("authorization", &authorization));
    }
    let (answer, _connection) =
        open_at(running, path, Method::POST, &headers, body.to_string()).await;
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

fn keys(answer: &Value, list: &str, member: &str) -> Vec<String> {
    let rows = answer["result"][list].as_array().unwrap();
    rows.iter().map(|row| row[member].as_str().unwrap().to_owned()).collect()
}

/// Sends a message of a session.
async fn tell(running: &Running, session: &str, method: &str, params: Value) -> Vec<Value> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let headers = [("mcp-session-id", session)];
    send(running, Method::POST, &headers, &body.to_string()).await.messages
}

#[tokio::test]
async fn what_a_server_offers_besides_tools_is_offered_on_under_its_prefix() {
    let joined = Joined::with(Doorkeeper::local(), Prefix::Name).await;
    let get = async |method, params| ask(&joined.running, "/mcp", "", (method, params)).await;
    let prompts = get("prompts/list", json!({})).await;
    let names = keys(&prompts, "prompts", "name");
    assert!(names.contains(&"behind__test_prompt_with_arguments".to_owned()), "{names:?}");
    let arguments = json!({ "arg1": "one", "arg2": "two" });
    let prompt = json!({ "name": "behind__test_prompt_with_arguments", "arguments": arguments });
    let made = get("prompts/get", prompt).await;
    let text = &made["result"]["messages"][0]["content"]["text"];
    assert_eq!(text, "Prompt with arguments: arg1='one', arg2='two'");
    assert_eq!(made["result"]["_meta"]["toolsmith/server"], "behind");
    let none = get("prompts/get", json!({ "name": "test_simple_prompt" })).await;
    assert_eq!(none["error"]["code"], -32602, "{none}");

    let resources = get("resources/list", json!({})).await;
    let uris = keys(&resources, "resources", "uri");
    let ours = uris.iter().filter(|uri| *uri == "toolsmith://tools/echo").count();
    assert_eq!(ours, 1, "addresses of ours are told by us alone: {uris:?}");
    assert!(uris.contains(&"test://static-text".to_owned()), "{uris:?}");
    let templates = get("resources/templates/list", json!({})).await;
    let templates = keys(&templates, "resourceTemplates", "uriTemplate");
    assert!(templates.contains(&"test://template/{id}/data".to_owned()), "{templates:?}");
    for (uri, member, said) in [
        ("test://static-text", "text", "This is the content of the static text resource."),
        ("test://static-binary", "blob", super::fixtures::PNG),
        (
            "test://template/7/data",
            "text",
            r#"{"id":"7","templateTest":true,"data":"Data for ID: 7"}"#,
        ),
    ] {
        let read = get("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["result"]["contents"][0][member], said, "{read}");
    }
    let missing = get("resources/read", json!({ "uri": "test://nothing" })).await;
    assert_eq!(missing["error"]["data"]["uri"], "test://nothing", "{missing}");

    let reference = json!({ "type": "ref/prompt", "name": "behind__test_prompt_with_arguments" });
    let argument = json!({ "name": "arg1", "value": "te" });
    let completing = json!({ "ref": reference, "argument": argument });
    let completed = get("completion/complete", completing).await;
    assert_eq!(completed["result"]["completion"]["values"], json!(["test", "testing"]));
}

#[tokio::test]
async fn changes_behind_us_are_told_on() {
    let joined = Joined::without_prefix().await;
    let (running, shelf) = (&joined.running, &joined.behind.shelf);
    let session = begin(running, json!({})).await;
    let uri = json!({ "uri": "test://watched-resource" });
    tell(running, &session, "resources/subscribe", uri.clone()).await;
    let mut stream = running.hear(&session).await;
    shelf.change_watched();
    let (_, told) = stream.event().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "test://watched-resource");
    shelf.change_prompts();
    let (_, told) = stream.event().await;
    assert_eq!(told["method"], "notifications/prompts/list_changed");
    tell(running, &session, "resources/unsubscribe", uri).await;
    let gone = async {
        while shelf.followers() > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    within(gone).await;
}

#[tokio::test]
async fn what_a_tool_behind_us_says_is_heard_as_it_was_said_from_a_level_on() {
    let joined = Joined::without_prefix().await;
    let running = &joined.running;
    let session = begin(running, json!({})).await;
    let call = json!({ "name": "test_tool_with_logging", "arguments": {} });
    // Who has not said what it wants to hear is told nothing but the answer, in a single message.
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
    let headers = [("mcp-session-id", session.as_str())];
    let answer = send(running, Method::POST, &headers, &body.to_string()).await;
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.messages.len(), 1);
    tell(running, &session, "logging/setLevel", json!({ "level": "info" })).await;
    let said = tell(running, &session, "tools/call", call.clone()).await;
    let [first, _, _, result] = &said[..] else { panic!("{said:#?}") };
    assert_eq!(first["method"], "notifications/message");
    let expected = json!({
        "level": "info", "logger": "test_tool_with_logging", "data": "Tool execution started",
    });
    assert_eq!(first["params"], expected);
    assert!(result["result"]["content"].is_array(), "{result}");
    tell(running, &session, "logging/setLevel", json!({ "level": "error" })).await;
    assert_eq!(tell(running, &session, "tools/call", call).await.len(), 1);
}

#[tokio::test]
async fn who_may_see_no_tool_of_a_server_sees_nothing_of_it() {
    let all = Keys::new().await;
    let joined = Joined::with(all.door(), Prefix::None).await;
    let running = &joined.running;
    let other = all.make("other", |new| new.tools = Some(AllowList::new(["read_file"]))).await;
    let theirs =
        all.make("theirs", |new| new.tools = Some(AllowList::new(["*_simple_text"]))).await;
    for (key, path, sees) in [(&other, "/mcp", false), (&theirs, "/mcp", true)] {
        let get = async |method, params| ask(running, path, key, (method, params)).await;
        let resources = get("resources/list", json!({})).await;
        let uris = keys(&resources, "resources", "uri");
        assert_eq!(uris.contains(&"test://static-text".to_owned()), sees, "{uris:?}");
        let templates = get("resources/templates/list", json!({})).await;
        assert_eq!(keys(&templates, "resourceTemplates", "name").len(), 2 + usize::from(sees));
        let prompts = get("prompts/list", json!({})).await;
        assert_eq!(!keys(&prompts, "prompts", "name").is_empty(), sees);
        for uri in ["test://static-text", "test://template/1/data"] {
            let read = get("resources/read", json!({ "uri": uri })).await;
            assert_eq!(read["result"].is_object(), sees, "{read}");
        }
        let prompt = get("prompts/get", json!({ "name": "test_simple_prompt" })).await;
        assert_eq!(prompt["result"].is_object(), sees, "{prompt}");
        let reference = json!({ "type": "ref/prompt", "name": "test_simple_prompt" });
        let argument = json!({ "name": "x", "value": "te" });
        let completing = json!({ "ref": reference, "argument": argument });
        let completed = get("completion/complete", completing).await;
        assert_eq!(completed["result"]["completion"]["total"] == 2, sees, "{completed}");
    }
    let whole = all.make("whole", |_| {}).await;
    let group = ask(running, "/mcp/texts", &whole, ("resources/list", json!({}))).await;
    assert_eq!(keys(&group, "resources", "uri"), ["toolsmith://tools/echo"]);
    let group = ask(running, "/mcp/texts", &whole, ("prompts/list", json!({}))).await;
    assert_eq!(keys(&group, "prompts", "name"), ["texts"]);
    let read = ("resources/read", json!({ "uri": "test://static-text" }));
    assert!(ask(running, "/mcp/texts", &whole, read).await["error"].is_object());
}

#[tokio::test]
async fn a_dead_server_leaves_the_others_whole_and_what_it_had_is_refused_with_the_reason() {
    let joined = Joined::without_prefix().await;
    joined.behind.running.stop.cancel();
    within(async {
        while tokio::net::TcpStream::connect(joined.behind.running.address).await.is_ok() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    let get = async |method, params| ask(&joined.running, "/mcp", "", (method, params)).await;
    let resources = get("resources/list", json!({})).await;
    let uris = keys(&resources, "resources", "uri");
    assert!(uris.contains(&"toolsmith://tools/echo".to_owned()), "{uris:?}");
    assert!(uris.contains(&"test://static-text".to_owned()), "{uris:?}");
    let read = get("resources/read", json!({ "uri": "test://static-text" })).await;
    let said = read["error"]["message"].as_str().unwrap();
    assert!(said.contains("`behind`"), "{said}");
    let own = get("resources/read", json!({ "uri": "toolsmith://tools/echo" })).await;
    assert!(own["result"].is_object(), "{own}");
    assert_eq!(joined.servers.statuses()[0].state.as_str(), "failed");
}

#[tokio::test]
async fn tools_behind_us_are_defined_and_answer_as_they_do_there() {
    let joined = Joined::without_prefix().await;
    let tools = async |running| {
        let listed = ask(running, "/mcp", "", ("tools/list", json!({}))).await;
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        // Texts, so that the order of members counts as well.
        let told = |tool: &Value| {
            let Value::Object(tool) = tool else { panic!("{tool}") };
            let told =
                ["name", "description", "inputSchema"].map(|member| tool[member].to_string());
            told.join("\n")
        };
        tools.iter().filter(|tool| is_fixture(tool)).map(told).collect::<Vec<_>>()
    };
    let (here, there) = (tools(&joined.running).await, tools(&joined.behind.running).await);
    assert!(there.len() > 25, "{there:#?}");
    assert_eq!(here, there);
    for name in ["test_simple_text", "test_multiple_content_types", "test_error_handling"] {
        let call = || ("tools/call", json!({ "name": name, "arguments": {} }));
        let here = ask(&joined.running, "/mcp", "", call()).await;
        let there = ask(&joined.behind.running, "/mcp", "", call()).await;
        assert_eq!(here["result"]["content"], there["result"]["content"], "{here}");
        assert!(!here["result"]["content"][0].is_null(), "{here}");
    }
    let listed = ask(&joined.running, "/mcp", "", ("tools/list", json!({}))).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let fixture = tools.iter().find(|tool| is_fixture(tool)).unwrap();
    assert!(fixture["_meta"]["toolsmith/author"].as_str().unwrap().starts_with("MCP server "));
    let call = ("tools/call", json!({ "name": "test_simple_text", "arguments": {} }));
    let meta = &ask(&joined.running, "/mcp", "", call).await["result"]["_meta"];
    assert_eq!(meta["toolsmith/metadata"]["provenance"]["from"], "outside", "{meta}");
}

/// Tells whether a tool is one of the fixtures: every gateway of these tests has others, too.
fn is_fixture(tool: &Value) -> bool {
    let name = tool["name"].as_str().unwrap();
    name.starts_with("test_") || name == "json_schema_2020_12_tool"
}
