//! `toolsmith config show`

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Place, Ran};

#[test]
fn people_get_a_table() {
    let place = Place::new().with("toolsmith.yaml", "tools: {timeout: 5000}\nlog: 'off'\n");
    let ran = place.run(&["config", "show", "--data", "数据"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = ran.stdout.lines().take(11).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    KEY                            VALUE           SOURCE
    tools_directory                tools           default
    auto_reload                    true            default
    reload_interval                5               default
    watch_for_changes              false           default
    strict_validation              false           default
    data_directory                 数据            flag --data
    allowed_paths                  ["./data"]      default
    network.allow                  []              default
    log                            off             file toolsmith.yaml:2
    limits.max_concurrent          10              default
    "#);
    assert!(ran.stdout.contains("5               file toolsmith.yaml:1 (tools.timeout)"));
}

#[test]
fn programs_get_one_document_with_every_key() {
    let place = Place::new().with("other.yaml", "limits:\n  queue_size: 7\n");
    for folder in ["a", "b"] {
        std::fs::create_dir(place.path().join(folder)).unwrap();
    }
    let mut command = place.command(&["--json", "--config", "other.yaml", "config", "show"]);
    let ran = Ran::of(command.env("TOOLSMITH_LOG", "error").args(["--tools", "a", "--tools", "b"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let shown = ran.json();
    assert_eq!(shown.as_object().unwrap().len(), 52);
    for (key, expected) in [
        ("limits.queue_size", json!({"value": 7, "source": "file other.yaml:2"})),
        ("log", json!({"value": "error", "source": "environment TOOLSMITH_LOG"})),
        ("tools_directory", json!({"value": ["a", "b"], "source": "flag --tools"})),
        ("records.retention.max_age", json!({"value": null, "source": "default"})),
    ] {
        assert_eq!(shown[key], expected, "{key}");
    }
}

#[test]
fn secrets_never_reach_the_screen() {
    let yaml = "tools:\n  webSearch:\n    apiKey: ${KEY}\n    baseUrl: https://${HOST}/x\n";
    let place = Place::new().with("toolsmith.yaml", yaml);
    for form in [&["config", "show"][..], &["config", "show", "--json", "--log", "trace"]] {
        let mut command = place.command(form);
        let ran = Ran::of(command.envs([("KEY", "hunter2-hunter2"), ("HOST", "secret.example")]));
        assert_eq!(ran.code, Some(0));
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("hunter2") && !all.contains("secret.example"), "{all}");
        assert!(all.contains("https://***/x"), "{all}");
    }
}

#[test]
fn unset_variables_are_warnings_on_standard_error() {
    let yaml = "tools:\n  webSearch:\n    apiKey: ${KEY}\n";
    let place = Place::new().with("toolsmith.yaml", yaml);
    let ran = place.run(&["config", "show", "--json"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.json()["tools.webSearch.apiKey"]["value"], "***");
    assert_eq!(
        ran.stderr.trim(),
        "WARN toolsmith.yaml:3:5: tools.webSearch.apiKey: \
         the variable `KEY` is not set and has no default"
    );
    assert_eq!(place.run(&["config", "show", "--log", "error"]).stderr, "");
}
