//! Servers of streamable HTTP.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use tokio::time::{Instant, sleep, timeout};
use toolsmith_connectors::mcp::{
    Address, ClientCredentials, Credentials, Link, OnChange, ServerSettings, State,
};
use toolsmith_core::{BackendRuntime, Call, Context, ErrorKind, Template, json};
use toolsmith_testing::skip;

use crate::bench::Bench;

/// A server of the script, ended when it is dropped.
pub(crate) struct Service {
    child: Child,
    url: String,
}

impl Service {
    pub(crate) fn start(mode: &str) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/scripted_http.py");
        let started = Command::new("python3").arg(script).arg(mode).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = started else {
            skip("python3 is not installed");
            return None;
        };
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Some(Self { child, url: format!("http://127.0.0.1:{}", port.trim()) })
    }

    pub(crate) fn settings(&self) -> ServerSettings {
        let url = Template::literal(format!("{}/mcp", self.url));
        let mut settings = ServerSettings::new("far", Link::Http(Address::new(url)));
        settings.start_timeout = Duration::from_secs(20);
        settings
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[tokio::test]
async fn tools_are_listed_and_called_by_http() {
    for mode in ["json", "sse"] {
        let Some(service) = Service::start(mode) else { return };
        let bench = Bench::started(vec![service.settings()]).await;
        let tool = bench.engine.registry().get("far__echo").unwrap();
        assert_eq!(tool.spec.backend_runtime, BackendRuntime::Remote);
        for n in 0..20 {
            let outcome = bench.call("far__echo", json!({ "n": n })).await;
            assert_eq!(*outcome.output(), json!({ "n": n }), "{outcome:?}");
        }
        let outcome = bench.call("far__count", json!({})).await;
        assert_eq!(outcome.output()["initialize"], json!(1));
        let status = bench.servers.statuses().remove(0);
        assert_eq!((status.state, status.pid), (State::Running, None));
    }
}

#[tokio::test]
async fn an_expired_session_is_healed_without_a_word() {
    let Some(service) = Service::start("json") else { return };
    let bench = Bench::started(vec![service.settings()]).await;
    assert!(bench.call("far__expire", json!({})).await.is_success());
    let outcome = bench.call("far__count", json!({})).await;
    assert_eq!(outcome.output()["initialize"], json!(2), "{outcome:?}");
    assert_eq!(outcome.output()["calls"], json!(2));
}

#[tokio::test]
async fn a_change_behind_an_expired_session_waits_for_a_person() {
    let Some(service) = Service::start("changing") else { return };
    let mut settings = service.settings();
    settings.on_change = OnChange::Approve;
    let bench = Bench::started(vec![settings]).await;
    assert!(bench.call("far__expire", json!({})).await.is_success());
    let outcome = bench.call("far__echo", json!({})).await;
    let error = outcome.error().unwrap();
    assert_eq!(error.kind(), ErrorKind::ApprovalRequired, "{error}");
    bench.servers.accept("far").unwrap();
    let outcome = bench.call("far__count", json!({})).await;
    assert_eq!(outcome.output()["calls"], json!(2), "the refused call was never sent");
}

#[tokio::test]
async fn secrets_go_into_headers_and_a_refusal_says_so() {
    let Some(service) = Service::start("key") else { return };
    let bench = Bench::new(vec![service.settings()]);
    let failed = bench.servers.load().await;
    assert!(failed[0].1.message().contains("asks for authorization"), "{failed:?}");
    let mut settings = service.settings();
    if let Link::Http(address) = &mut settings.link {
        address.headers = vec![("X-Key".to_owned(), Template::parse("${TOKEN}").unwrap())];
    }
    let bench = Bench::started(vec![settings]).await;
    assert!(bench.call("far__echo", json!({})).await.is_success());
}

#[tokio::test]
async fn tokens_are_fetched_and_renewed() {
    let Some(service) = Service::start("token") else { return };
    let mut settings = service.settings();
    if let Link::Http(address) = &mut settings.link {
        address.credentials = Some(Credentials::client(ClientCredentials {
            token_url: Template::literal(format!("{}/token", service.url)),
            client_id: Template::literal("me"),
            client_secret: Template::parse("${TOKEN}").unwrap(),
            scope: None,
            audience: None,
        }));
    }
    let bench = Bench::started(vec![settings]).await;
    assert!(bench.call("far__expire", json!({})).await.is_success());
    // The token is not good any more, and the call was refused before it ran.
    let outcome = bench.call("far__echo", json!({ "x": 1 })).await;
    assert_eq!(*outcome.output(), json!({ "x": 1 }), "{outcome:?}");
}

#[tokio::test]
async fn the_old_transport_is_told_by_name() {
    let Some(service) = Service::start("old") else { return };
    let bench = Bench::new(vec![service.settings()]);
    let failed = bench.servers.load().await;
    let message = failed[0].1.message();
    assert!(message.contains("old HTTP+SSE transport"), "{message}");
    assert!(message.contains("streamable HTTP"), "{message}");
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_by_http_too() {
    for leaves in [true, false] {
        let Some(service) = Service::start("json") else { return };
        let bench = Bench::started(vec![service.settings()]).await;
        let limit = if leaves { Duration::from_secs(30) } else { Duration::from_millis(300) };
        let context = Context { timeout: Some(limit), ..Context::default() };
        let call = bench.engine.call(Call::new("far__wait", json!({})).with_context(context));
        // The caller leaves, or the deadline passes.
        timeout(Duration::from_millis(600), call).await.ok();
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let outcome = bench.call("far__count", json!({})).await;
            if outcome.output()["cancelled"] == json!(1) {
                break;
            }
            assert!(Instant::now() < until, "not told: {outcome:?}");
            sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let Some(service) = Service::start("json") else { return };
    let bench = Bench::started(vec![service.settings()]).await;
    let outcome = bench.call("far__endless_body", json!({})).await;
    let error = outcome.error().unwrap();
    assert!(error.message().contains("sent a message of more than 16 MiB"), "{error}");
    let outcome = bench.call("far__endless_line", json!({})).await;
    assert_eq!(outcome.error().unwrap().kind(), ErrorKind::UpstreamError, "{outcome:?}");
    assert!(bench.call("far__echo", json!({})).await.is_success());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let service = Service::start("json");
    let Some(service) = service else { return };
    let settings = service.settings();
    let bench = Bench::started(vec![settings]).await;
    drop(service);
    let outcome = bench.call("far__echo", json!({})).await;
    let error = outcome.error().unwrap();
    assert_eq!(error.kind(), ErrorKind::UpstreamError);
    assert!(error.message().starts_with("The MCP server `far`"), "{error}");
    let outcome = bench.call("far__echo", json!({})).await;
    let error = outcome.error().unwrap();
    assert!(error.message().contains("cannot be reached at http://127.0.0.1"), "{error}");
}
