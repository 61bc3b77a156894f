//! Calls that need approval, by MCP clients whose person can be asked.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use http_body_util::BodyExt;
use hyper::{Method, body::Incoming};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Approval, Parameter, Role, Tool, ToolSpec, Value, json};
use toolsmith_engine::Engine;
use toolsmith_gateway::{ByElicitation, Doorkeeper, Gateway, GatewayConfig};

use super::{
    mcp::{AbortOnDrop, begin_with, hello, open, send},
    support::{Keys, Plain, Running, within},
};

/// A tool that a person must agree to, and how often it has run.
fn risky() -> (Tool, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let spec = ToolSpec::new("risky").unwrap().with_parameters(&[Parameter::integer("n")]);
    let approval = Approval { expires: Duration::from_mins(5) };
    let spec = spec.with(|spec| spec.approval = Some(approval));
    let tool = Tool::function(spec, move |_, input| {
        counted.fetch_add(1, SeqCst);
        async move { Ok(input["n"].clone()) }
    });
    (tool, runs)
}

/// A gateway with that tool, and clients of two callers and an administrator.
struct House {
    running: Running,
    runs: Arc<AtomicUsize>,
    caller: String,
    other: String,
    boss: String,
    _keys: Keys,
}

impl House {
    async fn open(approve_by_elicitation: ByElicitation) -> Self {
        let keys = Keys::new().await;
        let (tool, runs) = risky();
        let config = GatewayConfig { approve_by_elicitation, ..GatewayConfig::default() };
        let running = Running::behind(keys.door(), vec![tool], config).await;
        let caller = keys.make("caller", |_| {}).await;
        let other = keys.make("other", |_| {}).await;
        let boss = keys.make("boss", |new| new.role = Role::Admin).await;
        Self { running, runs, caller, other, boss, _keys: keys }
    }

    fn runs(&self) -> usize {
        self.runs.load(SeqCst)
    }

    async fn pending(&self) -> Vec<Value> {
        let (_, listed) = self.running.get_as(&self.boss, "/approvals").await;
        listed["approvals"].as_array().unwrap().clone()
    }

    async fn approve(&self, id: &str) {
        let path = format!("/approvals/{id}");
        let (status, _) =
            self.running.post_as(&self.boss, &path, r#"{"decision":"approve"}"#).await;
        assert!(status.is_success());
    }
}

/// The answer to a call within a session, message by message.
struct Talk<'a> {
    house: &'a House,
    session: String,
    body: Incoming,
    text: String,
    _connection: AbortOnDrop,
}

impl<'a> Talk<'a> {
    /// Begins a session as the caller, and calls.
    async fn call(house: &'a House, n: u32) -> Self {
        let authorization = format!("Bearer {}", house.caller);
        let headers = [("authorization", authorization.as_str())];
        let able = json!({ "elicitation": {} });
        let session = begin_with(&house.running, &headers, &able).await;
        let call = json!({
            "jsonrpc": "2.0", "id": "a", "method": "tools/call",
            "params": { "name": "risky", "arguments": { "n": n } },
        });
        let headers = [
            ("authorization", authorization.as_str()),
            ("mcp-session-id", &session),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        let opened = open(&house.running, Method::POST, &headers, call.to_string()).await;
        let (response, connection) = opened;
        let (body, text) = (response.into_body(), String::new());
        Self { house, session, body, text, _connection: connection }
    }

    /// Waits for the next message.
    async fn message(&mut self) -> Value {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let rest = self.text.split_off(end + 2);
                let event = std::mem::replace(&mut self.text, rest);
                let line = event.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
                return serde_json::from_str(line).unwrap();
            }
            let frame = within(self.body.frame()).await.unwrap().unwrap();
            self.text.push_str(std::str::from_utf8(frame.data_ref().unwrap()).unwrap());
        }
    }

    /// Waits for the question, and answers it.
    async fn answer(&mut self, answer: Value) -> Value {
        let question = self.message().await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let authorization = format!("Bearer {}", self.house.caller);
        let headers =
            [("authorization", authorization.as_str()), ("mcp-session-id", &self.session)];
        let body = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
        let back = send(&self.house.running, Method::POST, &headers, &body.to_string()).await;
        assert_eq!(back.status.as_u16(), 202);
        question["params"].clone()
    }
}

fn decides(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

fn error_type(answer: &Value) -> &Value {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    &answer["result"]["_meta"]["toolsmith/error"]["type"]
}

#[tokio::test]
async fn the_person_at_a_client_decides_where_the_operator_says_so() {
    let house = House::open(ByElicitation::Always).await;
    let mut talk = Talk::call(&house, 1).await;
    let asked = talk.answer(decides("approve")).await;
    let message = asked["message"].as_str().unwrap();
    assert!(message.contains("risky") && message.contains(r#"{"n":1}"#), "{message}");
    assert_eq!(asked["requestedSchema"]["required"], json!(["decision"]));
    let result = talk.message().await;
    assert_eq!(result["result"]["content"][0]["text"], "1", "{result}");
    assert_eq!(house.runs(), 1);
    // A grant is good for one call: the next one asks again.
    let mut talk = Talk::call(&house, 1).await;
    talk.answer(decides("deny")).await;
    assert_eq!(error_type(&talk.message().await), "permission_denied");
    let mut talk = Talk::call(&house, 2).await;
    talk.answer(json!({ "action": "decline" })).await;
    assert_eq!(error_type(&talk.message().await), "permission_denied");
    for unclear in [json!({ "action": "cancel" }), decides("perhaps"), json!({}), json!(null)] {
        let mut talk = Talk::call(&house, 3).await;
        talk.answer(unclear).await;
        assert_eq!(error_type(&talk.message().await), "approval_required");
    }
    assert_eq!((house.runs(), house.pending().await.len()), (1, 1));
}

#[tokio::test]
async fn a_remote_caller_cannot_grant_its_own_call_and_waits_for_who_can() {
    let house = House::open(ByElicitation::default()).await;
    let mut talk = Talk::call(&house, 1).await;
    let asked = talk.answer(decides("approve")).await;
    let [pending] = &*house.pending().await else { panic!("one request") };
    let id = pending["approval_id"].as_str().unwrap();
    assert!(asked["message"].as_str().unwrap().contains(id), "{asked}");
    for shown in ["tool_name", "input", "caller_id", "reason", "requested_at", "expires_at"] {
        assert!(!pending[shown].is_null(), "{shown}: {pending}");
    }
    assert_eq!(house.runs(), 0);
    house.approve(id).await;
    assert_eq!(talk.message().await["result"]["content"][0]["text"], "1");
    assert_eq!((house.runs(), house.pending().await.len()), (1, 0));
    // Who does not want to wait is told what it would be told without the question.
    let mut talk = Talk::call(&house, 1).await;
    talk.answer(json!({ "action": "decline" })).await;
    assert_eq!(error_type(&talk.message().await), "approval_required");
    assert_eq!(house.runs(), 1);
}

#[tokio::test]
async fn a_client_that_leaves_during_the_question_leaves_it_open_and_nothing_runs() {
    let house = House::open(ByElicitation::default()).await;
    let mut talk = Talk::call(&house, 1).await;
    talk.message().await;
    drop(talk);
    let [pending] = &*house.pending().await else { panic!("one request") };
    house.approve(pending["approval_id"].as_str().unwrap()).await;
    assert_eq!(house.runs(), 0);
    // The grant waits for the same call of the same caller, by whatever door.
    let call = r#"{"tool_id": "risky", "params": {"n": 1}}"#;
    assert_eq!(house.running.post_as(&house.other, "/run_tool", call).await.0.as_u16(), 428);
    assert_eq!(house.running.post_as(&house.caller, "/run_tool", call).await.0.as_u16(), 200);
    assert_eq!(house.runs(), 1);
}

/// Calls in a request that stands for itself.
async fn call_alone(house: &House, key: &str, n: u32, more: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let mut params = json!({ "name": "risky", "arguments": { "n": n }, "_meta": meta });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers = [
        ("authorization", &*format!("Bearer {key}")),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "risky"),
    ];
    let back = within(send(&house.running, Method::POST, &headers, &body.to_string())).await;
    back.messages.into_iter().next().unwrap()
}

/// Answers the one question of a result.
fn next_round(result: &Value, answer: &Value) -> Value {
    assert_eq!(result["result"]["resultType"], "input_required", "{result}");
    let questions = result["result"]["inputRequests"].as_object().unwrap();
    let answers: toolsmith_core::Map<String, Value> =
        questions.keys().map(|name| (name.clone(), answer.clone())).collect();
    json!({ "inputResponses": answers, "requestState": result["result"]["requestState"] })
}

#[tokio::test]
async fn a_client_without_a_session_is_asked_in_rounds() {
    let house = House::open(ByElicitation::Always).await;
    // No answer counts that comes before the question.
    let early = json!({ "inputResponses": { "question-1": decides("approve") } });
    let asked = call_alone(&house, &house.caller, 1, early).await;
    let answered = next_round(&asked, &decides("approve"));
    // Somebody else cannot go on with it.
    let stranger = call_alone(&house, &house.other, 1, answered.clone()).await;
    assert!(stranger["error"].is_object(), "{stranger}");
    assert_eq!(house.runs(), 0);
    let done = call_alone(&house, &house.caller, 1, answered.clone()).await;
    assert_eq!(done["result"]["content"][0]["text"], "1", "{done}");
    // Neither the answer nor the grant is good for a second time, or for another input.
    let second = call_alone(&house, &house.caller, 1, answered).await;
    assert!(second["error"].is_object(), "{second}");
    let other_input = call_alone(&house, &house.caller, 2, json!({})).await;
    assert_eq!(other_input["result"]["resultType"], "input_required");
    assert_eq!(house.runs(), 1);
}

#[tokio::test]
async fn questions_to_one_caller_leave_room_for_those_to_others() {
    let house = House::open(ByElicitation::Always).await;
    for n in 0..250 {
        let asked = call_alone(&house, &house.caller, n, json!({})).await;
        assert_eq!(asked["result"]["resultType"], "input_required", "{n}: {asked}");
    }
    let refused = call_alone(&house, &house.caller, 250, json!({})).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    let other = call_alone(&house, &house.other, 0, json!({})).await;
    assert_eq!(other["result"]["resultType"], "input_required", "{other}");
}

#[tokio::test]
async fn a_client_without_a_session_waits_for_who_decides() {
    let house = House::open(ByElicitation::Never).await;
    let asked = call_alone(&house, &house.caller, 1, json!({})).await;
    let [pending] = &*house.pending().await else { panic!("one request") };
    let answered = next_round(&asked, &decides("approve"));
    let (done, ()) = tokio::join!(
        call_alone(&house, &house.caller, 1, answered),
        house.approve(pending["approval_id"].as_str().unwrap()),
    );
    assert_eq!((&done["result"]["content"][0]["text"], house.runs()), (&json!("1"), 1));
}

#[tokio::test]
async fn whoever_started_the_program_decides_on_its_streams() {
    let (tool, runs) = risky();
    let engine = Engine::builder().tool(tool).build().unwrap();
    let (door, config) = (Doorkeeper::local(), GatewayConfig::default());
    let gateway = Gateway::new(engine, Arc::new(Plain::default()), door, config);
    let (ours, theirs) = duplex(65_536);
    let speaking = tokio::spawn(toolsmith_gateway::speak(
        gateway,
        None,
        split(theirs),
        CancellationToken::new(),
    ));
    let (reader, mut writer) = split(ours);
    let mut lines = BufReader::new(reader).lines();
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "risky", "arguments": { "n": 7 } },
    });
    let said = format!("{}\n{call}\n", hello(&json!({ "elicitation": {} })));
    writer.write_all(said.as_bytes()).await.unwrap();
    let mut next = async || {
        let line = within(lines.next_line()).await.unwrap().unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    next().await;
    let question = next().await;
    assert_eq!((&question["method"], runs.load(SeqCst)), (&json!("elicitation/create"), 0));
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": decides("approve") });
    writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
    assert_eq!(next().await["result"]["content"][0]["text"], "7");
    assert_eq!(runs.load(SeqCst), 1);
    writer.shutdown().await.unwrap();
    within(speaking).await.unwrap().unwrap();
}
