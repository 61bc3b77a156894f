//! Several processes on one folder.

use std::thread;

use serde_json::json;

use crate::support::Place;

#[test]
fn two_processes_at_once_lose_nothing_and_break_nothing() {
    let place = Place::new();
    let run_fifty = |name: &str| {
        for n in 0..50 {
            let message = format!("message={name}{n}");
            let ran = place.run(&["run", "echo", &message, "--conversation", name]);
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        }
    };
    // Both begin with no database, so that they also make it at once.
    thread::scope(|scope| {
        scope.spawn(|| run_fifty("a"));
        scope.spawn(|| run_fifty("b"));
    });
    let stats = place.json(&["calls", "stats"]);
    assert_eq!((&stats["total_calls"], &stats["failed_calls"]), (&json!(100), &json!(0)));
    for name in ["a", "b"] {
        assert_eq!(place.json(&["calls", "summary", name])["total_calls"], 50);
    }
    let exported = place.print(&["calls", "export"]);
    let messages: std::collections::BTreeSet<String> = exported
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["params"].to_string())
        .collect();
    assert_eq!(messages.len(), 100);
}

#[test]
fn records_can_be_read_and_pruned_while_another_process_writes() {
    let place = Place::new();
    place.print(&["run", "echo", "message=first"]);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..15 {
                assert_eq!(place.run(&["run", "echo", "message=x"]).code, Some(0));
            }
        });
        scope.spawn(|| {
            for _ in 0..5 {
                assert_eq!(place.run(&["calls", "prune", "--keep", "3"]).code, Some(0));
                assert_eq!(place.run(&["calls", "list", "--json"]).code, Some(0));
            }
        });
    });
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 16);
}
