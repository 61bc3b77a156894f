//! One tool, tools as models take them, tags of documents, and who may change tools.

use hyper::Method;
use toolsmith_core::{AllowList, Role, Tool, ToolSpec, json};

use crate::support::{Keys, Running};

#[tokio::test]
async fn a_tool_is_shown_whole_to_those_who_may_see_it() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let all = keys.make("all", |_| {}).await;
    let some = keys.make("some", |new| new.tools = Some(AllowList::new(["*_file"]))).await;
    let (status, echo) = gateway.get_as(&all, "/tools/echo").await;
    assert_eq!(status.as_u16(), 200);
    assert_eq!(echo["input_schema"]["properties"]["message"]["type"], "string");
    assert_eq!([&echo["state"], &echo["group_ids"]], [&json!("running"), &json!(["texts"])]);
    assert_eq!(gateway.get_as(&some, "/tools/echo").await.0.as_u16(), 404);
    assert_eq!(gateway.get_as(&all, "/tools/nothing").await.0.as_u16(), 404);
}

#[tokio::test]
async fn tools_are_written_as_each_model_takes_them() {
    let gateway = Running::start().await;
    let get = async |format| gateway.get(&format!("/tools?category=file&format={format}")).await.1;
    assert_eq!(get("openai").await[0]["type"], "function");
    assert!(get("anthropic").await[0]["input_schema"].is_object());
    assert!(get("mcp").await.to_string().contains("inputSchema"));
    assert!(get("gemini").await.to_string().contains("functionDeclarations"));
    let xml = "GET /tools?format=xml HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let xml = gateway.raw(xml.as_bytes()).await;
    assert!(xml.contains("<functions>") && xml.contains("text/plain"), "{xml}");
    assert_eq!(gateway.get("/tools?format=toml").await.0.as_u16(), 400);
}

#[tokio::test]
async fn a_document_that_the_client_has_is_not_sent_again() {
    let gateway = Running::start().await;
    let get = async |tag: &str| {
        let head = "GET /tools?limit=3 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
        gateway.raw(format!("{head}if-none-match: {tag}\r\n\r\n").as_bytes()).await
    };
    let first = get("\"none\"").await;
    let tag = first.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let again = get(&format!("\"other\", W/{tag}")).await;
    assert!(again.starts_with("HTTP/1.1 304") && again.ends_with("\r\n\r\n"), "{again}");
    let spec = ToolSpec::new("a").unwrap();
    gateway.engine.register(Tool::function(spec, |_, _| async { Ok(json!(1)) })).unwrap();
    assert!(get(&tag).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn only_administrators_change_tools_and_only_where_somebody_can() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let caller = keys.make("a", |_| {}).await;
    let boss = keys.make("boss", |new| new.role = Role::Admin).await;
    for (key, expected) in [(&caller, 403), (&boss, 501)] {
        for path in ["/tools/echo/enable", "/tools/echo/disable", "/tools/echo/stop", "/reload"] {
            let (status, _) = gateway.send_as(Method::POST, key, path).await;
            assert_eq!(status.as_u16(), expected, "{path}");
        }
        let (status, _) = gateway.send_as(Method::DELETE, key, "/tools/echo").await;
        assert_eq!(status.as_u16(), expected);
        assert_eq!(gateway.post_as(key, "/tools", "{}").await.0.as_u16(), expected);
    }
}
