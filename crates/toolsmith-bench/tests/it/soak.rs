//! A small soak; the long one is `cargo xtask soak engine`.

use std::process::Command;

#[test]
fn every_call_of_a_small_soak_leaves_one_record_and_one_final_event() {
    let output = Command::new(env!("CARGO_BIN_EXE_toolsmith-bench"))
        .args(["soak-engine", "--calls", "20000"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report["records"], 20_000);
    for kind in ["ok", "execution_error", "timeout", "cancelled"] {
        assert!(report["outcomes"][kind].as_u64().unwrap() > 0, "{kind} never happened: {said}");
    }
}

#[test]
fn no_call_of_a_small_soak_suffers_from_files_that_change() {
    let output = Command::new(env!("CARGO_BIN_EXE_toolsmith-bench"))
        .args(["soak-definitions", "--seconds", "5"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert!(report["calls"]["outcomes"]["ok"].as_u64().unwrap() > 500, "{said}");
    for deed in ["rewritten", "broken", "deleted_and_restored"] {
        assert!(report["script"]["deeds"][deed].as_u64().unwrap() > 0, "{deed}: {said}");
    }
}
