//! Servers that misbehave: bounded, and clear.

use std::time::Duration;

use toolsmith_connectors::mcp::State;
use toolsmith_core::{Call, Context, ErrorKind, json};

use crate::bench::{Bench, program, scripted};

#[tokio::test]
async fn lines_that_are_no_messages_are_passed_over() {
    for mode in ["garbage", "noisy"] {
        let Some(settings) = scripted("srv", &["2025-11-25", mode]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let outcome = bench.call("srv__echo", json!({ "text": mode })).await;
        assert_eq!(*outcome.output(), json!(mode), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_session_with_the_reason() {
    let Some(settings) = scripted("srv", &["2025-11-25", "long"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let outcome = bench.call("srv__echo", json!({ "text": "x" })).await;
    let error = outcome.error().unwrap();
    assert_eq!(error.kind(), ErrorKind::UpstreamError);
    assert!(error.message().contains("it sent a message of more than 16 MiB"), "{error}");
    assert!(bench.call("srv__structured", json!({})).await.is_success());
}

#[tokio::test]
async fn answers_to_other_questions_do_not_confuse() {
    let Some(settings) = scripted("srv", &["2025-11-25", "wrongid"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let context = Context { timeout: Some(Duration::from_millis(300)), ..Context::default() };
    let call = Call::new("srv__echo", json!({})).with_context(context);
    assert_eq!(bench.engine.call(call).await.error().unwrap().kind(), ErrorKind::Timeout);
    assert!(bench.call("srv__structured", json!({})).await.is_success());
}

#[tokio::test]
async fn a_server_that_answers_no_more_is_replaced() {
    let Some(settings) = scripted("srv", &["2025-11-25", "silent"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let before = bench.servers.statuses().remove(0).pid;
    let context = Context { timeout: Some(Duration::from_millis(300)), ..Context::default() };
    let call = Call::new("srv__slow", json!({})).with_context(context);
    assert_eq!(bench.engine.call(call).await.error().unwrap().kind(), ErrorKind::Timeout);
    assert_eq!(bench.servers.statuses().remove(0).state, State::Unhealthy);
    let outcome = bench.call("srv__structured", json!({})).await;
    assert!(outcome.is_success(), "{outcome:?}");
    assert_ne!(bench.servers.statuses().remove(0).pid, before);
}

#[tokio::test]
async fn lists_without_end_are_cut() {
    for (mode, most) in [("many", 10_000), ("circle", 1), ("endless", 1_000)] {
        let Some(settings) = scripted("srv", &["2025-11-25", mode]) else { return };
        let bench = Bench::started(vec![settings]).await;
        assert_eq!(bench.engine.registry().len(), most, "{mode}");
        let first = bench.names().remove(0);
        assert!(bench.call(&first, json!({})).await.is_success());
    }
}

#[tokio::test]
async fn an_empty_list_is_no_failure_and_stays_empty() {
    let Some(settings) = scripted("srv", &["2025-11-25", "empty"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    assert_eq!(bench.servers.statuses().remove(0).tools, Some(0));
    assert!(bench.names().is_empty());
}

#[tokio::test]
async fn a_server_that_hangs_at_its_start_is_given_up() {
    let Some(mut settings) = scripted("srv", &["2025-11-25", "hangs"]) else { return };
    settings.start_timeout = Duration::from_secs(1);
    let bench = Bench::new(vec![settings]);
    let failed = bench.servers.load().await;
    let message = failed[0].1.message();
    let expected = "The MCP server `srv` did not answer within 1 s of being started";
    assert!(message.starts_with(expected), "{message}");
}

#[tokio::test]
async fn old_servers_that_die_of_the_new_greeting_are_greeted_in_the_old_way() {
    let Some(settings) = scripted("srv", &["2024-11-05", "dies_at_discover"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    assert_eq!(bench.servers.statuses().remove(0).protocol.as_deref(), Some("2024-11-05"));
}

#[tokio::test]
async fn a_program_that_is_no_server_is_told_from_one() {
    let settings = |name: &str, command: &str, args: &[&str]| {
        let mut settings = program(name, command, args);
        settings.start_timeout = Duration::from_secs(5);
        settings
    };
    for (settings, expected) in [
        (settings("gone", "no-such-program", &[]), "there is no program `no-such-program`"),
        (settings("path", "/no/such", &[]), "there is no program `/no/such`"),
        (settings("true", "true", &[]), "it ended with exit code 0"),
        (settings("sh", "sh", &["-c", "echo hello; echo oops >&2; exit 4"]), "exit code 4: oops"),
    ] {
        let bench = Bench::new(vec![settings]);
        let failed = bench.servers.load().await;
        assert!(failed[0].1.message().contains(expected), "{:?}", failed[0].1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_loop_is_left_alone_for_a_while() {
    let bench = Bench::new(vec![program("loop", "false", &[])]);
    for _ in 0..3 {
        assert_eq!(bench.servers.load().await.len(), 1);
    }
    let failed = bench.servers.load().await;
    let message = failed[0].1.message();
    assert!(message.contains("failed several times in a row and is started again in"), "{message}");
}

#[tokio::test]
async fn a_storm_of_changes_is_followed_in_peace() {
    let Some(settings) = scripted("srv", &["2025-11-25", "storm"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let mut lists = 0;
    for _ in 0..3 {
        let outcome = bench.call("srv__echo", json!({})).await;
        let text = outcome.output().as_str().unwrap_or_default();
        lists = text.parse::<u32>().unwrap_or_else(|_| panic!("{outcome:?}"));
    }
    // Three pages a list: 60,000 changes are a handful of lists.
    assert!(lists < 300, "{lists}");
    assert_eq!(bench.servers.statuses().remove(0).state, State::Running);
}

#[tokio::test]
async fn answers_that_come_twice_or_to_nothing_count_once() {
    let Some(settings) = scripted("srv", &["2025-11-25", "twice"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    for n in 0..50 {
        let outcome = bench.call("srv__echo", json!({ "text": n.to_string() })).await;
        assert_eq!(*outcome.output(), json!(n.to_string()), "{outcome:?}");
    }
}

#[tokio::test]
async fn names_that_would_steer_a_terminal_become_harmless() {
    let Some(settings) = scripted("srv", &["2025-11-25", "control"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let names = bench.names();
    assert!(names.iter().any(|name| name == "srv__a__31mb_"), "{names:?}");
    for name in names {
        let is_legal = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        assert!(name.chars().all(is_legal) && name.len() <= 64, "{name:?}");
        assert!(bench.call(&name, json!({})).await.is_success(), "{name}");
    }
}

#[tokio::test]
async fn questions_while_a_server_ends_hold_nothing_up() {
    let Some(settings) = scripted("srv", &["2025-11-25", "late"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    bench.servers.close().await;
    assert_eq!(bench.servers.statuses().remove(0).state, State::Stopped);
    assert!(bench.call("srv__structured", json!({})).await.is_success());
}

#[tokio::test]
async fn complaints_without_measure_are_cut() {
    let Some(settings) = scripted("srv", &["2025-11-25", "huge"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    for tool in ["srv__fail", "srv__refuse"] {
        let outcome = bench.call(tool, json!({})).await;
        let size = serde_json::to_string(&outcome).unwrap().len();
        assert!(!outcome.is_success() && size < 200_000, "{tool}: {size} bytes");
    }
}
