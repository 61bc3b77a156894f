//! Who is let in, and what they see.

use hyper::Method;
use toolsmith_core::{AllowList, Clock, RateBy, RateLimit, Role, SystemClock, json};
use toolsmith_gateway::{Doorkeeper, GatewayConfig, WithoutKey};
use toolsmith_store::Key;

use crate::support::{Keys, Running};

const ECHO: &str = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;
const SLEEP: &str = r#"{"tool_id": "sleep", "params": {"duration": 30}}"#;

async fn behind(keys: &Keys) -> Running {
    Running::behind(keys.door(), Vec::new(), GatewayConfig::default()).await
}

#[tokio::test]
async fn without_a_good_key_nobody_gets_in() {
    let keys = Keys::new().await;
    let gateway = behind(&keys).await;
    let good = keys.make("a", |_| {}).await;
    let expired = keys.make("a", |new| new.expires_at = Some(SystemClock.now())).await;
    let tampered = format!("{}x", &good[..good.len() - 1]);
    for key in ["", "nonsense", "tsk_", "tsk__x", "tsk_00_x", &expired, &tampered] {
        let (status, answer) = gateway.post_as(key, "/run_tool", ECHO).await;
        let kind = &answer["error"]["type"];
        assert_eq!((status.as_u16(), kind), (401, &json!("unauthenticated")), "{key}");
    }
    assert_eq!(gateway.post_as(&good, "/run_tool", ECHO).await.0.as_u16(), 200);
    // Strangers learn that the program lives, and nothing else.
    let (status, health) = gateway.get("/health").await;
    assert_eq!((status.as_u16(), health.get("parts")), (200, None));
    assert!(gateway.get_as(&good, "/health").await.1["parts"].is_object());
}

#[tokio::test]
async fn where_others_have_keys_who_comes_without_one_sees_what_is_its_own() {
    let keys = Keys::new().await;
    let door = Doorkeeper { without_key: WithoutKey::Local, ..keys.door() };
    let gateway = Running::behind(door, Vec::new(), GatewayConfig::default()).await;
    assert_eq!(gateway.get("/stats").await.0.as_u16(), 503, "an administrator, and no records");
    let key = keys.make("a", |_| {}).await;
    let (_, outcome) = gateway.post_as(&key, "/run_tool?async=true", SLEEP).await;
    let address = format!("/calls/{}", outcome["call_id"].as_str().unwrap());
    let own_only = async {
        while gateway.get("/stats").await.0.as_u16() != 403 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), own_only).await.unwrap();
    assert_eq!(gateway.get(&address).await.0.as_u16(), 404);
    assert_eq!(gateway.send_as(Method::DELETE, "", &address).await.0.as_u16(), 404);
    assert_eq!(gateway.get_as(&key, &address).await.1["state"], "running");
    assert_eq!(gateway.post("/run_tool", ECHO).await.0.as_u16(), 200);
}

#[tokio::test]
async fn a_key_that_is_taken_back_opens_no_longer() {
    let keys = Keys::new().await;
    let gateway = behind(&keys).await;
    let key = keys.make("a", |_| {}).await;
    assert_eq!(gateway.get_as(&key, "/tools").await.0.as_u16(), 200);
    let id = Key::id_of(&key).unwrap().into();
    assert!(keys.store.revoke_key(id, SystemClock.now()).await.unwrap());
    let refused = async {
        while gateway.get_as(&key, "/tools").await.0.as_u16() != 401 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), refused).await.unwrap();
}

#[tokio::test]
async fn a_key_for_some_tools_neither_sees_nor_calls_others() {
    let keys = Keys::new().await;
    let gateway = behind(&keys).await;
    let key = keys.make("a", |new| new.tools = Some(AllowList::new(["*_file"]))).await;
    let (_, table) = gateway.get_as(&key, "/tools").await;
    let rows = table["tools"].as_array().unwrap();
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|row| row["tool_id"].as_str().unwrap().ends_with("_file")), "{rows:?}");
    assert_eq!(table["groups"], json!([]));
    assert_eq!(table["backend_runtimes"][0]["tool_count"], rows.len());
    let (_, found) = gateway.get_as(&key, "/tools?q=echo").await;
    assert!(found["tools"].as_array().unwrap().iter().all(|row| row["tool_id"] != "echo"));
    for name in ["echo", "echo@^1", "ech", "nothing"] {
        let call = json!({"tool_id": name, "params": {"message": "hi"}}).to_string();
        let (status, outcome) = gateway.post_as(&key, "/run_tool", call).await;
        assert_eq!(status.as_u16(), 404, "{name}");
        let message = outcome["error"]["message"].as_str().unwrap();
        assert!(!message.contains("Did you mean `echo`"), "{message}");
    }
}

#[tokio::test]
async fn a_viewer_looks_and_calls_nothing_and_a_rate_is_kept() {
    let keys = Keys::new().await;
    let gateway = behind(&keys).await;
    let viewer = keys.make("v", |new| new.role = Role::Viewer).await;
    assert_eq!(gateway.get_as(&viewer, "/tools").await.0.as_u16(), 200);
    let (status, outcome) = gateway.post_as(&viewer, "/run_tool", ECHO).await;
    assert_eq!((status.as_u16(), &outcome["error"]["type"]), (403, &json!("permission_denied")));
    let rate = RateLimit { calls: 1, per: std::time::Duration::from_hours(1), by: RateBy::Caller };
    let rare = keys.make("r", |new| new.allowance.rate = Some(rate)).await;
    assert_eq!(gateway.post_as(&rare, "/run_tool", ECHO).await.0.as_u16(), 200);
    let (status, outcome) = gateway.post_as(&rare, "/run_tool", ECHO).await;
    assert_eq!((status.as_u16(), &outcome["error"]["type"]), (429, &json!("rate_limited")));
}

#[tokio::test]
async fn forged_names_and_pages_of_strangers_are_refused() {
    let gateway = Running::start().await;
    for (headers, status) in [
        ("host: evil.example\r\n", 403),
        ("host: localhost\r\norigin: http://evil.example\r\n", 403),
        ("host: localhost\r\nhost: localhost\r\n", 400),
        ("", 400),
        ("host: localhost\r\norigin: http://localhost:3000\r\n", 200),
    ] {
        let request = format!("GET /tools HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
        let answer = gateway.raw(request.as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{headers}: {answer}");
    }
}
