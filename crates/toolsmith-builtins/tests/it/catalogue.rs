//! What holds for every tool, whatever it does.

use std::collections::HashSet;

use toolsmith_core::Work;

use crate::workbench::Workbench;

#[test]
fn the_built_in_tools_have_names_of_their_own() {
    let bench = Workbench::new();
    let names: HashSet<_> = bench.tools().iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names.len(), bench.tools().len());
    for name in [
        "base64_decode",
        "base64_encode",
        "calculator",
        "call_tool",
        "current_time",
        "delete_file",
        "echo",
        "edit_file",
        "get_env",
        "get_file_info",
        "glob_files",
        "hash_convert",
        "json_parse",
        "json_query",
        "json_stringify",
        "list_files",
        "move_file",
        "read_file",
        "search_files",
        "search_tools",
        "set_env",
        "sleep",
        "write_file",
    ] {
        assert!(names.contains(name), "{name}");
    }
}

#[test]
fn the_tools_without_settings_are_the_same_as_with_them() {
    let all = toolsmith_builtins::all().unwrap();
    let names: Vec<_> = all.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names, ["calculator", "echo", "call_tool", "search_tools"]);
}

#[test]
fn every_tool_is_described_for_models() {
    for tool in Workbench::new().tools() {
        let (spec, name) = (&tool.spec, &tool.spec.name);
        assert!(spec.title.is_some() && spec.description.len() > 20, "{name}");
        assert!(!spec.examples.is_empty(), "{name}");
        // What another tool gives back is described by that tool.
        let is_another = matches!(tool.work, Work::Indirect);
        assert!(spec.output_schema.is_some() || is_another, "{name}");
        assert!(!spec.tags.is_empty(), "{name}");
        assert_ne!(spec.category.as_str(), "custom", "{name}");
        let schema = spec.input_schema.to_value();
        assert_eq!(schema["additionalProperties"], false, "{name}");
        for (parameter, schema) in schema["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}.{parameter}");
        }
    }
}

#[tokio::test]
async fn every_example_gives_the_output_that_it_shows() {
    let names: Vec<String> =
        Workbench::new().tools().iter().map(|tool| tool.spec.name.to_string()).collect();
    for name in names {
        // Examples change files, so each one begins afresh.
        let examples = examples(&name, &Workbench::new());
        for example in examples {
            let output = Workbench::new().run(&name, example["input"].clone()).await.unwrap();
            assert_eq!(output, example["output"], "{name}");
        }
    }
}

/// Tools of the world outside show examples that cannot be repeated, and what a search finds
/// depends on what there is.
fn examples(name: &str, bench: &Workbench) -> Vec<toolsmith_core::Value> {
    let tool = bench.tools().iter().find(|tool| tool.spec.name.as_str() == name).unwrap();
    if tool.spec.annotations.open_world {
        return Vec::new();
    }
    let examples = tool.spec.examples.iter().map(toolsmith_core::JsonText::to_value);
    examples.filter(|example| example.get("output").is_some()).collect()
}

#[test]
fn file_tools_hold_a_thread_of_the_pool_and_not_the_callers() {
    for tool in Workbench::new().tools() {
        if tool.spec.category.as_str() == "file" {
            assert!(matches!(tool.work, Work::Blocking(_)), "{}", tool.spec.name);
        }
    }
}

#[test]
fn the_reference_shows_every_tool_with_its_parameters() {
    let bench = Workbench::new();
    let page = toolsmith_builtins::reference(bench.tools());
    for tool in bench.tools() {
        let name = &tool.spec.name;
        assert!(page.contains(&format!("\n### {name}\n")), "{name}");
        assert!(page.contains(&format!("[`{name}`](#{name})")), "{name}");
    }
    assert!(page.contains("| `path` | string | yes | The file, such as `notes/today.md`. |"));
    assert!(page.contains("One of `utf-8`, `base64`, `latin1`. Default: `utf-8`."), "{page}");
    assert!(page.contains("*Destructive, idempotent.*"), "{page}");
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let bars = line.replace("\\|", "").matches('|').count();
        assert!(bars == 4 || bars == 5, "{line}");
    }
}
