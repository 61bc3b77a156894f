//! `${VAR}` in definitions.

use std::path::Path;

use toolsmith_core::{ErrorKind, Redactor, Vault};
use toolsmith_definitions::{Definitions, Strictness};

use crate::support::{Folder, call, engine, makers, vault};

const MISSING: &str = "name: a\ndescription: At ${HOST} and ${NOWHERE}.\nentry: {type: command, \
                       command: '${PROGRAM} ${HOST}'}\n";

fn check(strictness: Strictness, text: &str) -> (Vec<String>, Vec<String>) {
    let definitions = Definitions::open(Vec::new(), makers(), vault()).with_strictness(strictness);
    let loaded = definitions.check(Path::new("t.yaml"), text);
    let shown = |problems: &[toolsmith_definitions::Problem]| {
        problems.iter().map(ToString::to_string).collect()
    };
    (shown(&loaded.problems), shown(&loaded.warnings))
}

#[test]
fn texts_outside_the_entry_are_filled_in_when_they_are_read() {
    let redactor = Redactor::default();
    let vault = Vault::with_values([("KEY", "sk-12345678")], redactor.clone());
    let definitions = Definitions::open(Vec::new(), makers(), vault);
    let text = "name: a\ndescription: ${KEY} ${HOST:here} $${x}\n";
    let loaded = definitions.check(Path::new("t.yaml"), text);
    assert_eq!(loaded.tools[0].spec.description.as_str(), "sk-12345678 here ${x}");
    assert_eq!(redactor.text("sk-12345678"), "***");
}

#[test]
fn a_problem_does_not_tell_what_a_variable_holds() {
    let text = "name: a\ndescription: d\nversion: ${KEY}\nentry: {type: javascript, code: x}\n";
    let (problems, _) = check(Strictness::Lenient, text);
    assert_eq!(
        problems,
        ["t.yaml:3:10: version: `***` is not a version; write three numbers such as 1.0.0"]
    );
}

#[test]
fn a_missing_variable_is_a_warning_and_an_error_of_validation() {
    let told = [
        "t.yaml:2:14: description: the variable `NOWHERE` is not set and has no default",
        "t.yaml:3:33: entry.command: the variable `PROGRAM` is not set and has no default",
    ];
    let (problems, warnings) = check(Strictness::Lenient, MISSING);
    assert_eq!((problems.len(), warnings), (0, told.map(str::to_owned).to_vec()));
    let (problems, _) = check(Strictness::Validating, MISSING);
    assert_eq!(problems, told);
}

#[test]
fn validation_leaves_other_warnings_and_strictness_leaves_none() {
    let text = "name: a\nsandbox: strict\nentry: {type: javascript, code: x}\n";
    let (problems, warnings) = check(Strictness::Validating, text);
    assert_eq!((problems.len(), warnings.len()), (0, 1));
    let (problems, warnings) = check(Strictness::Strict, text);
    assert_eq!((problems.len(), warnings.len()), (1, 0));
}

#[test]
fn code_is_taken_as_it_is() {
    let text = "name: a\nentry: {type: javascript, code: 'return `${x.y} ${`'}\n";
    assert_eq!(check(Strictness::Strict, text), (vec![], vec![]));
}

#[tokio::test]
async fn the_call_that_needs_a_missing_variable_says_so() {
    let folder = Folder::new();
    folder.write("a.yaml", MISSING);
    let engine = engine();
    let reloaded = folder.definitions().attach(&engine);
    assert_eq!(reloaded.warnings.len(), 2);
    let error = call(&engine, "a").await.result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExecutionError);
    assert!(error.message().contains("`PROGRAM` is not set"), "{error}");
}
