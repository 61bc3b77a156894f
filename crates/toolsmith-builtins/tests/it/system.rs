//! Time and variables.

use std::time::Duration;

use toolsmith_core::{Context, ErrorKind, Value, json};

use crate::workbench::{CANARY, Workbench};

async fn time(timezone: Value) -> Result<Value, String> {
    let input = json!({ "timezone": timezone });
    let output = Workbench::new().run("current_time", input).await;
    output.map_err(|error| error.message().to_owned())
}

#[tokio::test]
async fn the_time_is_told_in_every_kind_of_zone() {
    for (timezone, iso, name) in [
        (json!(null), "2026-01-01T00:00:00.000Z", "UTC"),
        (json!("utc"), "2026-01-01T00:00:00.000Z", "UTC"),
        (json!("Asia/Shanghai"), "2026-01-01T08:00:00.000+08:00", "Asia/Shanghai"),
        (json!("america/new_york"), "2025-12-31T19:00:00.000-05:00", "America/New_York"),
        (json!("Asia/Kathmandu"), "2026-01-01T05:45:00.000+05:45", "Asia/Kathmandu"),
        (json!("+08:00"), "2026-01-01T08:00:00.000+08:00", "+08:00"),
        (json!("UTC-3"), "2025-12-31T21:00:00.000-03:00", "-03:00"),
    ] {
        let output = time(timezone).await.unwrap();
        let expected = json!({ "timestamp": 1_767_225_600_000_i64, "iso": iso, "timezone": name });
        assert_eq!(output, expected);
    }
    assert_eq!(Workbench::new().run("current_time", json!({})).await.unwrap()["timezone"], "UTC");
}

#[tokio::test]
async fn an_unknown_zone_is_refused_with_near_names() {
    assert!(time(json!("Berlin")).await.unwrap_err().contains("`Europe/Berlin`"));
    assert!(time(json!("Europe/Berln")).await.unwrap_err().contains("`Europe/Berlin`"));
    for zone in ["../../etc/passwd", "", "/etc/localtime", "posixrules\0"] {
        assert!(time(json!(zone)).await.unwrap_err().contains("no time zone"), "{zone}");
    }
}

#[tokio::test(start_paused = true)]
async fn sleep_waits_as_long_as_it_says_and_can_be_dropped() {
    let bench = Workbench::new();
    let begun = tokio::time::Instant::now();
    let slept = bench.run("sleep", json!({ "duration": 2.5 })).await.unwrap();
    assert_eq!(slept, json!({ "slept": 2.5 }));
    assert!(begun.elapsed() >= Duration::from_millis(2_500));
    let begun = tokio::time::Instant::now();
    let long = bench.run("sleep", json!({ "duration": 3_600 }));
    assert!(tokio::time::timeout(Duration::from_secs(1), long).await.is_err());
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn sleep_refuses_what_is_no_duration() {
    for duration in [json!(-1), json!(3_600.1), json!("1"), json!(null), json!(1e300)] {
        let error = Workbench::new().run("sleep", json!({ "duration": duration })).await;
        assert_eq!(error.unwrap_err().kind(), ErrorKind::ValidationError, "{duration}");
    }
}

#[tokio::test]
async fn variables_are_set_for_one_conversation_only() {
    let bench = Workbench::new();
    let (here, there) = (Context::for_conversation("a", "1"), Context::for_conversation("a", "2"));
    let set = |value: &str| json!({ "key": "LANG", "value": value });
    let get = json!({ "key": "LANG" });
    let first = bench.run_as(here.clone(), "set_env", set("one")).await.unwrap();
    assert_eq!(first, json!({ "previous": "en_US.UTF-8" }));
    let second = bench.run_as(here.clone(), "set_env", set("two")).await.unwrap();
    assert_eq!(second, json!({ "previous": "one" }));
    let value = bench.run_as(here, "get_env", get.clone()).await.unwrap();
    assert_eq!(value, json!({ "value": "two" }));
    let other = bench.run_as(there, "get_env", get).await.unwrap();
    assert_eq!(other, json!({ "value": "en_US.UTF-8" }));
    assert_ne!(std::env::var_os("LANG"), Some("two".into()), "the process keeps its own");
}

#[tokio::test]
async fn secrets_read_as_null_and_so_does_what_is_not_set() {
    let bench = Workbench::new();
    for key in ["SERVICE_API_KEY", "service_api_key", "NOT_SET", "", "A=B"] {
        let value = bench.run("get_env", json!({ "key": key })).await.unwrap();
        assert_eq!(value, json!({ "value": null }), "{key}");
    }
    let set = json!({ "key": "SERVICE_API_KEY", "value": "mine" });
    let previous = bench.run("set_env", set).await.unwrap();
    assert!(!previous.to_string().contains(CANARY), "{previous}");
}

#[tokio::test]
async fn variables_that_load_code_cannot_be_set() {
    let bench = Workbench::new();
    for key in ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PATH", "PYTHONPATH", "NODE_OPTIONS"] {
        let error = bench.run("set_env", json!({ "key": key, "value": "x" })).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{key}");
    }
    for (key, value) in [("A=B", "x"), ("", "x"), ("1A", "x"), ("A", "x\0"), ("A B", "x")] {
        let error = bench.run("set_env", json!({ "key": key, "value": value })).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValidationError, "{key}");
    }
    let long = json!({ "key": "A", "value": "x".repeat(40_000) });
    assert_eq!(bench.run("set_env", long).await.unwrap_err().kind(), ErrorKind::ValidationError);
}
