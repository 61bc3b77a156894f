//! Records, summaries, statistics and artifacts: everyone sees their own.

use toolsmith_core::{AllowList, Role, Tool, ToolSpec, Value, json};

use crate::support::{Keys, Running};

const ECHO: &str =
    r#"{"tool_id": "echo", "params": {"message": "hi"}, "context": {"conversation_id": "c"}}"#;

fn large() -> Tool {
    let spec = ToolSpec::new("large").unwrap();
    Tool::function(spec, |_, _| async { Ok(json!("é".repeat(400_000))) })
}

fn ids(list: &Value) -> Vec<&str> {
    list["calls"].as_array().unwrap().iter().filter_map(|call| call["record_id"].as_str()).collect()
}

#[tokio::test]
async fn a_caller_sees_its_own_records_and_an_administrator_all() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let [a, b] = [keys.make("a", |_| {}).await, keys.make("b", |_| {}).await];
    let boss = keys.make("boss", |new| new.role = Role::Admin).await;
    let of_a = gateway.post_as(&a, "/run_tool", ECHO).await.1["call_id"].clone();
    let of_b = gateway.post_as(&b, "/run_tool", ECHO).await.1["call_id"].clone();
    let (of_a, of_b) = (of_a.as_str().unwrap(), of_b.as_str().unwrap());

    assert_eq!(ids(&gateway.get_as(&a, "/calls").await.1), [of_a]);
    assert_eq!(ids(&gateway.get_as(&boss, "/calls").await.1), [of_b, of_a]);
    assert_eq!(ids(&gateway.get_as(&boss, "/calls?caller_id=b").await.1), [of_b]);
    assert_eq!(ids(&gateway.get_as(&a, "/calls?caller_id=b").await.1), Vec::<&str>::new());

    // What is not visible is answered like what is not there.
    let (_, nothing) = gateway.get_as(&a, "/calls/019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60").await;
    let hidden = gateway.get_as(&a, &format!("/calls/{of_b}")).await;
    assert_eq!((hidden.0.as_u16(), hidden.1), (404, nothing));
    for key in [&b, &boss] {
        let (_, call) = gateway.get_as(key, &format!("/calls/{of_b}")).await;
        assert_eq!(
            [&call["state"], &call["record"]["caller_id"]],
            [&json!("finished"), &json!("b")]
        );
        assert_eq!(call["outcome"]["output"], json!({"message": "hi"}));
    }
    let sums = async |key: &str| gateway.get_as(key, "/calls/summary?conversation_id=c").await.1;
    assert_eq!(sums(&a).await["total_calls"], 1);
    assert_eq!(sums(&boss).await["tool_usage"], json!({"echo": 2}));
    assert_eq!(gateway.get_as(&a, "/stats").await.0.as_u16(), 403);
    let (_, stats) = gateway.get_as(&boss, "/stats").await;
    assert_eq!([&stats["total_calls"], &stats["tools"]["echo"]["count"]], [&json!(2), &json!(2)]);
}

#[tokio::test]
async fn pages_and_filters_of_records_follow_the_question() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let key = keys.make("a", |_| {}).await;
    for call in [ECHO, r#"{"tool_id": "echo"}"#, ECHO] {
        gateway.post_as(&key, "/run_tool", call).await;
    }
    let (_, whole) = gateway.get_as(&key, "/calls?order=oldest").await;
    assert_eq!((ids(&whole).len(), whole.get("next")), (3, None));
    let (_, first) = gateway.get_as(&key, "/calls?order=oldest&limit=2").await;
    let next = first["next"].as_str().unwrap();
    let (_, rest) = gateway.get_as(&key, &format!("/calls?order=oldest&cursor={next}")).await;
    assert_eq!([ids(&first), ids(&rest)].concat(), ids(&whole));
    let (_, failed) = gateway.get_as(&key, "/calls?success=false&tool=echo").await;
    assert_eq!(failed["calls"][0]["error_type"], "validation_error");
    for wrong in ["limit=x", "order=up", "since=yesterday", "cursor=1", "who=me"] {
        assert_eq!(
            gateway.get_as(&key, &format!("/calls?{wrong}")).await.0.as_u16(),
            400,
            "{wrong}"
        );
    }
    assert_eq!(gateway.get_as(&key, "/calls/summary").await.0.as_u16(), 400);
    assert_eq!(gateway.get_as(&key, "/calls/none").await.0.as_u16(), 400);
}

#[tokio::test]
async fn an_artifact_is_read_in_pages_by_those_who_may_see_the_call() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, vec![large()]).await;
    let [a, b] = [keys.make("a", |_| {}).await, keys.make("b", |_| {}).await];
    let (_, outcome) = gateway.post_as(&a, "/run_tool", r#"{"tool_id": "large"}"#).await;
    let address = format!("/artifacts/{}", outcome["call_id"].as_str().unwrap());
    let (mut text, mut offset) = (String::new(), 0);
    loop {
        let page = format!("{address}?offset={offset}&limit=100001");
        let (status, page) = gateway.get_as(&a, &page).await;
        assert_eq!(status.as_u16(), 200, "{page}");
        text.push_str(page["content"].as_str().unwrap());
        match page["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(text, "é".repeat(400_000));
    let (_, nothing) = gateway.get_as(&b, "/artifacts/019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60").await;
    let hidden = gateway.get_as(&b, &address).await;
    assert_eq!((hidden.0.as_u16(), hidden.1), (404, nothing));
}

#[tokio::test]
async fn groups_and_the_status_show_what_the_caller_may_see() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let all = keys.make("all", |_| {}).await;
    let some = keys.make("some", |new| new.tools = Some(AllowList::new(["*_file"]))).await;
    let (_, groups) = gateway.get_as(&all, "/groups").await;
    assert_eq!(groups["groups"][0]["tool_ids"], json!(["echo"]));
    assert_eq!(gateway.get_as(&some, "/groups").await.1["groups"], json!([]));
    let (_, status) = gateway.get_as(&all, "/status").await;
    let total = gateway.engine.registry().len();
    assert_eq!(status["tools"], json!({"total": total, "active": total}));
    assert_eq!(status["coding_agent"]["running_task_ids"], json!([]));
    assert_eq!(status["service_agent"]["im_connected"], json!(false));
    let (_, status) = gateway.get_as(&some, "/status").await;
    assert!(status["tools"]["total"].as_u64().unwrap() < total as u64);
}

#[tokio::test]
async fn without_a_store_the_addresses_of_records_say_so() {
    let gateway = Running::start().await;
    for path in ["/calls", "/stats", "/calls/summary?conversation_id=c"] {
        let (status, answer) = gateway.get(path).await;
        let kind = &answer["error"]["type"];
        assert_eq!((status.as_u16(), kind), (503, &json!("unavailable")), "{path}");
    }
}
