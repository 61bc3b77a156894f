//! `toolsmith tools`

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::Place;

#[test]
fn people_get_a_table_of_tools() {
    let list = Place::new().print(&["tools", "list"]);
    let shown = ["NAME ", "calculator ", "echo ", "web_fetch "];
    let lines = list.lines().filter(|line| shown.iter().any(|start| line.starts_with(start)));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
    NAME            VERSION  CATEGORY  KIND       DESCRIPTION
    calculator      1.0.0    data      stateless  Computes an arithmetic expression and returns one number. Use it inst…
    echo            1.0.0    system    stateless  Returns the message unchanged. Use it to check that calls get through.
    web_fetch       1.0.0    network   stateless  Reads a public web page and returns its main content as Markdown, wit…
    ");
    let names: Vec<&str> =
        list.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 20 && names.is_sorted(), "{names:?}");
}

#[test]
fn programs_get_the_fields_of_the_contract() {
    let place = Place::new();
    let list = place.json(&["tools", "list", "--category", "system"]);
    let tools = list["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["category"] == "system"), "{list}");
    assert_eq!(
        *tools.iter().find(|tool| tool["name"] == "echo").unwrap(),
        json!({
            "name": "echo", "title": "Echo", "version": "1.0.0",
            "description": "Returns the message unchanged. Use it to check that calls get through.",
            "category": "system", "kind": "stateless", "backend_runtime": "embedded",
            "state": "running"
        })
    );
    assert!(!place.path().join(".toolsmith").exists(), "listing needs no store");
}

#[test]
fn filters_narrow_the_list() {
    let place = Place::new();
    let names = |arguments: &[&str]| -> Vec<String> {
        let list = place.json(&[&["tools", "list"], arguments].concat());
        let tools = list["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = names(&[]);
    assert!(all.iter().any(|name| name == "calculator") && all.iter().any(|name| name == "echo"));
    assert_eq!(names(&["--tag", "math"]), ["calculator"]);
    assert_eq!(names(&["--tag", "math", "--tag", "compute"]), ["calculator"]);
    assert!(names(&["--tag", "math", "--tag", "ping"]).is_empty());
    assert_eq!(names(&["--kind", "stateless"]), all);
    assert_eq!(names(&["--runtime", "embedded", "--state", "enabled"]), all);
    assert!(names(&["--state", "disabled"]).is_empty());
    assert!(names(&["--kind", "rest"]).is_empty());
    let nothing = place.json(&["tools", "list", "--category", "nope"]);
    assert!(nothing["hint"].as_str().unwrap().contains("without options"), "{nothing}");
    assert_eq!(place.run(&["tools", "list", "--kind", "odd"]).code, Some(2));
}

#[test]
fn people_see_what_a_tool_wants_and_how_to_call_it() {
    let place = Place::new();
    let shown = place.print(&["tools", "show", "calculator"]);
    let below: Vec<&str> = shown.lines().skip(2).collect();
    assert_snapshot!(below.join("\n"), @r"

    category      data
    kind          stateless, embedded
    tags          math, arithmetic, compute
    hints         changes nothing, may be repeated

    PARAMETER   TYPE     REQUIRED  DEFAULT  DESCRIPTION
    expression  string   yes                What to compute, such as `2*(3+4)` or `sqrt(2)/2`.
    precision   integer  no                 Digits after the decimal point; the result is rounded to them.

    EXAMPLES
      toolsmith run calculator expression='2*(3+4)'
      toolsmith run calculator expression='sqrt(2)' precision=3
      toolsmith run calculator expression='2**64'
    ");
    assert!(shown.starts_with("calculator 1.0.0  Calculator\nComputes an arithmetic"), "{shown}");
    assert_eq!(place.print(&["run", "calculator", "expression=sqrt(2)", "precision=3"]), "1.414\n");
}

#[test]
fn programs_see_the_whole_definition() {
    let tool = Place::new().json(&["tools", "show", "calculator@1.0.0"]);
    assert_eq!(tool["input_schema"]["required"], json!(["expression"]));
    assert_eq!(tool["annotations"]["read_only"], true);
    assert!(tool["output_schema"].is_object() && tool["examples"].is_array());
}

#[test]
fn an_unknown_name_is_answered_with_near_ones() {
    let place = Place::new();
    for (name, message) in [
        ("ech", "There is no tool `ech`. Did you mean `echo`?"),
        ("echo@2.0.0", "`echo` has no such version; there are: 1.0.0."),
    ] {
        let ran = place.run(&["tools", "show", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
        assert_eq!(ran.stderr, format!("error: {message}\n"));
        let ran = place.run(&["tools", "show", name, "--json"]);
        assert_eq!(ran.code, Some(3));
        let expected: Value = json!({"error": {"type": "tool_not_found", "message": message}});
        assert_eq!(ran.json(), expected);
    }
}
