//! Definitions in files, as the command reads them.

use std::{fs, path::Path};

use serde_json::json;
use toolsmith_testing::{fixtures, skip};

use crate::support::Place;

const TYPO: &str = "name: typo\ndescription: Says hi.\nparamters: []\nentry: {type: builtin, \
                    handler: echo}\n";

const GOOD: &str = "name: twice\ndescription: Doubles a number.\nparameters:\n  - {name: n, type: \
                    integer, required: true}\nentry:\n  type: javascript\n  code: |\n    function \
                    main(input) { return 2 * input.n; }\n";

#[test]
fn a_typo_in_a_key_is_answered_with_its_place_and_the_near_key() {
    let place = Place::new().with("tools/typo.yaml", TYPO);
    let ran = place.run(&["tools", "validate"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""));
    assert_eq!(
        ran.stdout,
        "problem tools/typo.yaml:3:1: unknown key `paramters`. Did you mean `parameters`?\n\
         1 problem; 0 tools could be loaded\n"
    );
}

#[test]
fn every_problem_of_every_file_is_listed() {
    let two = "name: two\ndescription: x\nversion: one\nentry:\n  type: command\n  comand: ls\n";
    let place = Place::new()
        .with("tools/typo.yaml", TYPO)
        .with("tools/deep/two.yml", two)
        .with("tools/three.json", "{\"name\": \"three\",\n \"description\": 3}")
        .with("tools/good.yaml", GOOD)
        .with("tools/four.yaml", "name: [four\n");
    let ran = place.run(&["tools", "validate", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""));
    let report = ran.json();
    assert_eq!(report["valid"], 1);
    let problems = report["problems"].as_array().unwrap();
    let is_there = |file: &str, line: u64, column: u64, said: &str| {
        problems.iter().any(|problem| {
            (&problem["file"], &problem["line"], &problem["column"])
                == (&json!(file), &json!(line), &json!(column))
                && problem["message"].as_str().unwrap().contains(said)
        })
    };
    for (file, line, column, said) in [
        ("tools/typo.yaml", 3, 1, "Did you mean `parameters`?"),
        ("tools/deep/two.yml", 3, 10, "`one` is not a version"),
        ("tools/deep/two.yml", 4, 1, "`command` is missing"),
        ("tools/deep/two.yml", 6, 3, "Did you mean `command`?"),
        ("tools/three.json", 2, 17, "expected text"),
    ] {
        assert!(is_there(file, line, column, said), "{file}:{line}:{column} {said}: {report:#}");
    }
    assert!(problems.iter().any(|problem| problem["file"] == "tools/four.yaml"));
    // A single file or folder can be named.
    let one = place.json(&["tools", "validate", "tools/good.yaml"]);
    assert_eq!((&one["valid"], &one["problems"]), (&json!(1), &json!([])));
    assert_eq!(place.run(&["tools", "validate", "tools/deep"]).code, Some(2));
    assert_eq!(place.run(&["tools", "validate", "tools/none"]).code, Some(2));
    assert_eq!(place.print(&["tools", "validate", "tools/good.yaml"]), "ok 1 tool\n");
}

#[test]
fn a_bad_file_is_a_warning_of_a_run_and_the_other_tools_work() {
    let place = Place::new().with("tools/typo.yaml", TYPO).with("tools/good.yaml", GOOD);
    let warning =
        " WARN tools/typo.yaml:3:1: unknown key `paramters`. Did you mean `parameters`?\n";
    for (arguments, stdout) in
        [(&["run", "twice", "n=21"][..], "42\n"), (&["run", "echo", "message=hi"], "hi\n")]
    {
        let ran = place.run(arguments);
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (Some(0), stdout, warning)
        );
    }
    let ran = place.run(&["run", "typo", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(3), "tool_not_found"));
    let strict = place.with("toolsmith.yaml", "strict_validation: true\n");
    assert_eq!(strict.run(&["run", "twice", "n=21"]).stdout, "42\n");
}

#[test]
fn without_definitions_validation_says_how_to_begin() {
    let place = Place::new();
    let said = place.print(&["tools", "validate"]);
    assert!(said.starts_with("ok 0 tools\n"), "{said}");
    assert!(said.contains("`toolsmith tools new command greet`"), "{said}");
}

#[test]
fn the_five_files_of_the_old_engine_load_and_what_can_run_runs() {
    let Some(shared) = fixtures::shared() else {
        return skip("there is no ../shared/data beside the project");
    };
    let place = Place::new();
    copy_all(&shared.join("engine-yaml"), &place);
    let list = place.json(&["tools", "list"]);
    let kind = |name: &str| {
        let tools = list["tools"].as_array().unwrap().iter();
        let tool = tools.filter(|tool| tool["name"] == name).collect::<Vec<_>>();
        assert_eq!(tool.len(), 1, "{name}");
        tool[0]["kind"].as_str().unwrap().to_owned()
    };
    for name in ["file_reader", "llm_call", "text_analyzer"] {
        assert_eq!(kind(name), "stateless", "{name}");
    }
    assert_eq!(kind("json_transformer"), "javascript");
    assert_eq!(kind("http_request"), "rest", "the definition takes the place of the built-in one");
    let shown = place.json(&["tools", "show", "http_request"]);
    assert_eq!(shown["description"], "Perform an HTTP request.");

    let outcome = place.json(&["run", "json_transformer", "input:={\"a\": [1, null]}"]);
    assert_eq!(outcome["output"], json!({"a": [1, null]}));
    let ran = place.run(&["run", "text_analyzer", "text=a", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(1), "executor_not_found"));
    assert!(ran.stderr.contains("text_analyzer.yaml:12:12: entry.handler: no handler"), "{ran:?}");
    let report = place.json(&["tools", "validate"]);
    assert_eq!((&report["valid"], &report["problems"]), (&json!(5), &json!([])));
}

fn copy_all(from: &Path, place: &Place) {
    for file in fs::read_dir(from).unwrap().flatten() {
        let name = format!("tools/{}", file.file_name().to_string_lossy());
        place.write(&name, &fs::read_to_string(file.path()).unwrap());
    }
}

#[test]
fn the_example_of_the_original_document_replaces_the_built_in_tool_and_runs_it() {
    let Some(text) = fixtures::seeds().and_then(|seeds| example(&seeds)) else {
        return skip("there is no ../shared/seeds beside the project");
    };
    let place = Place::new().with("tools/http_request.yaml", &text);
    assert_eq!(place.json(&["tools", "validate"])["valid"], 1);
    let shown = place.json(&["tools", "show", "http_request"]);
    assert_eq!(shown["description"], "发送 HTTP 请求并返回响应");
    let input = place.json(&["run", "http_request", "url=https://example.org", "--dry-run"]);
    assert_eq!(
        input["input"],
        json!({"url": "https://example.org", "method": "GET", "timeout": 30})
    );
    let ran = place.run(&["run", "http_request", "url=ftp://example.org", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(4), "validation_error"));
    // It is the built-in tool that runs, with its guard.
    let ran = place.run(&["run", "http_request", "url=http://127.0.0.1:1/", "--json"]);
    assert_ne!(ran.error_type(), "executor_not_found", "{ran:?}");
    assert_eq!(ran.code, Some(5), "{ran:?}");
    fs::remove_file(place.path().join("tools/http_request.yaml")).unwrap();
    assert_ne!(place.json(&["tools", "show", "http_request"]), shown);
}

/// Cuts the first YAML block out of the section about definitions.
fn example(seeds: &Path) -> Option<String> {
    let mut files = fs::read_dir(seeds).ok()?.flatten();
    let seed = files.find(|file| file.file_name().to_string_lossy().starts_with("000"))?;
    let text = fs::read_to_string(seed.path()).ok()?;
    let (_, section) = text.split_once("## 2. ")?;
    let (_, block) = section.split_once("```yaml\n")?;
    block.split_once("```").map(|(yaml, _)| yaml.to_owned())
}

#[test]
fn several_folders_and_documents_are_read_and_doubles_are_told() {
    let both = "name: one\nentry: {type: builtin, handler: echo}\n---\nname: two\nentry: {type: \
                builtin, handler: echo}\n";
    let place = Place::new().with("a/both.yaml", both).with("b/one.yaml", both);
    let list = place.run(&["tools", "list", "--tools", "a", "--tools", "b"]);
    assert_eq!(list.code, Some(0));
    for name in ["one", "two"] {
        assert_eq!(list.stdout.lines().filter(|line| line.starts_with(name)).count(), 1);
    }
    assert!(list.stderr.contains("b/one.yaml:1:7: `one` version 1.0.0 is defined in a/both.yaml"));
    let ran = place.run(&["run", "two", "message=hi", "--tools", "a"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "hi\n", ""));
}
