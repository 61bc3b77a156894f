//! Reloads: atomic, only what changed, the last good version stays in service.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::SeqCst},
};

use toolsmith_core::{Call, EventKind, JsonText, Tool, ToolSpec, json};
use toolsmith_definitions::Definitions;

use crate::support::{Folder, call, engine, events, heard, makers, said, saying, vault};

#[tokio::test]
async fn files_come_change_break_and_go() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "one"));
    let (engine, definitions) = (engine(), folder.definitions());
    let mut subscription = engine.subscribe();
    definitions.attach(&engine);
    assert!(heard(&mut subscription).contains(&"tool_loaded a".to_owned()));

    folder.write("a.yaml", &saying("a", "two"));
    folder.write("sub/b.json", r#"{"name": "b", "entry": {"type": "javascript", "code": "b"}}"#);
    let reloaded = definitions.reload();
    assert_eq!((reloaded.added.len(), reloaded.updated.len(), reloaded.removed.len()), (1, 1, 0));
    assert_eq!((said(&engine, "a").await, said(&engine, "b").await), ("two".into(), "b".into()));
    let told = heard(&mut subscription);
    assert_eq!(told[0], "reload_started");
    assert!(
        told.contains(&"tool_updated a".to_owned()) && told.contains(&"tool_added b".to_owned())
    );

    folder.write("a.yaml", "name: a\nentry: {type: javascript, cod: x}\n");
    let reloaded = definitions.reload();
    assert_eq!(reloaded.problems.len(), 2);
    assert_eq!(said(&engine, "a").await, "two");
    let told = events(&mut subscription);
    let error = told.iter().find(|event| event.kind == EventKind::LoadError).unwrap();
    assert_eq!(error.data["line"], 2);
    assert_eq!(error.data["column"], 1);
    assert_eq!(error.data["message"], "`code` is missing: write the function here");
    assert!(error.data["file"].as_str().unwrap().ends_with("a.yaml"));
    let last = told.iter().find(|event| event.kind == EventKind::ReloadCompleted).unwrap();
    assert_eq!(last.data["errors"], 2);
    assert!(last.data["took_ms"].is_number());

    definitions.reload();
    assert!(!heard(&mut subscription).contains(&"load_error".to_owned()), "told once");

    folder.remove("sub/b.json");
    let reloaded = definitions.reload();
    assert_eq!(reloaded.removed.len(), 1);
    assert_eq!(said(&engine, "b").await, "tool_not_found");
    assert!(heard(&mut subscription).contains(&"tool_removed b".to_owned()));

    folder.write("a.yaml", &saying("a", "three"));
    assert_eq!(definitions.reload().problems, []);
    assert_eq!(said(&engine, "a").await, "three");
}

#[tokio::test]
async fn a_definition_replaces_a_built_in_tool_until_it_goes() {
    let folder = Folder::new();
    // Of another version than the built-in one: its name is what counts.
    folder.write("adder.yaml", &format!("version: 0.5.0\n{}", saying("adder", "mine")));
    let (engine, definitions) = (engine(), folder.definitions());
    assert_eq!(definitions.load().replaced.len(), 1);
    let reloaded = definitions.attach(&engine);
    assert_eq!((reloaded.added.len(), reloaded.updated.len()), (0, 1));
    assert_eq!(said(&engine, "adder").await, "mine");
    assert_eq!(engine.registry().versions("adder").len(), 1);
    folder.remove("adder.yaml");
    definitions.reload();
    assert_eq!(said(&engine, "adder").await, "\"built in\"");
    assert_eq!(engine.registry().versions("adder").len(), 1);
}

#[tokio::test]
async fn versions_come_and_go_one_by_one() {
    let folder = Folder::new();
    folder.write("1.yaml", &saying("a", "one"));
    folder.write("2.yaml", &format!("version: '2'\n{}", saying("a", "two")));
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    assert_eq!(
        (said(&engine, "a").await, said(&engine, "a@1").await),
        ("two".into(), "one".into())
    );
    folder.remove("2.yaml");
    let reloaded = definitions.reload();
    assert_eq!((reloaded.updated.len(), reloaded.removed.len()), (1, 0));
    assert_eq!(
        (said(&engine, "a").await, said(&engine, "a@2").await),
        ("one".into(), "tool_not_found".into())
    );
}

#[tokio::test]
async fn of_two_files_with_one_tool_the_first_by_path_wins() {
    let folder = Folder::new();
    folder.write("b.yaml", &saying("x", "second"));
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    assert_eq!(said(&engine, "x").await, "second");
    folder.write("a.yaml", &saying("x", "first"));
    let reloaded = definitions.reload();
    assert_eq!(
        folder.shown(&reloaded.problems),
        ["b.yaml:1:7: `x` version 1.0.0 is defined in a.yaml:1:7 already; choose another name or \
          version"]
    );
    assert_eq!(said(&engine, "x").await, "first");
    folder.remove("a.yaml");
    assert_eq!(definitions.reload().problems, []);
    assert_eq!(said(&engine, "x").await, "second");
}

#[test]
fn a_definition_that_says_the_same_is_left_alone() {
    let folder = Folder::new();
    let two = |comment: &str| format!("# {comment}\n{}---\n{}", saying("a", "a"), saying("b", "b"));
    folder.write("two.yaml", &two("one line"));
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    folder.write("two.yaml", &two("a line\n# and another"));
    assert_eq!(definitions.reload().updated.len(), 0);
    std::fs::rename(folder.path("two.yaml"), folder.path("other.yaml")).unwrap();
    let reloaded = definitions.reload();
    assert_eq!((reloaded.added.len(), reloaded.updated.len(), reloaded.removed.len()), (0, 0, 0));
    assert!(engine.registry().has("a"));
}

#[tokio::test]
async fn a_call_under_way_ends_on_the_version_it_began_with() {
    let folder = Folder::new();
    folder.write("wait.yaml", "name: wait\nentry: {type: builtin, handler: waiting}\n");
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let (began, open) = (Arc::new(AtomicBool::new(false)), Arc::clone(&gate));
    let mark = Arc::clone(&began);
    let spec = ToolSpec::new("waiting").unwrap();
    let waiting = Tool::function(spec, move |_cx, _input| {
        let (open, mark) = (Arc::clone(&open), Arc::clone(&mark));
        async move {
            mark.store(true, SeqCst);
            open.acquire().await.unwrap().forget();
            Ok(json!("old"))
        }
    });
    let makers = makers().with_handlers([waiting]);
    let definitions = Definitions::open(vec![folder.root().to_owned()], makers, vault());
    let engine = engine();
    definitions.attach(&engine);
    let caller = engine.clone();
    let under_way = tokio::spawn(async move { caller.call(Call::new("wait", json!({}))).await });
    while !began.load(SeqCst) {
        tokio::task::yield_now().await;
    }
    folder.write("wait.yaml", &saying("wait", "new"));
    definitions.reload();
    assert_eq!(said(&engine, "wait").await, "new");
    folder.remove("wait.yaml");
    definitions.reload();
    assert_eq!(said(&engine, "wait").await, "tool_not_found");
    gate.add_permits(1);
    assert_eq!(under_way.await.unwrap().output(), &json!("old"));
}

/// Two tools always change together; callers ask for the second only after the first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_never_see_half_a_reload_and_never_miss_a_tool() {
    let folder = Folder::new();
    let write = |n: usize| {
        let text = format!(
            "{}---\n{}",
            saying("left", &format!("n{n}")),
            saying("right", &format!("n{n}"))
        );
        folder.write("pair.yaml", &text);
    };
    write(0);
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    let stop = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..2)
        .map(|_| {
            let (engine, stop) = (engine.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                let number = |text: String| text[1..].parse::<usize>().unwrap();
                let mut calls = 0;
                while !stop.load(SeqCst) {
                    let left = number(said(&engine, "left").await);
                    let right = number(said(&engine, "right").await);
                    assert!(left <= right, "the right one is never older: {left} {right}");
                    calls += 2;
                }
                calls
            })
        })
        .collect();
    for n in 1..200 {
        match n % 5 {
            3 => folder.write("pair.yaml", "name: left\nentry: {type: nothing"),
            _ => write(n),
        }
        definitions.reload();
        tokio::task::yield_now().await;
    }
    stop.store(true, SeqCst);
    for caller in callers {
        assert!(caller.await.unwrap() > 0);
    }
    assert!(call(&engine, "left").await.is_success());
}

#[tokio::test]
async fn a_tool_of_the_application_keeps_its_name() {
    let folder = Folder::new();
    folder.write("mine.yaml", &saying("mine", "file"));
    folder.write("later.yaml", &saying("later", "file"));
    folder.write("user.yaml", &format!("depends_on: [mine]\n{}", saying("user", "file")));
    let (engine, definitions) = (engine(), folder.definitions());
    let own = |name: &str, version: &str| {
        let spec = ToolSpec::new(name).unwrap().with_version(version.parse().unwrap());
        Tool::function(spec, |_cx, _input| async move { Ok(json!({"says": "application"})) })
    };
    engine.register(own("mine", "1.0.0")).unwrap();
    for reloaded in [definitions.attach(&engine), definitions.reload(), definitions.attach(&engine)]
    {
        assert_eq!(
            folder.shown(&reloaded.problems),
            ["mine.yaml:1:7: `mine` is registered by the application; choose another name"]
        );
        assert_eq!((reloaded.replaced.len(), said(&engine, "user").await), (0, "file".into()));
    }
    folder.remove("mine.yaml");
    assert_eq!(definitions.reload().problems, []);
    assert_eq!(said(&engine, "mine").await, "application");

    engine.register(own("later", "0.5.0")).unwrap();
    folder.write("later.yaml", &saying("later", "changed"));
    definitions.reload();
    folder.remove("later.yaml");
    definitions.reload();
    assert_eq!(said(&engine, "later").await, "application");
}

#[tokio::test]
async fn what_the_registry_refuses_stops_nothing_else() {
    let folder = Folder::new();
    folder.write("groups.yaml", "groups: {old: {tool_ids: [broken, a]}}\n");
    folder.write("a.yaml", &saying("a", "one"));
    folder.write("broken.yaml", &saying("broken", "one"));
    let spec = ToolSpec::new("bad").unwrap().with(|spec| {
        spec.input_schema = JsonText::of(&json!({"type": "no such type"}));
    });
    let bad = Tool::function(spec, |_cx, input| async move { Ok(input) });
    let makers = makers().with_handlers([bad]);
    let definitions = Definitions::open(vec![folder.root().to_owned()], makers, vault());
    let engine = engine();
    assert_eq!(definitions.attach(&engine).problems, []);
    folder.write("broken.yaml", "name: broken\nentry: {type: builtin, handler: bad}\n");
    folder.write("groups.yaml", "groups: {new: {tool_ids: [broken, a]}}\n");
    folder.write("a.yaml", &format!("depends_on: [z]\n{}", saying("a", "two")));
    folder.write("z.yaml", &saying("z", "z"));
    for _ in 0..2 {
        let reloaded = definitions.reload();
        let told = folder.shown(&reloaded.problems);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("broken.yaml:1:7: `broken` was refused: "), "{told:?}");
        let says = [said(&engine, "a").await, said(&engine, "z").await];
        assert_eq!(
            (says, said(&engine, "broken").await),
            (["two", "z"].map(Into::into), "one".into())
        );
        let of = |tool: &str| -> Vec<String> {
            definitions.groups().of(tool).iter().map(|group| group.group_id.to_string()).collect()
        };
        assert_eq!(of("a"), ["new"]);
        assert!(of("broken").contains(&"old".to_owned()), "it is in force as it was");
    }
    folder.write("broken.yaml", &saying("broken", "three"));
    assert_eq!(definitions.reload().problems, []);
    assert_eq!(said(&engine, "broken").await, "three");
}
