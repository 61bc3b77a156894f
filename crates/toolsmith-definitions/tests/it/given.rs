//! The definitions that exist already load as they are.

use std::{fs, path::Path};

use toolsmith_core::{Call, ErrorKind, Kind, ToolSpec, json};
use toolsmith_definitions::Definitions;
use toolsmith_engine::Engine;
use toolsmith_testing::{fixtures, skip};

use crate::support::{Folder, makers, vault};

#[test]
fn the_five_files_of_the_old_engine_load_as_they_are() {
    let Some(shared) = fixtures::shared() else {
        return skip("there is no ../shared/data beside the project");
    };
    let definitions = Definitions::open(vec![shared.join("engine-yaml")], makers(), vault());
    let loaded = definitions.load();
    assert_eq!(loaded.problems, []);
    let kinds: Vec<(&str, Kind)> =
        loaded.tools.iter().map(|tool| (tool.spec.name.as_str(), tool.spec.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("file_reader", Kind::Stateless),
            ("http_request", Kind::Rest),
            ("json_transformer", Kind::Javascript),
            ("llm_call", Kind::Stateless),
            ("text_analyzer", Kind::Stateless),
        ]
    );
    let spec = |name: &str| -> &ToolSpec {
        &loaded.tools.iter().find(|tool| tool.spec.name.as_str() == name).unwrap().spec
    };
    assert_eq!(spec("json_transformer").output_schema, None);
    let input = spec("http_request").input_schema.to_value();
    assert_eq!(input["properties"]["method"]["enum"][4], "PATCH");
    assert_eq!(input["required"], json!(["url", "method"]));
    assert_eq!(
        spec("file_reader").input_schema.to_value()["properties"]["encoding"]["default"],
        "utf-8"
    );
}

#[tokio::test]
async fn a_handler_that_nobody_registered_is_found_missing_by_the_call() {
    let Some(shared) = fixtures::shared() else {
        return skip("there is no ../shared/data beside the project");
    };
    let engine = Engine::builder().build().unwrap();
    let definitions = Definitions::open(vec![shared.join("engine-yaml")], makers(), vault());
    assert_eq!(definitions.attach(&engine).added.len(), 5);
    let outcome = engine.call(Call::new("text_analyzer", json!({"text": "a"}))).await;
    assert_eq!(outcome.result.unwrap_err().kind(), ErrorKind::ExecutorNotFound);
    let outcome = engine.call(Call::new("text_analyzer", json!({}))).await;
    assert_eq!(outcome.result.unwrap_err().kind(), ErrorKind::ValidationError);
}

#[test]
fn the_example_of_the_original_document_loads_as_it_is() {
    let Some(text) = fixtures::seeds().and_then(|seeds| example(&seeds)) else {
        return skip("there is no ../shared/seeds beside the project");
    };
    let folder = Folder::new();
    folder.write("http_request.yaml", &text);
    let loaded = folder.definitions().load();
    assert_eq!(loaded.problems, []);
    let spec = &loaded.tools[0].spec;
    assert_eq!(spec.tags.len(), 3);
    let properties = &spec.input_schema.to_value()["properties"];
    assert_eq!(properties["url"]["pattern"], "^https?://");
    assert_eq!(properties["method"]["default"], "GET");
    assert_eq!(properties["timeout"]["maximum"], 300);
    let output = spec.output_schema.as_ref().unwrap().to_value();
    assert_eq!(
        output,
        json!({"type": "object", "properties": {
            "status_code": {"type": "integer"}, "headers": {"type": "object"}, "body": {}
        }})
    );
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
