//! The examples run, and what they say is true.

#[path = "../examples/06_definitions.rs"]
mod definitions;
#[path = "../examples/04_events_and_streams.rs"]
mod events_and_streams;
#[path = "../examples/01_first_tool.rs"]
mod first_tool;
#[path = "../examples/03_records.rs"]
mod records;
#[path = "../examples/05_rules_and_approval.rs"]
mod rules_and_approval;
#[path = "../examples/02_stateful.rs"]
mod stateful;

#[test]
fn a_function_becomes_a_tool() {
    first_tool::main().unwrap();
}

#[test]
fn an_object_remembers() {
    stateful::main().unwrap();
}

#[test]
fn every_call_leaves_a_record() {
    records::main().unwrap();
}

#[test]
fn what_happens_is_told() {
    events_and_streams::main().unwrap();
}

#[test]
fn rules_of_the_application_hold() {
    rules_and_approval::main().unwrap();
}

#[test]
fn a_folder_of_definitions_becomes_tools() {
    definitions::main().unwrap();
}
