//! Real tool definitions keep to the limits of every provider.

use std::fs;

use serde_json::{Map, Value};
use toolsmith_core::ToolSpec;
use toolsmith_dialects::{Dialect, RenderSettings, Rendering, render_tools};
use toolsmith_testing::{fixtures, skip};

/// The keys of a schema that Gemini takes.
const GEMINI_KEYS: &str = "type format title description nullable enum default items minItems \
    maxItems properties required minimum maximum minLength maxLength pattern anyOf propertyOrdering";

#[test]
fn the_tools_of_real_servers_are_shown_within_the_limits_of_every_provider() {
    let Some(specs) = specs() else {
        return skip("there is no ../shared/data beside the project");
    };
    assert!(specs.len() > 100, "{} tools", specs.len());
    let tools: Vec<&ToolSpec> = specs.iter().collect();
    for &dialect in Dialect::ALL {
        let shown = render_tools(dialect, &tools, &RenderSettings::default());
        let text = shown.text();
        for tool in &tools {
            let name = shown.names.iter().find(|(_, real)| *real == tool.name);
            let name = name.map_or(tool.name.as_str(), |(name, _)| name);
            assert!(text.contains(name), "{dialect} does not show {name}");
            assert_eq!(shown.original(name), tool.name.as_str());
        }
        check(dialect, &shown);
        println!("{dialect}: {} tools, {} changes", tools.len(), shown.changes.len());
    }
}

fn check(dialect: Dialect, shown: &Rendering) {
    let (list, name, schema) = match dialect {
        Dialect::OpenAiChat => (&shown.content, "/function/name", "/function/parameters"),
        Dialect::OpenAiResponses => (&shown.content, "/name", "/parameters"),
        Dialect::Anthropic => (&shown.content, "/name", "/input_schema"),
        Dialect::Gemini => (&shown.content[0]["functionDeclarations"], "/name", "/parameters"),
        _ => return,
    };
    for tool in list.as_array().unwrap() {
        let name = tool.pointer(name).and_then(Value::as_str).unwrap();
        let is_gemini = dialect == Dialect::Gemini;
        let is_legal =
            |c: char| c.is_ascii_alphanumeric() || "_-".contains(c) || (is_gemini && c == '.');
        assert!((1..=64).contains(&name.len()) && name.chars().all(is_legal), "{name}");
        let Some(schema) = tool.pointer(schema) else {
            assert!(is_gemini, "{dialect} {name}");
            continue;
        };
        assert_eq!(schema["type"], "object", "{dialect} {name}");
        for key in ["anyOf", "oneOf", "allOf", "not", "enum"] {
            assert!(schema.get(key).is_none(), "{dialect} {name} has {key} at the top");
        }
        if dialect == Dialect::Anthropic {
            assert!(!schema.to_string().contains("\"$ref\""), "{name}");
        }
        if is_gemini {
            check_gemini(schema.as_object().unwrap(), name);
        }
    }
}

fn check_gemini(schema: &Map<String, Value>, name: &str) {
    for (key, value) in schema {
        assert!(GEMINI_KEYS.split_whitespace().any(|known| known == key), "{name} has {key}");
        let parts: Vec<&Value> = match key.as_str() {
            "properties" => value.as_object().unwrap().values().collect(),
            "anyOf" => value.as_array().unwrap().iter().collect(),
            "items" => vec![value],
            "type" => {
                assert!(value.is_string(), "{name}");
                continue;
            }
            _ => continue,
        };
        for part in parts {
            check_gemini(part.as_object().unwrap(), name);
        }
    }
}

fn specs() -> Option<Vec<ToolSpec>> {
    let folder = fixtures::shared()?.join("mcp-tools");
    let mut specs: Vec<ToolSpec> = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let document: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let lists = [document.pointer("/result/tools"), document.get("tools"), Some(&document)];
        let tools = lists.into_iter().flatten().find_map(Value::as_array).unwrap();
        for tool in tools {
            let name = tool["name"].as_str().unwrap();
            // Some servers share names, and one tool of a name is enough here.
            if let Ok(spec) = ToolSpec::new(name)
                && specs.iter().all(|known| known.name != spec.name)
            {
                let description = tool["description"].as_str().unwrap_or_default();
                specs.push(
                    spec.with_description(description).with_input_schema(&tool["inputSchema"]),
                );
            }
        }
    }
    Some(specs)
}
