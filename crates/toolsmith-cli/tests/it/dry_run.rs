//! `toolsmith run --dry-run`

use serde_json::json;

use crate::support::Place;

#[test]
fn a_checked_call_prints_what_would_be_sent_and_leaves_nothing_behind() {
    let place = Place::new();
    let ran =
        place.run(&["run", "calculator", "expression=1/3", "precision=2", "x=1", "--dry-run"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stdout, "{\n  \"expression\": \"1/3\",\n  \"precision\": 2\n}\n");
    assert_eq!(
        ran.stderr,
        "note: `calculator` has no parameter `x`; left out\n\
         note: nothing was run; `calculator` 1.0.0 would get this input\n"
    );
    let checked = place.json(&["run", "calculator", "expression=1/3", "x=1", "--dry-run"]);
    assert_eq!(
        checked,
        json!({
            "dry_run": true, "tool_name": "calculator", "version": "1.0.0", "valid": true,
            "input": {"expression": "1/3"}, "problems": [],
            "dropped_parameters": ["x"], "coerced_parameters": []
        })
    );
    assert!(!place.path().join(".toolsmith").exists());
}

#[test]
fn a_wrong_call_says_why_with_the_code_of_a_real_one() {
    let place = Place::new();
    let ran = place.run(&["run", "calculator", "--dry-run"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(4), ""));
    assert!(ran.stderr.contains("\n  `expression` is required"), "{ran:?}");
    let ran = place.run(&["run", "calculator", "--dry-run", "--json"]);
    assert_eq!(ran.code, Some(4));
    assert_eq!(ran.json()["problems"][0]["kind"], "missing_required");
    let ran = place.run(&["run", "ech", "--dry-run", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(3), "tool_not_found"));
    let place = place.with("toolsmith.yaml", "strict_validation: true\n");
    let ran = place.run(&["run", "echo", "message=hi", "x=1", "--dry-run"]);
    assert!(ran.code == Some(4) && ran.stderr.contains("`x`"), "{ran:?}");
}

#[test]
fn what_would_be_sent_can_be_sent() {
    let place = Place::new();
    let input = place.run(&["run", "calculator", "expression=6*7", "--dry-run"]).stdout;
    let ran = place.run_reading(&["run", "calculator", "--params", "-"], &input);
    assert_eq!(ran.stdout, "42\n");
}
