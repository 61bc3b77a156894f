//! The table of tools when there are many; `TOOLSMITH_LOAD=long` makes it very many.

use std::time::{Duration, Instant};

use toolsmith_core::{Tool, ToolSpec, json};
use toolsmith_gateway::GatewayConfig;

use crate::support::Running;

fn tools(count: usize) -> Vec<Tool> {
    let tool = |number: usize| {
        let spec = ToolSpec::new(&format!("tool_{number:06}")).unwrap();
        let spec = spec.with_description(format!("Does the thing with the number {number}."));
        Tool::function(spec, |_, _| async { Ok(json!(null)) })
    };
    (0..count).map(tool).collect()
}

/// Asks some times, and returns the best time and the last answer.
async fn timed(gateway: &Running, path: &str, headers: &str) -> (Duration, String) {
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
    let (mut best, mut answer) = (Duration::MAX, String::new());
    for _ in 0..5 {
        let begun = Instant::now();
        answer = gateway.raw(request.as_bytes()).await;
        best = best.min(begun.elapsed());
    }
    (best, answer)
}

#[tokio::test]
async fn pages_among_many_tools_are_small_and_known_again() {
    let count = if std::env::var_os("TOOLSMITH_LOAD").is_some() { 100_000 } else { 2_000 };
    let gateway = Running::with(tools(count), GatewayConfig::default()).await;
    for path in [
        "/tools?limit=50",
        "/tools?limit=50&cursor=tool_001000",
        "/tools?limit=50&cursor=tool_001949",
        "/tools?limit=50&state=running",
        "/tools?limit=50&state=failed",
        "/tools?limit=50&category=none",
        "/tools?limit=50&group=texts",
        "/tools?q=thing+number+77&limit=20",
        "/tools?limit=50&format=openai",
        "/tools",
        "/status",
        "/groups",
        "/tools/tool_001000",
    ] {
        let (took, answer) = timed(&gateway, path, "").await;
        let tag = answer.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap_or_default();
        let asking = format!("if-none-match: {tag}\r\n");
        let (again, second) = timed(&gateway, path, &asking).await;
        let status = second.split(' ').nth(1).unwrap_or_default();
        println!("{path}: {} bytes in {took:?}; again {status} in {again:?}", answer.len());
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        assert_eq!(status, if tag.is_empty() { "200" } else { "304" }, "{path}");
        assert!(answer.len() < 20_000 || path == "/tools", "{path}");
    }
}
