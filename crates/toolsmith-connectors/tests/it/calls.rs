//! Calls of tools of servers, in every revision of the protocol.

use std::{fs, time::Duration};

use toolsmith_connectors::mcp::{Link, State};
use toolsmith_core::{
    BackendRuntime, Call, Context, ErrorKind, Kind, StreamItem, Template, Value, json,
};
use toolsmith_engine::Followed;

use crate::bench::{Bench, REVISIONS, poll, scripted};

#[tokio::test]
async fn every_revision_lists_and_calls() {
    for revision in REVISIONS {
        let Some(settings) = scripted("srv", &[revision]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let tool = bench.engine.registry().get("srv__echo").unwrap();
        assert_eq!((tool.spec.kind, tool.spec.backend_runtime), (Kind::Mcp, BackendRuntime::Local));
        let outcome = bench.call("srv__echo", json!({ "text": "hé\n🦀" })).await;
        assert_eq!(*outcome.output(), json!("hé\n🦀"), "{revision}: {outcome:?}");
        let outcome = bench.call("srv__structured", json!({})).await;
        assert_eq!(*outcome.output(), json!({ "answer": 42 }));
        let status = bench.servers.statuses().remove(0);
        assert_eq!((status.state, status.tools), (State::Running, Some(12)));
        assert_eq!(status.protocol.as_deref(), Some(revision));
        bench.servers.close().await;
        assert_eq!(bench.servers.statuses().remove(0).state, State::Stopped);
    }
}

#[tokio::test]
async fn failures_of_tools_are_told_as_such() {
    let Some(settings) = scripted("srv", &["2025-11-25"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let outcome = bench.call("srv__fail", json!({})).await;
    let error = outcome.error().unwrap();
    assert_eq!((error.kind(), error.message()), (ErrorKind::ExecutionError, "no such file"));
    let outcome = bench.call("srv__refuse", json!({})).await;
    let error = outcome.error().unwrap();
    assert!(error.message().contains("that is no argument"), "{error}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn pictures_sound_and_resources_arrive_without_loss() {
    let Some(settings) = scripted("srv", &["2025-11-25"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let outcome = bench.call("srv__media", json!({})).await;
    let content = outcome.output()["content"].as_array().unwrap();
    let types: Vec<&str> = content.iter().filter_map(|block| block["type"].as_str()).collect();
    assert_eq!(types, ["text", "image", "audio", "resource_link", "resource"]);
    assert_eq!(content[1], json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" }));
    assert_eq!(content[4]["resource"]["text"], json!("b"));
}

#[tokio::test]
async fn progress_reaches_the_follower_of_the_call() {
    for revision in ["2024-11-05", "2026-07-28"] {
        let Some(settings) = scripted("srv", &[revision]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let mut stream = bench.engine.stream(Call::new("srv__progress", json!({})));
        let mut steps = Vec::new();
        loop {
            match stream.next().await.unwrap() {
                Followed::Item(StreamItem::Progress { done, total, .. }) => {
                    steps.push((done, total));
                }
                Followed::Item(_) => {}
                Followed::Outcome(outcome) => {
                    assert_eq!(*outcome.output(), json!("done"));
                    break;
                }
            }
        }
        assert_eq!(steps, [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))], "{revision}");
    }
}

#[tokio::test]
async fn questions_of_a_server_are_declined_at_once() {
    let Some(settings) = scripted("srv", &["2025-11-25"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let outcome = bench.call("srv__ask", json!({})).await;
    assert_eq!(outcome.output()[0]["action"], json!("decline"));
    assert_eq!(outcome.output()[1]["code"], json!(-32601));
    assert_eq!(outcome.output()[2]["code"], json!(-32601));
    let Some(settings) = scripted("srv", &["2026-07-28"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let outcome = bench.call("srv__ask", json!({})).await;
    assert_eq!(*outcome.output(), json!([{ "who": { "action": "decline" } }, "opaque"]));
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_at_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let noted = folder.path().join("cancelled");
    for revision in ["2024-11-05", "2026-07-28"] {
        let args = [revision, "plain", noted.to_str().unwrap()];
        let Some(settings) = scripted("srv", &args) else { return };
        let bench = Bench::started(vec![settings]).await;
        let context = Context { timeout: Some(Duration::from_millis(200)), ..Context::default() };
        let call = Call::new("srv__wait", json!({})).with_context(context);
        let outcome = bench.engine.call(call).await;
        assert_eq!(outcome.error().unwrap().kind(), ErrorKind::Timeout);
        poll("the server was told", || noted.exists()).await;
        fs::remove_file(&noted).unwrap();
        let outcome = bench.call("srv__echo", json!({ "text": "still here" })).await;
        assert_eq!(*outcome.output(), json!("still here"));
    }
}

#[tokio::test]
async fn a_server_sees_a_clean_environment_and_its_own_variables() {
    let Some(mut settings) = scripted("srv", &["2025-11-25"]) else { return };
    if let Link::Stdio(program) = &mut settings.link {
        let key = Template::parse("${TOKEN}").unwrap();
        program.env = vec![("KEY".to_owned(), key), ("MODE".to_owned(), Template::literal("x"))];
    }
    let bench = Bench::started(vec![settings]).await;
    let outcome = bench.call("srv__env", json!({})).await;
    let env: &Value = outcome.output();
    assert_eq!(env["KEY"], json!("s3cret-token"));
    assert_eq!((&env["MODE"], &env["SECRET_KEY"]), (&json!("x"), &Value::Null));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_calls_at_once_share_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let args = ["2025-11-25", "counted", pids.to_str().unwrap()];
    let Some(settings) = scripted("srv", &args) else { return };
    let bench = Bench::new(vec![settings]);
    bench.servers.load().await;
    let calls = (0..1_000).map(|n| Call::new("srv__echo", json!({ "text": n.to_string() })));
    let mut outcomes = Vec::new();
    for chunk in calls.collect::<Vec<_>>().chunks(100) {
        outcomes.extend(bench.engine.batch(chunk.to_vec()).await);
    }
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(*outcome.output(), json!(n.to_string()));
    }
    assert_eq!(fs::read_to_string(&pids).unwrap().lines().count(), 1);
}

#[tokio::test]
async fn a_server_that_dies_during_a_call_is_named_and_comes_back() {
    for revision in ["2025-06-18", "2026-07-28"] {
        let Some(settings) = scripted("srv", &[revision]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let outcome = bench.call("srv__die", json!({})).await;
        let error = outcome.error().unwrap();
        assert_eq!(error.kind(), ErrorKind::UpstreamError);
        let expected = "The MCP server `srv` ended with exit code 3: about to\nfall over.";
        assert!(error.message().starts_with(expected), "{error}");
        assert_eq!(error.details()["exit_code"], json!(3));
        let status = bench.servers.statuses().remove(0);
        assert_eq!(status.state, State::Failed);
        let outcome = bench.call("srv__echo", json!({ "text": "again" })).await;
        assert_eq!(*outcome.output(), json!("again"), "{outcome:?}");
    }
}

#[tokio::test]
async fn one_dead_server_of_five_leaves_the_others_alone() {
    let mut all = Vec::new();
    for name in ["one", "two", "three", "four"] {
        let Some(settings) = scripted(name, &["2025-11-25"]) else { return };
        all.push(settings);
    }
    all.extend(scripted("dead", &["2025-11-25", "fails"]));
    let bench = Bench::new(all);
    let failed = bench.servers.load().await;
    let [(name, error)] = failed.as_slice() else { panic!("{failed:?}") };
    assert_eq!(name, "dead");
    let expected =
        "The MCP server `dead` did not start: it ended with exit code 7: cannot find the thing.";
    assert_eq!(error.message(), expected);
    for name in ["one", "two", "three", "four"] {
        let outcome = bench.call(&format!("{name}__echo"), json!({ "text": name })).await;
        assert_eq!(*outcome.output(), json!(name));
    }
    let status = bench.servers.statuses().remove(4);
    assert_eq!((status.state, status.pid), (State::Failed, None));
    assert_eq!(status.why.as_deref(), Some(expected));
}
