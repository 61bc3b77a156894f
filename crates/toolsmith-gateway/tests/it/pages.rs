//! Pages of other origins, as their browsers ask for them (CORS).

use toolsmith_gateway::{Doorkeeper, GatewayConfig, Hosts};

use crate::support::{Keys, Running};

const APP: &str = "https://app.example";

/// A server that only keys open, and that the pages of an application may call.
async fn gateway(keys: &Keys) -> Running {
    let hosts = Hosts::loopback().with_origins([APP.to_owned()]);
    let door = Doorkeeper { hosts, ..keys.door() };
    Running::behind(door, Vec::new(), GatewayConfig::default()).await
}

/// Sends the head of a request and returns that of the answer, in small letters.
async fn head(gateway: &Running, first: &str, headers: &str) -> String {
    let request =
        format!("{first} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
    let answer = gateway.raw(request.as_bytes()).await;
    answer.split("\r\n\r\n").next().unwrap().to_ascii_lowercase()
}

#[tokio::test]
async fn a_browser_is_told_what_a_page_may_send_without_a_key() {
    let gateway = gateway(&Keys::new().await).await;
    for path in ["/run_tool", "/mcp", "/tools/echo", "/nowhere"] {
        let asked = format!(
            "origin: {APP}\r\naccess-control-request-method: POST\r\n\
             access-control-request-headers: authorization,mcp-session-id\r\n"
        );
        let head = head(&gateway, &format!("OPTIONS {path}"), &asked).await;
        assert!(head.starts_with("http/1.1 204 "), "{head}");
        for said in [
            "access-control-allow-origin: https://app.example",
            "access-control-allow-methods: get, post, delete",
            "access-control-allow-headers: authorization,mcp-session-id",
            "vary: origin",
        ] {
            assert!(head.contains(said), "{said}: {head}");
        }
    }
}

#[tokio::test]
async fn every_answer_lets_the_page_read_it_and_what_stands_in_its_head() {
    let keys = Keys::new().await;
    let gateway = gateway(&keys).await;
    let key = keys.make("a", |_| {}).await;
    let known = format!("origin: {APP}\r\nauthorization: Bearer {key}\r\n");
    let unknown = format!("origin: {APP}\r\n");
    for (first, headers, status) in [
        ("GET /tools", &known, 200),
        ("GET /health", &unknown, 200),
        ("GET /nowhere", &known, 404),
        ("OPTIONS /tools", &known, 405),
        ("GET /tools", &unknown, 401),
        ("POST /run_tool", &known, 415),
        ("POST /mcp", &unknown, 401),
    ] {
        let head = head(&gateway, first, headers).await;
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{first}: {head}");
        assert!(head.contains("access-control-allow-origin: https://app.example"), "{head}");
        let shown = head.lines().find(|line| line.starts_with("access-control-expose-headers: "));
        for name in ["mcp-session-id", "x-call-id", "www-authenticate", "retry-after"] {
            assert!(shown.is_some_and(|shown| shown.contains(name)), "{name}: {head}");
        }
    }
}

#[tokio::test]
async fn other_pages_and_programs_are_told_nothing_of_the_kind() {
    let gateway = gateway(&Keys::new().await).await;
    let asking = "access-control-request-method: POST\r\n";
    for (first, headers, status) in [
        ("GET /health", String::new(), 200),
        ("OPTIONS /run_tool", asking.to_owned(), 401),
        ("GET /health", "origin: https://evil.example\r\n".to_owned(), 403),
        ("OPTIONS /run_tool", format!("origin: https://evil.example\r\n{asking}"), 403),
        ("GET /health", format!("origin: {APP}\r\norigin: {APP}\r\n"), 403),
    ] {
        let head = head(&gateway, first, &headers).await;
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{first} {headers}: {head}");
        assert!(!head.contains("access-control-"), "{head}");
    }
}
