//! Streams: a call that is followed, and what happens.

use toolsmith_core::{AllowList, Clock as _, Role, SystemClock, Tool, ToolSpec, json};
use toolsmith_gateway::GatewayConfig;

use crate::support::{Keys, Running, within};

fn talking() -> Tool {
    let spec = ToolSpec::new("talking").unwrap();
    Tool::function(spec, |cx, _| async move {
        cx.chunk(json!("one\ntwo")).await;
        cx.progress(1.0, Some(2.0), "half");
        Ok(json!("done"))
    })
}

fn endless() -> Tool {
    let spec = ToolSpec::new("endless").unwrap();
    Tool::function(spec, |cx, _| async move {
        loop {
            cx.chunk(json!("x".repeat(10_000))).await;
        }
    })
}

const ECHO: &str =
    r#"{"tool_id": "echo", "params": {"message": "hi"}, "context": {"conversation_id": "c"}}"#;

#[tokio::test]
async fn a_call_is_followed_while_it_runs_and_its_outcome_closes_the_stream() {
    let gateway = Running::with(vec![talking()], GatewayConfig::default()).await;
    let mut stream = gateway.follow("", r#"{"tool_id": "talking"}"#).await;
    assert_eq!(stream.event().await, ("chunk".to_owned(), json!({"chunk": "one\ntwo"})));
    let (name, told) = stream.event().await;
    assert_eq!((name.as_str(), &told["message"]), ("progress", &json!("half")));
    let (name, outcome) = stream.event().await;
    assert_eq!((name.as_str(), &outcome["output"]), ("outcome", &json!("done")));
    assert!(stream.head.contains(outcome["call_id"].as_str().unwrap()), "{}", stream.head);
    assert!(stream.is_at_end().await);
    let mut refused = gateway.follow("", r#"{"tool_id": "nothing"}"#).await;
    assert_eq!(refused.event().await.1["error"]["type"], "tool_not_found");
}

#[tokio::test]
async fn a_follower_that_leaves_or_does_not_read_never_keeps_a_tool() {
    let gateway = Running::with(vec![endless()], GatewayConfig::default()).await;
    let mut events = gateway.engine.subscribe();
    let mut ended = async || {
        loop {
            match events.next().await {
                Some(toolsmith_engine::Heard::Event(event)) if event.kind.is_final() => {
                    break serde_json::to_value(event).unwrap()["data"]["error"]["type"].clone();
                }
                _ => {}
            }
        }
    };
    let stream = gateway.follow("", r#"{"tool_id": "endless"}"#).await;
    drop(stream);
    assert_eq!(within(ended()).await, "cancelled");
    // One that does not read holds the tool back, and the deadline still ends it.
    let call = r#"{"tool_id": "endless", "context": {"timeout": 0.2}}"#;
    let _stream = gateway.follow("", call).await;
    assert_eq!(within(ended()).await, "timeout");
}

#[tokio::test]
async fn everyone_hears_of_their_own_calls_and_of_tools_that_they_may_see() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let a = keys.make("a", |new| new.tools = Some(AllowList::new(["echo"]))).await;
    let b = keys.make("b", |_| {}).await;
    let boss = keys.make("boss", |new| new.role = Role::Admin).await;
    let mut of_a = gateway.listen(&a, "/events", "").await;
    let mut of_b = gateway.listen(&b, "/events?type=execution_completed,tool_added", "").await;
    let mut of_boss = gateway.listen(&boss, "/events?type=execution_completed", "").await;
    let first = gateway.post_as(&b, "/run_tool", ECHO).await.1["call_id"].clone();
    gateway.engine.register(talking()).unwrap();
    let second = gateway.post_as(&a, "/run_tool", ECHO).await.1["call_id"].clone();
    // Neither the call of another nor a tool that is not on its list.
    let (name, event) = of_a.event().await;
    assert_eq!((name.as_str(), &event["call_id"]), ("call_requested", &second));
    assert_eq!(event["data"]["params"], json!({"message": "hi"}));
    assert!(event.get("origin").is_none());
    let (name, event) = of_b.event().await;
    assert_eq!((name.as_str(), &event["call_id"]), ("execution_completed", &first));
    assert_eq!(of_b.event().await.1["tool_name"], "talking");
    assert_eq!(of_boss.event().await.1["call_id"], first);
    assert_eq!(of_boss.event().await.1["call_id"], second);
}

#[tokio::test]
async fn a_listener_that_comes_back_hears_what_it_missed() {
    let gateway = Running::start().await;
    let path = "/events?type=execution_completed&conversation_id=c";
    let mut stream = gateway.listen("", path, "").await;
    let first = gateway.post("/run_tool", ECHO).await.1["call_id"].clone();
    assert_eq!(stream.event().await.1["call_id"], first);
    let place = stream.last_id.clone();
    drop(stream);
    let second = gateway.post("/run_tool", ECHO).await.1["call_id"].clone();
    gateway.post("/run_tool", r#"{"tool_id": "echo", "params": {"message": "other"}}"#).await;
    let third = gateway.post("/run_tool", ECHO).await.1["call_id"].clone();
    let mut stream = gateway.listen("", path, &place).await;
    assert_eq!(stream.event().await.1["call_id"], second);
    assert_eq!(stream.event().await.1["call_id"], third);
    // A place of another run: what came after it cannot be known.
    let mut stream = gateway.listen("", path, "1f-7").await;
    assert_eq!(stream.event().await, ("missed".to_owned(), json!({"missed": null})));
    let (status, _) = gateway.get("/events?type=nothing").await;
    assert_eq!(status.as_u16(), 400);
}

#[tokio::test]
async fn a_listener_whose_key_is_taken_back_hears_no_more() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let key = keys.make("a", |new| new.role = Role::Admin).await;
    let other = keys.make("b", |_| {}).await;
    let mut stream = gateway.listen(&key, "/events?type=call_requested", "").await;
    gateway.post_as(&other, "/run_tool", ECHO).await;
    stream.event().await;
    let id = toolsmith_store::Key::id_of(&key).unwrap().into();
    assert!(keys.store.revoke_key(id, SystemClock.now()).await.unwrap());
    let calling = async {
        loop {
            gateway.post_as(&other, "/run_tool", ECHO).await;
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    let ending = async { while !stream.is_at_end().await {} };
    tokio::select! {
        () = calling => {}
        () = within(ending) => {}
    }
}

#[tokio::test]
async fn listeners_are_let_go_at_the_end() {
    let gateway = Running::start().await;
    let mut stream = gateway.listen("", "/events", "").await;
    gateway.stop.cancel();
    assert!(stream.is_at_end().await);
    within(gateway.serving).await.unwrap();
}

#[tokio::test]
async fn many_idle_listeners_all_hear_an_event() {
    let gateway = Running::start().await;
    let mut streams = Vec::new();
    for _ in 0..500 {
        streams.push(gateway.listen("", "/events?type=tool_added", "").await);
    }
    for _ in 0..20 {
        gateway.post("/run_tool", ECHO).await;
    }
    gateway.engine.register(talking()).unwrap();
    for stream in &mut streams {
        assert_eq!(stream.event().await.1["tool_name"], "talking");
    }
}

#[tokio::test]
async fn a_question_is_answered_from_the_registry_in_its_language() {
    let gateway = Running::start().await;
    let english = json!({"message": "How do I compute a hash?", "chat_id": "w1"});
    let (status, answer) = gateway.post("/chat", english.to_string()).await;
    assert_eq!((status.as_u16(), &answer["chat_id"]), (200, &json!("w1")));
    let text = answer["response"].as_str().unwrap();
    assert!(text.contains("`hash_convert`") && text.contains("No model is configured"), "{text}");
    let chinese = json!({"message": "读取文件", "chat_id": "w2"});
    let (_, answer) = gateway.post("/chat", chinese.to_string()).await;
    let text = answer["response"].as_str().unwrap();
    assert!(text.contains("`read_file`") && text.contains("未配置模型"), "{text}");
    let (_, answer) = gateway.post("/chat", r#"{"message": "zzzz qqqq"}"#).await;
    assert!(answer["response"].as_str().unwrap().contains("No tool fits"), "{answer}");
    assert!(!answer["chat_id"].as_str().unwrap().is_empty());
}
