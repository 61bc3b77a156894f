//! Tools that are switched on and off by hand.

use toolsmith_core::{Tool, ToolName, ToolSpec, Value};
use toolsmith_definitions::{Switches, Watcher};
use toolsmith_engine::Engine;

use crate::support::{Folder, engine, said, saying, until_said};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switches_hold_for_defined_and_built_in_tools_and_are_noticed() {
    let (folder, data) = (Folder::new(), Folder::new());
    folder.write("a.yaml", &saying("a", "on"));
    let switches = Switches::at(data.path("deep/switches.json"));
    let definitions = folder.definitions().with_switches(switches.clone());
    let engine = engine();
    let name = |name: &str| ToolName::new(name).unwrap();
    switches.set(&name("a"), false).unwrap();
    definitions.attach(&engine);
    assert!(!engine.registry().get("a").unwrap().spec.enabled);

    let watching = Watcher::new(definitions.clone()).with_events().start();
    switches.set(&name("a"), true).unwrap();
    until_said(&engine, "a", "on").await;
    switches.set(&name("adder"), false).unwrap();
    let refused = said(&refusing(), "adder").await;
    until_said(&engine, "adder", &refused).await;
    switches.set(&name("adder"), true).unwrap();
    until_said(&engine, "adder", "\"built in\"").await;
    watching.stop().await;
    assert_eq!(definitions.load().tools.len(), 1);
}

/// An engine whose built-in tool is switched off from the start.
fn refusing() -> Engine {
    let spec = ToolSpec::new("adder").unwrap().with(|spec| spec.enabled = false);
    let tool = Tool::function(spec, |_cx, _input| async move { Ok(Value::Null) });
    Engine::builder().tool(tool).build().unwrap()
}

#[test]
fn a_ring_changes_nothing_and_a_broken_file_is_told() {
    let (folder, data) = (Folder::new(), Folder::new());
    folder.write("a.yaml", &saying("a", "on"));
    let switches = Switches::at(data.path("switches.json"));
    let definitions = folder.definitions().with_switches(switches.clone());
    let engine = engine();
    switches.set(&ToolName::new("a").unwrap(), false).unwrap();
    definitions.attach(&engine);
    switches.ring().unwrap();
    let reloaded = definitions.reload();
    assert_eq!((reloaded.updated.len(), reloaded.problems.len()), (0, 0));
    data.write("switches.json", "{");
    let reloaded = definitions.reload();
    assert!(reloaded.problems[0].message.starts_with("cannot read the switches: "));
    assert!(!engine.registry().get("a").unwrap().spec.enabled, "what was read last holds");
    assert!(switches.ring().is_err(), "a broken file is not overwritten");
}
