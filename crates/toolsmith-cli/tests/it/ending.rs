//! The end of `toolsmith serve`: what is under way, or waits, is recorded however it comes.

use std::net::TcpStream;

use serde_json::Value;

use crate::{
    serving::Serving,
    support::{Place, eventually},
};

/// Starts a call that takes long, and one that waits for its slot; returns their identifiers.
fn one_runs_and_one_waits(serving: &Serving) -> [String; 2] {
    let call = r#"{"tool_id": "sleep", "params": {"duration": 50}}"#;
    [(); 2].map(|()| {
        let begun = serving.send("POST /run_tool?async=true", call);
        begun["call_id"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned()
    })
}

fn record<'a>(records: &'a Value, id: &str) -> (&'a str, &'a str) {
    let all = records["calls"].as_array().unwrap();
    let record = all.iter().find(|record| record["record_id"] == id);
    let record = record.unwrap_or_else(|| panic!("{id} is not in {records}"));
    (record["error_type"].as_str().unwrap(), record["error"].as_str().unwrap())
}

#[test]
fn calls_that_the_end_cuts_off_are_recorded_with_the_reason() {
    for (patience, signals, code) in [("0.2", 1, 0), ("500", 2, 130)] {
        let settings = format!(
            "limits: {{max_concurrent: 1}}\nserve: {{shutdown_timeout: {patience}}}\n\
             tools_directory: tools\n"
        );
        let place = Place::new().with("toolsmith.yaml", &settings).with("tools/.keep", "");
        let serving = Serving::start(&place, &[]);
        let [running, waiting] = one_runs_and_one_waits(&serving);
        for _ in 1..signals {
            serving.tell("-TERM");
            eventually("it hears no more", || TcpStream::connect(&serving.address).is_err());
        }
        assert_eq!(serving.end("-TERM").0, Some(code), "{patience}");
        let records = place.json(&["calls", "list"]);
        let (kind, why) = record(&records, &running);
        assert_eq!(kind, "cancelled");
        assert!(why.starts_with("The server ended while the call was under way"), "{why}");
        let (kind, why) = record(&records, &waiting);
        assert_eq!(kind, "rejected");
        assert!(why.contains("before the call ran"), "{why}");
    }
}
