//! `depends_on`, over files and built-in tools.

use std::time::{Duration, Instant};

use toolsmith_core::ToolName;

use crate::support::{Folder, engine, said, saying};

fn needing(name: &str, needs: &str) -> String {
    format!("{}depends_on: [{needs}]\n", saying(name, name))
}

#[tokio::test]
async fn what_is_needed_may_come_from_any_file_or_be_built_in() {
    let folder = Folder::new();
    folder.write("a.yaml", &needing("a", "z, echo, adder@^1"));
    folder.write("z.yaml", &saying("z", "z"));
    let engine = engine();
    assert_eq!(folder.definitions().attach(&engine).problems, []);
    assert_eq!(said(&engine, "a").await, "a");
}

#[tokio::test]
async fn an_unknown_need_refuses_the_tool_and_what_needs_it_until_it_comes() {
    let folder = Folder::new();
    folder.write("a.yaml", &needing("a", "b"));
    folder.write("b.yaml", &needing("b", "'c@^2'"));
    folder.write("d.yaml", &saying("d", "d"));
    let (engine, definitions) = (engine(), folder.definitions());
    let reloaded = definitions.attach(&engine);
    assert_eq!(
        folder.shown(&reloaded.problems),
        [
            "b.yaml:6:13: depends_on: `b` depends on `c@^2`, which is not registered",
            "a.yaml:6:13: depends_on: `a` depends on `b`, which is not registered",
        ]
    );
    assert_eq!(said(&engine, "d").await, "d");
    assert_eq!(said(&engine, "a").await, "tool_not_found");
    folder.write("c.yaml", &format!("version: '2'\n{}", saying("c", "c")));
    let reloaded = definitions.reload();
    assert_eq!(reloaded.problems, []);
    assert_eq!(said(&engine, "a").await, "a");
}

#[test]
fn a_circle_is_told_as_a_whole_and_stops_only_itself() {
    let folder = Folder::new();
    folder.write("a.yaml", &needing("a", "b"));
    folder.write("b.yaml", &needing("b", "c"));
    folder.write("c.yaml", &needing("c", "a"));
    folder.write("d.yaml", &saying("d", "d"));
    let loaded = folder.definitions().load();
    assert_eq!(
        folder.shown(&loaded.problems),
        ["a.yaml:6:13: depends_on: tools depend on each other in a circle: a → b → c → a"]
    );
    assert_eq!(loaded.tools.len(), 1);
}

#[tokio::test]
async fn a_tool_in_service_stays_when_what_it_needs_goes_or_its_file_closes_a_circle() {
    let folder = Folder::new();
    folder.write("a.yaml", &needing("a", "b"));
    folder.write("b.yaml", &saying("b", "one"));
    let (engine, definitions) = (engine(), folder.definitions());
    assert_eq!(definitions.attach(&engine).problems, []);
    folder.write("b.yaml", &needing("b", "a"));
    let reloaded = definitions.reload();
    assert_eq!(
        folder.shown(&reloaded.problems),
        ["b.yaml:6:13: depends_on: tools depend on each other in a circle: a → b → a"]
    );
    assert_eq!(said(&engine, "b").await, "one");
    folder.remove("b.yaml");
    // A change of the groups of a tool that lacks something must not stop the others.
    folder.write("groups.yaml", "groups: {g: {tool_ids: [a, d]}}\n");
    folder.write("d.yaml", &saying("d", "d"));
    let reloaded = definitions.reload();
    assert_eq!(
        folder.shown(&reloaded.problems),
        ["a.yaml:6:13: depends_on: `a` depends on `b`, which is not registered"]
    );
    assert_eq!(said(&engine, "d").await, "d");
    assert!(engine.registry().has("a") && !engine.registry().has("b"));
}

#[test]
fn a_long_chain_that_lacks_its_end_is_refused_in_one_pass() {
    let folder = Folder::new();
    let chain: Vec<String> =
        (0..2000).map(|n| needing(&format!("t{n}"), &format!("t{}", n + 1))).collect();
    folder.write("chain.yaml", &chain.join("---\n"));
    let (engine, definitions) = (engine(), folder.definitions());
    let began = Instant::now();
    let reloaded = definitions.attach(&engine);
    assert_eq!((reloaded.problems.len(), reloaded.added.len()), (2000, 0));
    let refused = began.elapsed();
    folder.write("end.yaml", &saying("t2000", "end"));
    let began = Instant::now();
    assert_eq!(definitions.reload().added.len(), 2001);
    folder.remove("end.yaml");
    let reloaded = definitions.reload();
    let removed: Vec<&str> = reloaded.removed.iter().map(ToolName::as_str).collect();
    assert_eq!((removed.as_slice(), reloaded.problems.len()), (&["t2000"][..], 1));
    let reloaded = began.elapsed();
    // Going over the chain once for each of its links takes minutes; a loaded machine does not.
    let bound = Duration::from_secs(30);
    assert!(refused < bound && reloaded < bound, "{refused:?}, {reloaded:?}");
}
