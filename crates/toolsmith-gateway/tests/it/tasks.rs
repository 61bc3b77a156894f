//! Long calls as tasks, in both eras, and the same calls at the HTTP door.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::{Method, body::Incoming};
use toolsmith_core::{Role, Value, json};
use toolsmith_gateway::GatewayConfig;

use super::{
    fixtures::tasks,
    mcp::{AbortOnDrop, begin_with, open, send},
    support::{Keys, Running, within},
};

struct House {
    running: Running,
    keys: Keys,
}

impl House {
    async fn open(task_after: Duration) -> Self {
        let keys = Keys::new().await;
        let config = GatewayConfig { task_after, ..GatewayConfig::default() };
        let running = Running::recording_with(&keys, tasks::all(), config).await;
        Self { running, keys }
    }

    /// Asks in a request that stands for itself, as a client that knows tasks.
    async fn ask(&self, key: &str, method: &str, params: Value) -> Value {
        let able = json!({
            "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} },
        });
        self.ask_as(key, method, params, able).await
    }

    async fn ask_as(&self, key: &str, method: &str, mut params: Value, able: Value) -> Value {
        let name = params["name"].as_str().or(params["taskId"].as_str()).unwrap_or("-").to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": able,
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers = [
            ("authorization", &*format!("Bearer {key}")),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", &name),
        ];
        let back = within(send(&self.running, Method::POST, &headers, &body.to_string())).await;
        back.messages.into_iter().next().unwrap()
    }

    /// Waits until a task has a status.
    async fn until(&self, key: &str, id: &Value, status: &str) -> Value {
        let asking = async {
            loop {
                let task = self.ask(key, "tasks/get", json!({ "taskId": id })).await;
                if task["result"]["status"] == status {
                    return task["result"].clone();
                }
                assert!(task["result"]["status"].is_string(), "{task}");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        within(asking).await
    }
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

#[tokio::test]
async fn a_call_that_takes_long_becomes_a_task_for_clients_that_know_tasks() {
    let house = House::open(Duration::from_millis(30)).await;
    let key = house.keys.make("a", |_| {}).await;
    let greeted = house.ask(&key, "tools/call", call("greet", &json!({ "name": "B" }))).await;
    assert_eq!(greeted["result"]["resultType"], "complete");
    let slow = call("slow_compute", &json!({ "seconds": 0.1, "label": "x" }));
    let made = house.ask(&key, "tools/call", slow.clone()).await["result"].clone();
    assert_eq!((&made["resultType"], &made["status"]), (&json!("task"), &json!("working")));
    let done = house.until(&key, &made["taskId"], "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "computed \"x\"");
    // The same call is known at the other door, by the same id and to the same callers.
    let path = format!("/calls/{}", made["taskId"].as_str().unwrap());
    let (status, report) = house.running.get_as(&key, &path).await;
    assert_eq!((status.as_u16(), &report["state"]), (200, &json!("finished")));
    let other = house.keys.make("b", |_| {}).await;
    assert_eq!(house.running.get_as(&other, &path).await.0.as_u16(), 404);
    // Who does not know tasks waits for the result.
    let waited = house.ask_as(&key, "tools/call", slow, json!({})).await;
    assert_eq!(waited["result"]["content"][0]["text"], "computed \"x\"");
}

#[tokio::test]
async fn a_task_belongs_to_its_caller_and_administrators() {
    let house = House::open(Duration::from_mins(1)).await;
    let key = house.keys.make("a", |_| {}).await;
    let other = house.keys.make("b", |_| {}).await;
    let boss = house.keys.make("boss", |new| new.role = Role::Admin).await;
    let slow = call("slow_compute", &json!({ "seconds": 3600, "label": "x" }));
    let made = house.ask(&key, "tools/call", slow).await["result"].clone();
    let named = json!({ "taskId": made["taskId"] });
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let answer = house.ask(&other, method, named.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        let unable = house.ask_as(&key, method, named.clone(), json!({})).await;
        assert_eq!(unable["error"]["code"], -32021, "{method}: {unable}");
    }
    assert_eq!(house.ask(&boss, "tasks/get", named.clone()).await["result"]["status"], "working");
    let cancelled = house.ask(&key, "tasks/cancel", named.clone()).await;
    assert_eq!(cancelled["result"]["resultType"], "complete", "{cancelled}");
    house.until(&key, &made["taskId"], "cancelled").await;
    for method in ["tasks/list", "tasks/result"] {
        assert_eq!(house.ask(&key, method, named.clone()).await["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn a_task_asks_what_it_wants_to_know_and_goes_on_with_the_answer() {
    let house = House::open(Duration::from_mins(1)).await;
    let key = house.keys.make("a", |_| {}).await;
    let made = house.ask(&key, "tools/call", call("confirm_delete", &json!({}))).await;
    let id = &made["result"]["taskId"];
    let asked = house.until(&key, id, "input_required").await;
    let (name, request) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    let answer = json!({ "action": "accept", "content": { "confirm": true } });
    let given = json!({ "taskId": id, "inputResponses": { (name.as_str()): answer, "x": {} } });
    house.ask(&key, "tasks/update", given).await;
    let done = house.until(&key, id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], r#"{"confirm":true}"#);
}

/// A session of the revision in which clients wish for tasks.
struct Session<'a> {
    house: &'a House,
    authorization: String,
    name: String,
}

impl<'a> Session<'a> {
    async fn begin(house: &'a House, key: &str) -> Self {
        let authorization = format!("Bearer {key}");
        let headers = [("authorization", authorization.as_str())];
        let name = begin_with(&house.running, &headers, &json!({})).await;
        Self { house, authorization, name }
    }

    async fn ask(&self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers = [
            ("authorization", self.authorization.as_str()),
            ("mcp-session-id", self.name.as_str()),
        ];
        let body = body.to_string();
        let sent = send(&self.house.running, Method::POST, &headers, &body);
        within(sent).await.messages.into_iter().next().unwrap()
    }

    /// Listens to what belongs to no request.
    async fn listen(&self) -> Heard {
        let headers = [
            ("authorization", self.authorization.as_str()),
            ("mcp-session-id", self.name.as_str()),
            ("accept", "text/event-stream"),
        ];
        let (response, connection) = open(&self.house.running, Method::GET, &headers, "").await;
        Heard { body: response.into_body(), _connection: connection }
    }

    async fn begin_task(&self, seconds: f64) -> Value {
        let mut wished = call("slow_compute", &json!({ "seconds": seconds, "label": "x" }));
        wished["task"] = json!({ "ttl": 60_000 });
        self.ask("tools/call", wished).await["result"]["task"].clone()
    }
}

#[tokio::test]
async fn a_client_of_a_session_wishes_for_a_task() {
    let house = House::open(Duration::from_millis(1)).await;
    let session = Session::begin(&house, &house.keys.make("a", |_| {}).await).await;
    // Without the wish a call is a call, however long it takes.
    let plain = call("slow_compute", &json!({ "seconds": 0.05, "label": "x" }));
    let plain = session.ask("tools/call", plain).await;
    assert_eq!(plain["result"]["content"][0]["text"], "computed \"x\"", "{plain}");
    let task = session.begin_task(0.05).await;
    assert_eq!(task["status"], "working", "{task}");
    assert!(task["ttl"].is_u64() && task["pollInterval"].is_u64(), "{task}");
    let named = json!({ "taskId": task["taskId"] });
    let result = session.ask("tasks/result", named.clone()).await;
    assert_eq!(result["result"]["content"][0]["text"], "computed \"x\"");
    let related = &result["result"]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(*related, named);
    assert_eq!(session.ask("tasks/get", named.clone()).await["result"]["status"], "completed");
    assert_eq!(session.ask("tasks/cancel", named).await["error"]["code"], -32602);
    let long = session.begin_task(3600.0).await;
    let named = json!({ "taskId": long["taskId"] });
    assert_eq!(session.ask("tasks/cancel", named).await["result"]["status"], "cancelled");
    let other = Session::begin(&house, &house.keys.make("b", |_| {}).await).await;
    let listed = session.ask("tasks/list", json!({})).await;
    assert_eq!(listed["result"]["tasks"].as_array().unwrap().len(), 2, "{listed}");
    assert_eq!(other.ask("tasks/list", json!({})).await["result"]["tasks"], json!([]));
    // What must be a task is none without the wish.
    let required = session.ask("tools/call", call("failing_job", &json!({}))).await;
    assert_eq!(required["error"]["code"], -32601, "{required}");
    let tools = session.ask("tools/list", json!({})).await;
    let of = |name: &str| {
        let tools = tools["result"]["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["execution"]["taskSupport"].clone()
    };
    assert_eq!((of("failing_job"), of("greet")), (json!("required"), json!("optional")));
}

/// What a session hears besides its answers.
struct Heard {
    body: Incoming,
    _connection: AbortOnDrop,
}

impl Heard {
    async fn next(&mut self) -> Value {
        let frame = within(self.body.frame()).await.unwrap().unwrap();
        let text = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        serde_json::from_str(line).unwrap()
    }
}

#[tokio::test]
async fn a_session_hears_how_its_tasks_are_and_nobody_elses() {
    let house = House::open(Duration::from_mins(1)).await;
    let session = Session::begin(&house, &house.keys.make("a", |_| {}).await).await;
    let other = Session::begin(&house, &house.keys.make("b", |_| {}).await).await;
    let (mut heard, mut heard_by_other) = (session.listen().await, other.listen().await);
    let task = session.begin_task(0.05).await;
    let told = heard.next().await;
    assert_eq!(told["method"], "notifications/tasks/status", "{told}");
    assert_eq!(told["params"]["taskId"], task["taskId"]);
    assert_eq!(told["params"]["status"], "completed");
    // The first that the other hears of is a task of its own.
    let task = other.begin_task(0.05).await;
    assert_eq!(heard_by_other.next().await["params"]["taskId"], task["taskId"]);
}
