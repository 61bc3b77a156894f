//! Calls that a person must agree to.

use std::time::Duration;

use toolsmith_core::{Approval, Parameter, Role, Tool, ToolSpec, json};
use toolsmith_gateway::GatewayConfig;

use crate::support::{Keys, Running};

fn risky(expires: Duration) -> Tool {
    let spec = ToolSpec::new("risky").unwrap().with_parameters(&[Parameter::integer("n")]);
    let spec = spec.with(|spec| spec.approval = Some(Approval { expires }));
    Tool::function(spec, |_, input| async move { Ok(input["n"].clone()) })
}

fn call(n: u32) -> String {
    json!({"tool_id": "risky", "params": {"n": n}}).to_string()
}

#[tokio::test]
async fn a_grant_is_given_by_another_and_good_for_one_call() {
    let keys = Keys::new().await;
    let tools = vec![risky(Duration::from_mins(5))];
    let gateway = Running::behind(keys.door(), tools, GatewayConfig::default()).await;
    let caller = keys.make("caller", |_| {}).await;
    let other = keys.make("other", |_| {}).await;
    let boss = keys.make("boss", |new| new.role = Role::Admin).await;
    let (status, outcome) = gateway.post_as(&caller, "/run_tool", call(1)).await;
    assert_eq!((status.as_u16(), &outcome["error"]["type"]), (428, &json!("approval_required")));
    let id = outcome["error"]["details"]["approval_id"].as_str().unwrap().to_owned();

    let (_, mine) = gateway.get_as(&caller, "/approvals").await;
    assert_eq!(mine["approvals"][0]["approval_id"], json!(id));
    assert_eq!(gateway.get_as(&other, "/approvals").await.1["approvals"], json!([]));

    let decide = format!("/approvals/{id}");
    let yes = r#"{"decision": "approve"}"#;
    for key in [&caller, &other] {
        assert_eq!(gateway.post_as(key, &decide, yes).await.0.as_u16(), 403);
    }
    assert_eq!(gateway.post_as(&boss, &decide, yes).await.0.as_u16(), 200);

    // Another input and another caller have not been agreed to.
    assert_eq!(gateway.post_as(&caller, "/run_tool", call(2)).await.0.as_u16(), 428);
    assert_eq!(gateway.post_as(&other, "/run_tool", call(1)).await.0.as_u16(), 428);
    let (status, outcome) = gateway.post_as(&caller, "/run_tool", call(1)).await;
    assert_eq!((status.as_u16(), &outcome["output"]), (200, &json!(1)));
    assert_eq!(gateway.post_as(&caller, "/run_tool", call(1)).await.0.as_u16(), 428);
}

#[tokio::test]
async fn an_administrator_cannot_approve_its_own_call_and_late_grants_are_void() {
    let keys = Keys::new().await;
    let tools = vec![risky(Duration::from_millis(50))];
    let gateway = Running::behind(keys.door(), tools, GatewayConfig::default()).await;
    let boss = keys.make("boss", |new| new.role = Role::Admin).await;
    let (_, outcome) = gateway.post_as(&boss, "/run_tool", call(1)).await;
    let id = outcome["error"]["details"]["approval_id"].as_str().unwrap();
    let decide = format!("/approvals/{id}");
    let (status, _) = gateway.post_as(&boss, &decide, r#"{"decision": "approve"}"#).await;
    assert!(!status.is_success());
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(gateway.get_as(&boss, "/approvals").await.1["approvals"], json!([]));
    let second = keys.make("second", |new| new.role = Role::Admin).await;
    assert!(!gateway.post_as(&second, &decide, r#"{"decision": "approve"}"#).await.0.is_success());
    for (path, body) in [("/approvals/x", "{}"), (&*decide, r#"{"decision": "maybe"}"#)] {
        assert_eq!(gateway.post_as(&boss, path, body).await.0.as_u16(), 400, "{path}");
    }
}
