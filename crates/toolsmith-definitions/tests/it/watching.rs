//! The watch: by file events and by polling.

use std::{fs, time::Duration};

use toolsmith_core::ToolName;
use toolsmith_definitions::{Definitions, Switches, Watcher};
use toolsmith_engine::Engine;

use crate::support::{Folder, engine, makers, said, saying, until_said, vault};

/// The two ways in which changes are noticed.
fn watchers() -> [fn(Definitions) -> Watcher; 2] {
    [
        |definitions| Watcher::new(definitions).with_events(),
        |definitions| Watcher::new(definitions).with_polling(Duration::from_millis(40)),
    ]
}

fn attached(folder: &Folder) -> (Engine, Definitions) {
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    (engine, definitions)
}

/// Opens the folder `tools`, with the switches beside it.
fn attached_with_switches(folder: &Folder) -> (Engine, Definitions, Switches) {
    let switches = Switches::at(folder.path("data/switches.json"));
    let definitions = Definitions::open(vec![folder.path("tools")], makers(), vault())
        .with_switches(switches.clone());
    let engine = engine();
    definitions.attach(&engine);
    (engine, definitions, switches)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_and_folders_that_come_change_and_go_are_followed() {
    for watcher in watchers() {
        let folder = Folder::new();
        folder.write("a.yaml", &saying("a", "one"));
        let (engine, definitions) = attached(&folder);
        let watching = watcher(definitions.clone()).start();
        folder.write("a.yaml", &saying("a", "two"));
        until_said(&engine, "a", "two").await;
        folder.write("new/deep/b.yaml", &saying("b", "b"));
        until_said(&engine, "b", "b").await;
        folder.write("new/deep/b.yaml", &saying("b", "c"));
        until_said(&engine, "b", "c").await;
        fs::remove_dir_all(folder.path("new")).unwrap();
        until_said(&engine, "b", "tool_not_found").await;
        folder.write("new/deep/b.yaml", &saying("b", "d"));
        until_said(&engine, "b", "d").await;
        folder.write("new/deep/b.yaml", &saying("b", "e"));
        until_said(&engine, "b", "e").await;
        watching.stop().await;
        folder.write("a.yaml", &saying("a", "three"));
        definitions.reload();
        assert_eq!(said(&engine, "a").await, "three");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_dances_of_editors_never_take_a_tool_out_of_service() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "n0"));
    let (engine, definitions) = attached(&folder);
    let watching = Watcher::new(definitions.clone()).with_events().start();
    let watched = engine.clone();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_over = std::sync::Arc::clone(&stop);
    let caller = tokio::spawn(async move {
        while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
            assert!(said(&watched, "a").await.starts_with('n'));
            tokio::task::yield_now().await;
        }
    });
    for n in 1..=12 {
        let (path, text) = (folder.path("a.yaml"), saying("a", &format!("n{n}")));
        match n % 4 {
            // Write a copy, move the old one away, move the copy in, delete the old one.
            0 => {
                folder.write("4913", "");
                folder.remove("4913");
                fs::rename(&path, folder.path("a.yaml~")).unwrap();
                folder.write("a.yaml", &text);
                folder.remove("a.yaml~");
            }
            // Write beside it and rename over it.
            1 => {
                folder.write(".a.yaml.tmp", &text);
                fs::rename(folder.path(".a.yaml.tmp"), &path).unwrap();
            }
            // Empty it, write a part of it, write all of it.
            2 => {
                fs::write(&path, "").unwrap();
                fs::write(&path, text.split("  code").next().unwrap()).unwrap();
                fs::write(&path, &text).unwrap();
            }
            // Delete it and make it anew.
            _ => {
                folder.remove("a.yaml");
                folder.write("a.yaml", &text);
            }
        }
        until_said(&engine, "a", &format!("n{n}")).await;
    }
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    caller.await.unwrap();
    watching.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn where_others_are_always_written_a_file_may_still_be_gone_for_a_moment() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "n0"));
    folder.write("noise.yaml", &saying("noise", "n"));
    let (engine, definitions) = attached(&folder);
    let watching = Watcher::new(definitions.clone()).with_events().start();
    let end = tokio_util::sync::CancellationToken::new();
    let noise = {
        let (end, path) = (end.clone(), folder.path("noise.yaml"));
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            while end.run_until_cancelled(tick.tick()).await.is_some() {
                fs::write(&path, saying("noise", "n")).unwrap();
            }
        })
    };
    let caller = {
        let (end, engine) = (end.clone(), engine.clone());
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_millis(2));
            while end.run_until_cancelled(tick.tick()).await.is_some() {
                let last = said(&engine, "a").await;
                assert!(last.starts_with('n'), "`a` says {last:?}");
            }
        })
    };
    for n in 1..=6 {
        let text = saying("a", &format!("n{n}"));
        folder.remove("a.yaml");
        tokio::time::sleep(Duration::from_millis(15)).await;
        // Half of it is a definition too, of a tool that nothing runs.
        folder.write("a.yaml", text.split("entry").next().unwrap());
        tokio::time::sleep(Duration::from_millis(15)).await;
        folder.write("a.yaml", &text);
        until_said(&engine, "a", &format!("n{n}")).await;
    }
    end.cancel();
    noise.await.unwrap();
    caller.await.unwrap();
    watching.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_registry_is_followed_with_its_files() {
    let served = "\"built in\"";
    let sum = |function: &str| {
        format!("name = 'sum'\ntool_type = 'native'\nfunction_path = 'src.x:{function}'\n")
    };
    let naming = |file: &str| format!("[tool_types.native]\nconfig_files = ['{file}']\n");
    for watcher in watchers() {
        let folder = Folder::new();
        folder.write("__registry__.toml", "[metadata]\nname = 'old'\n");
        let (engine, definitions) = attached(&folder);
        let watching = watcher(definitions.clone()).start();
        folder.write("native/sum.toml", &sum("adder"));
        folder.write("__registry__.toml", &naming("sum.toml"));
        until_said(&engine, "sum", served).await;
        folder.write("native/sum.toml", &sum("nobody"));
        until_said(&engine, "sum", "executor_not_found").await;
        folder.write("native/sum.toml", &sum("adder"));
        until_said(&engine, "sum", served).await;
        // While the registry cannot be read, what it named last stays; the other file shows the watch.
        folder.write("__registry__.toml", "[tool_types.native\n");
        folder.write("seen.yaml", &saying("seen", "yes"));
        until_said(&engine, "seen", "yes").await;
        assert_eq!(said(&engine, "sum").await, served);
        folder.write("__registry__.toml", &naming("other.toml"));
        until_said(&engine, "sum", "tool_not_found").await;
        folder.write("__registry__.toml", &naming("sum.toml"));
        until_said(&engine, "sum", served).await;
        folder.remove("__registry__.toml");
        until_said(&engine, "sum", "tool_not_found").await;
        watching.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emptied_file_is_confirmed_without_another_event() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "one"));
    let (engine, definitions) = attached(&folder);
    let watching = Watcher::new(definitions.clone()).with_events().start();
    folder.write("a.yaml", "");
    until_said(&engine, "a", "tool_not_found").await;
    watching.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_comes_later_and_files_behind_links_are_heard() {
    let folder = Folder::new();
    let elsewhere = Folder::new();
    elsewhere.write("c.yaml", &saying("c", "one"));
    let root = folder.path("tools");
    let definitions = Definitions::open(vec![root], makers(), vault());
    let engine = engine();
    definitions.attach(&engine);
    let watching = Watcher::new(definitions.clone()).with_events().start();
    folder.write("tools/a.yaml", &saying("a", "one"));
    until_said(&engine, "a", "one").await;
    std::os::unix::fs::symlink(elsewhere.path("c.yaml"), folder.path("tools/c.yaml")).unwrap();
    until_said(&engine, "c", "one").await;
    elsewhere.write("c.yaml", &saying("c", "two"));
    until_said(&engine, "c", "two").await;
    fs::rename(folder.path("tools"), folder.path("away")).unwrap();
    until_said(&engine, "a", "tool_not_found").await;
    folder.write("tools/a.yaml", &saying("a", "back"));
    until_said(&engine, "a", "back").await;
    watching.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_uses_the_switches_is_heard_without_events_and_without_polling() {
    let folder = Folder::new();
    folder.write("tools/a.yaml", &saying("a", "one"));
    let (engine, definitions, switches) = attached_with_switches(&folder);
    let watching = Watcher::new(definitions).start();
    for round in ["two", "three"] {
        folder.write("tools/a.yaml", &saying("a", round));
        switches.ring().unwrap();
        until_said(&engine, "a", round).await;
    }
    switches.set(&ToolName::new("a").unwrap(), false).unwrap();
    until_said(&engine, "a", "tool_not_found").await;
    watching.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_read_or_told_when_nothing_changed() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "one"));
    let (engine, definitions) = attached(&folder);
    definitions.reload();
    let reads = definitions.reads();
    let mut subscription = engine.subscribe();
    let watching =
        Watcher::new(definitions.clone()).with_polling(Duration::from_millis(10)).start();
    // A later change shows that the watch was awake all the while.
    folder.write("b.yaml", &saying("b", "b"));
    until_said(&engine, "b", "b").await;
    watching.stop().await;
    let reloads = crate::support::heard(&mut subscription);
    let count = reloads.iter().filter(|told| *told == "reload_started").count();
    assert!(count <= 2, "{reloads:?}");
    assert!(definitions.reads() - reads <= 3, "{} reads", definitions.reads() - reads);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_switches_are_heard_by_events_wherever_their_folder_comes_and_goes() {
    let folder = Folder::new();
    folder.write("tools/a.yaml", &saying("a", "one"));
    let (engine, definitions, switches) = attached_with_switches(&folder);
    let watching = Watcher::new(definitions).with_events().start();
    let name = ToolName::new("a").unwrap();
    for _ in 0..2 {
        switches.set(&name, false).unwrap();
        until_said(&engine, "a", "tool_not_found").await;
        switches.set(&name, true).unwrap();
        until_said(&engine, "a", "one").await;
        switches.set(&name, false).unwrap();
        until_said(&engine, "a", "tool_not_found").await;
        fs::remove_dir_all(folder.path("data")).unwrap();
        until_said(&engine, "a", "one").await;
    }
    watching.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_comes_while_files_are_not_at_rest_is_followed_too() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "n0"));
    let (engine, definitions) = attached(&folder);
    let watching = Watcher::new(definitions).with_events().start();
    for n in 1..=6_u64 {
        folder.write("a.yaml", &saying("a", &format!("n{n}")));
        // The folder comes at another moment of the wait in each round.
        tokio::time::sleep(Duration::from_millis(8 * n)).await;
        let (file, tool) = (format!("new{n}/c.yaml"), format!("c{n}"));
        folder.write(&file, &saying(&tool, "one"));
        until_said(&engine, &tool, "one").await;
        folder.write(&file, &saying(&tool, "two"));
        until_said(&engine, &tool, "two").await;
    }
    watching.stop().await;
}
