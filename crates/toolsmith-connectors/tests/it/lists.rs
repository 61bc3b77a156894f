//! What servers list, and what becomes of it when it changes.

use std::fs;

use toolsmith_connectors::mcp::{OnChange, Prefix, Selection, State};
use toolsmith_core::{ErrorKind, EventKind, Exposure, Tool, ToolSpec, json};
use toolsmith_engine::Heard;

use crate::bench::{Bench, REVISIONS, poll, scripted};

#[tokio::test]
async fn names_are_legal_and_stay_apart() {
    let Some(mut settings) = scripted("my srv", &["2025-11-25", "names"]) else { return };
    settings.selection = Selection { allow: Vec::new(), deny: vec!["secret*".to_owned()] };
    let bench = Bench::started(vec![settings]).await;
    let names = bench.names();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.contains(&"my_srv__a_b".to_owned()));
    assert!(names.iter().all(|name| name.len() <= 64 && name.starts_with("my_srv__")));
    for name in names {
        let outcome = bench.call(&name, json!({})).await;
        assert!(outcome.output().as_str().unwrap().starts_with("called "), "{outcome:?}");
    }
}

#[tokio::test]
async fn without_a_prefix_a_taken_name_gets_the_name_of_its_server() {
    let bench = |first: &str, second: &str| {
        let mut all = Vec::new();
        for name in [first, second] {
            let mut settings = scripted(name, &["2025-11-25"])?;
            settings.prefix = Prefix::None;
            all.push(settings);
        }
        Some(Bench::new(all))
    };
    let Some(bench) = bench("one", "two") else { return };
    let taken = Tool::function(ToolSpec::new("fail").unwrap(), |_, _| async { Ok(json!("own")) });
    bench.engine.register(taken).unwrap();
    // The order of the settings decides, not who starts first.
    bench.servers.start_one("two").await.unwrap();
    bench.servers.start_one("one").await.unwrap();
    let names = bench.names();
    for name in ["echo", "two__echo", "one__fail", "two__fail"] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
    assert_eq!(*bench.call("fail", json!({})).await.output(), json!("own"));
    let tool = bench.engine.registry().get("echo").unwrap();
    assert_eq!(tool.spec.tags, ["one"]);
}

#[tokio::test]
async fn a_changed_list_is_followed_and_told() {
    for revision in ["2024-11-05", "2025-11-25", "2026-07-28"] {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("changed");
        let args = [revision, "changing", state.to_str().unwrap()];
        let Some(settings) = scripted("srv", &args) else { return };
        let bench = Bench::started(vec![settings]).await;
        let mut events = bench.engine.subscribe();
        let outcome = bench.call("srv__change", json!({})).await;
        assert!(outcome.is_success(), "{outcome:?}");
        poll("the new tool is there", || bench.engine.registry().has("srv__added")).await;
        let mut told = Vec::new();
        while let Some(Heard::Event(event)) = events.try_next() {
            if matches!(event.kind, EventKind::ToolUpdated | EventKind::ToolAdded) {
                told.push((event.kind, event.tool_name.clone().unwrap(), event.data.clone()));
            }
        }
        let changed = json!({ "changed": ["description"] });
        assert!(told.contains(&(EventKind::ToolUpdated, "srv__echo".into(), changed)), "{told:?}");
        assert_eq!(told.len(), 2, "{told:?}");
    }
}

#[tokio::test]
async fn a_change_can_wait_for_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("changed");
    let args = ["2025-11-25", "changing", state.to_str().unwrap()];
    let Some(mut settings) = scripted("srv", &args) else { return };
    settings.on_change = OnChange::Approve;
    let bench = Bench::started(vec![settings.clone()]).await;
    fs::write(&state, "").unwrap();
    // Between two runs, too: the memory knows what it was.
    bench.servers.close().await;
    let Bench { folder, .. } = bench;
    let bench = Bench::in_folder(folder, vec![settings]);
    assert_eq!(bench.servers.statuses().remove(0).state, State::Stopped);
    assert!(bench.call("srv__fail", json!({})).await.error().is_some());
    let outcome = bench.call("srv__echo", json!({ "text": "x" })).await;
    let error = outcome.error().unwrap();
    assert_eq!(error.kind(), ErrorKind::ApprovalRequired);
    assert!(error.message().contains("toolsmith tools accept srv__echo"), "{error}");
    let old = bench.engine.registry().get("srv__echo").unwrap();
    assert_eq!(&*old.spec.description, "Does echo.");
    let added = bench.engine.registry().get("srv__added").unwrap();
    assert_eq!(added.spec.exposure, Exposure::Hidden);
    assert!(!added.spec.description.contains("added"), "{}", added.spec.description);
    assert_eq!(bench.servers.waiting(), ["srv__added", "srv__echo"]);
    assert_eq!(bench.servers.accept("srv__echo").unwrap(), ["srv__echo"]);
    let outcome = bench.call("srv__echo", json!({ "text": "x" })).await;
    assert_eq!(*outcome.output(), json!("x"), "{outcome:?}");
    let new = bench.engine.registry().get("srv__echo").unwrap();
    assert_eq!(&*new.spec.description, "Does something else.");
    assert_eq!(bench.servers.accept("srv").unwrap(), ["srv__added"]);
    assert!(bench.servers.accept("srv").is_err());
}

#[tokio::test]
async fn the_call_that_finds_a_change_waits_for_a_person_too() {
    for ended_by in ["another run", "a stop", "its own fall"] {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("changed");
        let args = ["2025-11-25", "changing", state.to_str().unwrap()];
        let Some(mut settings) = scripted("srv", &args) else { return };
        settings.on_change = OnChange::Approve;
        let mut bench = Bench::started(vec![settings.clone()]).await;
        match ended_by {
            "another run" => {
                bench.servers.close().await;
                bench = Bench::in_folder(bench.folder, vec![settings]);
            }
            "a stop" => bench.servers.stop("srv").await.unwrap(),
            _ => assert!(bench.call("srv__die", json!({})).await.error().is_some()),
        }
        fs::write(&state, "").unwrap();
        for call in ["the first", "the second"] {
            let outcome = bench.call("srv__echo", json!({ "text": "x" })).await;
            let error = outcome.error().unwrap_or_else(|| panic!("{call} after {ended_by}"));
            assert_eq!(error.kind(), ErrorKind::ApprovalRequired, "{error}");
            assert!(error.message().contains("toolsmith tools accept srv__echo"), "{error}");
        }
        assert!(bench.call("srv__env", json!({})).await.is_success(), "it is what it was");
        bench.servers.accept("srv__echo").unwrap();
        assert!(bench.call("srv__echo", json!({ "text": "x" })).await.is_success());
    }
}

#[tokio::test]
async fn tools_are_remembered_without_starting_anything() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let args = ["2025-11-25", "counted", pids.to_str().unwrap()];
    let Some(settings) = scripted("srv", &args) else { return };
    let bench = Bench::started(vec![settings.clone()]).await;
    let names = bench.names();
    bench.servers.close().await;
    let Bench { folder: memory, .. } = bench;
    let bench = Bench::in_folder(memory, vec![settings]);
    assert_eq!(bench.names(), names);
    assert!(bench.servers.load().await.is_empty());
    assert_eq!(fs::read_to_string(&pids).unwrap().lines().count(), 1);
    let outcome = bench.call("srv__echo", json!({ "text": "now" })).await;
    assert_eq!(*outcome.output(), json!("now"));
    assert_eq!(fs::read_to_string(&pids).unwrap().lines().count(), 2);
}

#[tokio::test]
async fn a_tool_with_a_wrong_schema_is_left_out_alone() {
    let Some(settings) = scripted("srv", &["2025-11-25", "badschema"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    assert_eq!(bench.names(), ["srv__badout", "srv__good"]);
}

#[tokio::test]
async fn a_tool_without_a_schema_is_left_out_alone() {
    for revision in REVISIONS {
        let Some(settings) = scripted("srv", &[revision, "noschema"]) else { return };
        let bench = Bench::started(vec![settings]).await;
        assert_eq!(bench.names(), ["srv__good"], "{revision}");
    }
}

#[tokio::test]
async fn what_cannot_be_seen_is_taken_out_of_descriptions() {
    let Some(settings) = scripted("srv", &["2025-11-25", "hiding"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let tool = bench.engine.registry().get("srv__t").unwrap();
    assert_eq!(tool.spec.title.as_deref(), Some("plain\n\ttext"));
    assert_eq!(&*tool.spec.description, "plain\n\ttext");
    let schema = tool.spec.input_schema.to_value();
    let inner = &schema["properties"]["description"];
    assert_eq!(inner["title"], json!("plain\n\ttext"));
    assert_eq!(inner["description"], json!("plain\n\ttext"));
    // A value means what it is, to the letter.
    assert_eq!(inner["enum"][0].as_str().unwrap().chars().count(), 18);
}
