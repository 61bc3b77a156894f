//! The beginnings of definitions are definitions.

use std::path::Path;

use toolsmith_core::ToolName;
use toolsmith_definitions::{Definitions, Strictness, scaffold};

use crate::support::{Folder, engine, makers, vault};

#[test]
fn every_beginning_is_valid_without_a_warning() {
    let definitions =
        Definitions::open(Vec::new(), makers(), vault()).with_strictness(Strictness::Strict);
    for kind in scaffold::KINDS.into_iter().chain(["rest"]) {
        let files = scaffold::files(kind, &ToolName::new("my-tool").unwrap()).unwrap();
        let loaded = definitions.check(Path::new("t.yaml"), &files[0].text);
        assert_eq!(files[0].path, "my-tool.yaml");
        // Without its maker a type can only be warned about, which counts in strict mode.
        let problems = loaded.problems.iter().map(ToString::to_string);
        let problems: Vec<String> =
            problems.filter(|problem| !problem.contains("do not run in this version")).collect();
        assert_eq!(problems, [""; 0], "{kind}");
        let is_named = |tool: &toolsmith_core::Tool| tool.spec.name.as_str() == "my-tool";
        assert!(loaded.tools.first().is_none_or(is_named), "{kind}");
    }
    assert!(scaffold::files("nothing", &ToolName::new("a").unwrap()).is_none());
}

#[tokio::test]
async fn the_beginning_with_a_built_in_tool_runs_as_it_is() {
    let folder = Folder::new();
    for file in scaffold::files("builtin", &ToolName::new("mine").unwrap()).unwrap() {
        folder.write(&file.path, &file.text);
    }
    let engine = engine();
    folder.definitions().attach(&engine);
    let call = toolsmith_core::Call::new("mine", toolsmith_core::json!({"message": "hi"}));
    assert_eq!(engine.call(call).await.output()["message"], "hi");
}
