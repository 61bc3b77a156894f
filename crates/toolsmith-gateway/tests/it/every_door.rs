//! A key for some tools, at every door: nothing that it is told or can do has to do with others.

use hyper::{Method, Request};
use toolsmith_core::{AllowList, Exposure, Role, TaskSupport, Tool, ToolSpec, Value, json};

use super::support::{Keys, Running, within};

/// What the names, titles, descriptions and outputs of the other tools have in common.
const SECRET: &str = "zebra";

fn zebra(name: &str, exposure: Exposure) -> Tool {
    let spec = ToolSpec::new(name).unwrap().with_description("Does what a zebra file does.");
    let spec = spec.with(|spec| {
        spec.exposure = exposure;
        spec.title = Some("The zebra".into());
        spec.category = toolsmith_core::Category::new("zebra");
        spec.tags = vec!["zebra".into()];
    });
    Tool::function(spec, |_, _| async { Ok(json!({ "zebra": true })) })
}

fn own() -> Tool {
    let spec = ToolSpec::new("own_file").unwrap().with_description("Returns a file.");
    let spec = spec.with(|spec| spec.task_support = TaskSupport::Optional);
    Tool::function(spec, |_, _| async { Ok(json!({ "own": true })) })
}

struct House {
    running: Running,
    keys: Keys,
    some: String,
    boss: String,
    /// A call of another tool by somebody else.
    call: String,
}

impl House {
    async fn open() -> Self {
        let keys = Keys::new().await;
        let tools = vec![
            own(),
            zebra("zebra", Exposure::Direct),
            zebra("zebra_found", Exposure::Deferred),
            zebra("zebra_unlisted", Exposure::Hidden),
        ];
        let running = Running::recording(&keys, tools).await;
        let some = keys.make("some", |new| new.tools = Some(AllowList::new(["*_file"]))).await;
        let boss = keys.make("boss", |new| new.role = Role::Admin).await;
        let call = json!({
            "tool_id": "zebra", "params": {}, "context": { "conversation_id": "c" },
        });
        let (_, outcome) = running.post_as(&boss, "/run_tool", call.to_string()).await;
        assert_eq!(outcome["output"], json!({ "zebra": true }));
        let call = outcome["call_id"].as_str().unwrap().to_owned();
        Self { running, keys, some, boss, call }
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let request = Request::get(path).header("host", "localhost");
        let request = request.header("authorization", format!("Bearer {}", self.some));
        let (status, body, _) = self.running.exchange(request, "").await;
        (status, body)
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = self.running.post_as(&self.some, path, body.to_string()).await;
        (status.as_u16(), answer)
    }
}

#[tokio::test]
async fn nothing_that_is_read_speaks_of_other_tools() {
    let house = House::open().await;
    let call = format!("/calls/{}", house.call);
    for path in [
        "/tools",
        "/tools?limit=1",
        "/tools?cursor=y",
        "/tools?cursor=zebr&limit=1",
        "/tools?q=file+animal",
        "/tools?group=texts",
        "/tools?format=mcp",
        "/tools?format=openai",
        "/tools?format=anthropic",
        "/tools?format=gemini",
        "/tools?format=xml",
        "/tools/own_file",
        "/groups",
        "/status",
        "/stats",
        "/health",
        "/calls",
        "/calls?caller_id=boss",
        "/calls?conversation_id=c",
        "/calls/summary?conversation_id=c",
        "/calls/summary?conversation_id=c&form=brief",
        "/approvals",
        &call,
    ] {
        let (_, body) = house.get(path).await;
        assert!(!body.contains(SECRET), "{path}: {body}");
    }
    for path in ["/tools?q=zebra", "/tools?category=zebra", "/tools?tag=zebra"] {
        let (_, body) = house.get(path).await;
        let table: Value = serde_json::from_str(&body).unwrap();
        let is_own = |row: &Value| row["tool_id"].as_str().unwrap().ends_with("_file");
        assert!(table["tools"].as_array().unwrap().iter().all(is_own), "{path}: {body}");
    }
    for path in ["/calls?tool=zebra", "/calls/summary?conversation_id=c"] {
        let (_, body) = house.get(path).await;
        assert!(!body.contains(&house.call) && !body.contains("boss"), "{path}: {body}");
    }
    // What is not there and what may not be seen are answered alike.
    let alike = |body: String, name: &str| body.replace(name, "?");
    let (status, body) = house.get("/tools/nothing").await;
    for name in ["zebra", "zebra_found", "zebra_unlisted", "echo"] {
        let (refused, told) = house.get(&format!("/tools/{name}")).await;
        assert_eq!((refused, alike(told, name)), (status, alike(body.clone(), "nothing")));
    }
    let status = house.get("/status").await.1;
    let shown: Value = serde_json::from_str(&status).unwrap();
    let listed: Value = serde_json::from_str(&house.get("/tools").await.1).unwrap();
    assert_eq!(shown["tools"]["total"], listed["tools"].as_array().unwrap().len());
}

#[tokio::test]
async fn no_other_tool_is_called_by_any_door() {
    let house = House::open().await;
    let plain = |name: &str| json!({ "tool_id": name, "params": {} });
    let (status, unknown) = house.post("/run_tool", &plain("nothing")).await;
    let unknown = unknown["error"]["message"].as_str().unwrap().to_owned();
    for name in ["zebra", "zebra@1.0.0", "zebra@^9", "zebra_found", "zebra_unlisted", "echo"] {
        let (refused, outcome) = house.post("/run_tool", &plain(name)).await;
        assert_eq!((refused, status), (404, 404), "{name}: {outcome}");
        let base = name.split('@').next().unwrap();
        let said = outcome["error"]["message"].as_str().unwrap().replace(base, "nothing");
        assert_eq!(said, unknown, "{name}");
        let (accepted, begun) = house.post("/run_tool?async=true", &plain(name)).await;
        assert_eq!(accepted, 202);
        let report = house.get(&format!("/calls/{}", begun["call_id"].as_str().unwrap())).await;
        assert!(report.1.contains("tool_not_found"), "{name}: {}", report.1);
        let batch = json!({ "calls": [plain(name), plain("own_file")] });
        let (_, outcomes) = house.post("/run_tools", &batch).await;
        let types: Vec<&Value> =
            outcomes["outcomes"].as_array().unwrap().iter().map(|one| &one["success"]).collect();
        assert_eq!(types, [&json!(false), &json!(true)], "{outcomes}");
    }
    // The tools that reach others are others themselves.
    for (tool, params) in [
        ("call_tool", json!({ "name": "zebra", "arguments": {} })),
        ("search_tools", json!({ "query": "zebra" })),
    ] {
        let call = json!({ "tool_id": tool, "params": params });
        assert_eq!(house.post("/run_tool", &call).await.0, 404, "{tool}");
    }
    let asked = json!({ "message": "Which tool is for the animal with stripes?", "chat_id": "c" });
    let (_, reply) = house.post("/chat", &asked).await;
    assert!(!reply.to_string().contains(SECRET), "{reply}");
    for path in ["disable", "enable", "start", "stop"] {
        assert_eq!(house.post(&format!("/tools/zebra/{path}"), &json!({})).await.0, 403, "{path}");
    }
    let path = format!("/calls/{}", house.call);
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(house.running.send_as(method, &house.some, &path).await.0.as_u16(), 404);
    }
}

#[tokio::test]
async fn a_key_that_may_search_finds_its_own_tools_only() {
    let house = House::open().await;
    let tools = Some(AllowList::new(["*_file", "search_tools", "call_tool"]));
    let key = house.keys.make("searching", |new| new.tools = tools).await;
    let find = json!({ "tool_id": "search_tools", "params": { "query": "zebra" } });
    let (_, found) = house.running.post_as(&key, "/run_tool", find.to_string()).await;
    assert!(!found["output"].to_string().contains("\"zebra"), "{found}");
    let around = json!({ "name": "zebra", "arguments": {} });
    let around = json!({ "tool_id": "call_tool", "params": around });
    let (status, outcome) = house.running.post_as(&key, "/run_tool", around.to_string()).await;
    assert_eq!((status.as_u16(), &outcome["error"]["type"]), (404, &json!("tool_not_found")));
}

#[tokio::test]
async fn events_and_tags_do_not_move_with_other_tools() {
    let house = House::open().await;
    let (_, first, tag) = {
        let request = Request::get("/tools").header("host", "localhost");
        let request = request.header("authorization", format!("Bearer {}", house.some));
        house.running.exchange(request, "").await
    };
    let mut events = house.running.listen(&house.some, "/events", "").await;
    let mut of_others = house.running.listen(&house.some, "/events?tool=zebra", "").await;
    house.running.engine.register(zebra("zebra_late", Exposure::Direct)).unwrap();
    house.running.engine.registry().unregister("zebra_late");
    house.running.post_as(&house.boss, "/run_tool", r#"{"tool_id": "zebra"}"#).await;
    let (_, again, same) = {
        let request = Request::get("/tools").header("host", "localhost");
        let request = request.header("authorization", format!("Bearer {}", house.some));
        house.running.exchange(request, "").await
    };
    assert_eq!((first, tag), (again, same));
    house.post("/run_tool", &json!({ "tool_id": "own_file", "params": {} })).await;
    for kind in ["call_requested", "execution_started", "execution_completed"] {
        let (name, event) = within(events.event()).await;
        assert_eq!((name.as_str(), &event["tool_name"]), (kind, &json!("own_file")));
    }
    house.running.engine.register(own_again()).unwrap();
    assert_eq!(within(events.event()).await.1["tool_name"], "again_file");
    let nothing = tokio::time::timeout(std::time::Duration::from_millis(200), of_others.event());
    assert!(nothing.await.is_err());
}

fn own_again() -> Tool {
    Tool::function(ToolSpec::new("again_file").unwrap(), |_, _| async { Ok(json!(null)) })
}
