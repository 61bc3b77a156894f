//! Schemas of real MCP servers, as they come.

use std::fs;

use toolsmith_core::{JsonText, Value};
use toolsmith_engine::schema::Schema;
use toolsmith_testing::{fixtures, skip};

/// Finds every schema of a tool, wherever the file keeps its tools.
fn schemas(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                let is_schema =
                    matches!(key.as_str(), "inputSchema" | "input_schema" | "outputSchema");
                if is_schema && inner.is_object() {
                    found.push(inner.clone());
                } else {
                    schemas(inner, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| schemas(item, found)),
        _ => {}
    }
}

#[test]
fn every_schema_of_real_servers_is_accepted_and_none_is_suspicious() {
    let Some(folder) = fixtures::shared().map(|shared| shared.join("mcp-tools")) else {
        return skip("there is no ../shared/data beside the project");
    };
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let mut found = Vec::new();
        schemas(&serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap(), &mut found);
        for schema in found {
            let text = JsonText::of(&schema);
            Schema::inspect(&text).unwrap_or_else(|error| panic!("{path:?}: {error}\n{schema}"));
            assert!(!Schema::compile(&text).unwrap().may_blow_up(), "{path:?}: {schema}");
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}
