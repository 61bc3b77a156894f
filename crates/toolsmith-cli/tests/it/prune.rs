//! `toolsmith calls prune`

use serde_json::json;

use crate::support::{Place, Ran};

fn place_with_calls() -> Place {
    let place = Place::new();
    place.print(&["run", "echo", "message=one", "--conversation", "c1"]);
    place.print(&["run", "echo", "message=two"]);
    place.print(&["run", "echo", "message=three"]);
    place
}

fn left(place: &Place) -> usize {
    place.json(&["calls", "list"])["calls"].as_array().unwrap().len()
}

#[test]
fn bounds_given_here_count() {
    let place = place_with_calls();
    assert_eq!(place.json(&["calls", "prune", "--older-than", "1h"])["records"], 0);
    assert_eq!(place.json(&["calls", "prune", "--keep", "2"])["records"], 1);
    assert_eq!(left(&place), 2);
    let printed = place.print(&["calls", "prune", "--max-bytes", "1"]);
    assert!(printed.starts_with("removed 2 records and 0 artifacts, "), "{printed}");
    assert_eq!(left(&place), 0);
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 3, "pruned calls still count");
}

#[test]
fn the_configured_retention_counts_without_options() {
    let place = place_with_calls();
    let ran = place.run(&["calls", "prune", "--json"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.json()["hint"].as_str().unwrap().contains("no retention is configured"), "{ran:?}");
    let mut command = place.command(&["calls", "prune", "--json"]);
    let ran = Ran::of(command.env("TOOLSMITH_RECORDS_RETENTION_MAX_RECORDS", "1"));
    assert_eq!((ran.json()["records"].clone(), left(&place)), (json!(2), 1));
}

#[test]
fn erasing_needs_a_yes_where_nobody_can_be_asked() {
    let place = place_with_calls();
    for whose in ["--caller", "--conversation", "--user"] {
        let ran = place.run(&["calls", "prune", whose, "c1"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert_eq!(ran.stderr, "error: erasing cannot be undone; add --yes\n");
    }
    assert_eq!(left(&place), 3);
    let erased = place.json(&["calls", "prune", "--conversation", "c1", "--yes"]);
    assert_eq!((&erased["records"], left(&place)), (&json!(1), 2));
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 2, "erased calls do not count");
    assert_eq!(place.json(&["calls", "prune", "--user", "nobody", "--yes"])["records"], 0);
}

#[test]
fn mixed_and_malformed_bounds_are_usage_errors() {
    let place = Place::new();
    for wrong in [
        &["--caller", "a", "--keep", "1"][..],
        &["--caller", "a", "--user", "b"],
        &["--older-than", "soon"],
        &["--keep", "-1"],
    ] {
        let ran = place.run(&[&["calls", "prune", "--json"], wrong].concat());
        assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"), "{wrong:?}");
    }
}
