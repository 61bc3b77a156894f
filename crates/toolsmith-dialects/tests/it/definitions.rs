//! Real tool definitions keep to the limits of every provider, and XML is as it was first drawn.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;
use toolsmith_dialects::{
    Dialect, Language, RenderSettings, Rendering, Strict, Titles, instructions, render_tools,
};
use toolsmith_testing::{fixtures, skip};

use crate::{gold, providers};

#[test]
fn the_tools_of_real_servers_are_shown_within_the_limits_of_every_provider() {
    let Some(specs) = specs() else {
        return skip("there is no ../shared/data beside the project");
    };
    assert!(specs.len() > 100, "{} tools", specs.len());
    println!("{}", show(&specs).join("\n"));
}

#[test]
fn the_tools_of_bfcl_are_shown_within_the_limits_of_every_provider() {
    let Some(folder) = gold::data() else {
        return skip("BFCL is not installed; run ./test");
    };
    let rows = gold::SETS.iter().flat_map(|set| gold::rows(&folder, set));
    let mut known = BTreeSet::new();
    let mut specs = Vec::new();
    for (name, schema) in rows.flat_map(|row| row.tools) {
        if known.insert(name.clone()) {
            specs.push(ToolSpec::new(&name).unwrap().with_input_schema(&schema));
        }
    }
    assert!(specs.len() > 1_000, "{} tools", specs.len());
    println!("{}", show(&specs).join("\n"));
}

/// Shows tools in every dialect, strictly and not, checks what is shown, and returns figures.
fn show(specs: &[ToolSpec]) -> Vec<String> {
    let mut figures = Vec::new();
    let tools: Vec<&ToolSpec> = specs.iter().collect();
    for &dialect in Dialect::ALL {
        for &strict in strictness(dialect) {
            let settings = RenderSettings { strict, ..RenderSettings::default() };
            let shown = render_tools(dialect, &tools, &settings);
            let text = shown.text();
            // Looking for all of them in all of the text would take minutes.
            for tool in tools.iter().step_by(1 + tools.len() / 100) {
                let name = shown.shown(tool.name.as_str());
                assert!(text.contains(name), "{dialect} does not show {name}");
                assert_eq!(shown.original(name), tool.name.as_str());
            }
            let refusals = providers::refusals(dialect, &shown);
            assert!(refusals.is_empty(), "{}", refusals.join("\n"));
            let strict = shown
                .content
                .as_array()
                .into_iter()
                .flatten()
                .filter(|tool| tool["strict"] == true || tool["function"]["strict"] == true);
            figures.push(format!(
                "{dialect}: {} tools, {} strict, {} changes",
                tools.len(),
                strict.count(),
                shown.changes.len()
            ));
            check_changes(&shown, specs, dialect);
        }
    }
    figures
}

/// Returns the settings that make a difference in a dialect.
pub(crate) fn strictness(dialect: Dialect) -> &'static [Strict] {
    match dialect {
        Dialect::OpenAiChat | Dialect::OpenAiResponses => &[Strict::Off, Strict::On],
        _ => &[Strict::Off],
    }
}

/// Checks that every schema that is not shown as it is has a change that says so.
pub(crate) fn check_changes(shown: &Rendering, specs: &[ToolSpec], dialect: Dialect) {
    for change in &shown.changes {
        assert!(change.path.is_empty() || change.path.starts_with('/'), "{change:?}");
        assert!(!change.message.is_empty());
    }
    for (spec, (name, description, schema)) in
        specs.iter().zip(providers::shown_tools(dialect, shown))
    {
        let mut real = plain(&spec.input_schema.to_value());
        let mut seen = schema.map_or_else(|| json!({}), plain);
        // That the input is an object goes without saying.
        for schema in [&mut real, &mut seen] {
            schema["type"] = "object".into();
        }
        let is_same =
            real == seen && name == spec.name.as_str() && description == &*spec.description;
        let is_said = shown.changes.iter().any(|change| change.tool == spec.name.as_str());
        assert!(is_same || is_said, "{dialect} shows {name} otherwise and does not say so: {seen}");
    }
}

/// Returns a schema without titles and without lists that say nothing.
fn plain(schema: &Value) -> Value {
    match schema {
        Value::Array(members) => members.iter().map(plain).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, value)| match key.as_str() {
                "title" => !value.is_string(),
                "required" => **value != json!([]),
                "properties" => **value != json!({}),
                _ => true,
            })
            .map(|(key, value)| (key.clone(), plain(value)))
            .collect(),
        other => other.clone(),
    }
}

#[test]
fn a_tool_without_parameters_is_shown_in_every_dialect() {
    for schema in [json!({"type": "object"}), json!({"type": "object", "properties": {}})] {
        let spec = ToolSpec::new("now").unwrap().with_input_schema(&schema);
        for &dialect in Dialect::ALL {
            for strict in [Strict::Off, Strict::On] {
                let settings = RenderSettings { strict, ..RenderSettings::default() };
                let shown = render_tools(dialect, &[&spec], &settings);
                assert!(shown.text().contains("now"));
                assert_eq!(providers::refusals(dialect, &shown), Vec::<String>::new());
                let is_closed = |message: &str| message.starts_with("strict schemas are closed");
                assert!(shown.changes.iter().all(|change| is_closed(&change.message)));
            }
        }
    }
}

#[test]
fn more_tools_than_a_provider_takes_are_said() {
    let specs: Vec<_> = (0..129).map(|n| ToolSpec::new(&format!("t{n}")).unwrap()).collect();
    let shown = render_tools(
        Dialect::OpenAiChat,
        &specs.iter().collect::<Vec<_>>(),
        &RenderSettings::default(),
    );
    assert_eq!(shown.changes.len(), 1);
    assert_eq!(shown.changes[0].tool, "t128");
}

#[test]
fn long_descriptions_are_cut_and_that_is_said() {
    let spec = ToolSpec::new("long").unwrap().with_description("观".repeat(1_100));
    let shown = render_tools(Dialect::OpenAiChat, &[&spec], &RenderSettings::default());
    let description = shown.content[0]["function"]["description"].as_str().unwrap();
    assert_eq!(description.chars().count(), 1_024);
    assert!(shown.changes[0].message.contains("description"));
}

#[test]
fn the_functions_block_is_that_of_the_first_design() {
    let Some(design) = design() else {
        return skip("there is no ../shared/seeds beside the project");
    };
    let line = design.lines().find(|line| line.starts_with("<function>{")).unwrap();
    let spec = ToolSpec::new("check_availability")
        .unwrap()
        .with_description("检查会议室可用性")
        .with_input_schema(&json!({
            "type": "object",
            "properties": {
                "time": {"type": "string", "description": "时间范围"},
                "room": {"type": "string", "description": "会议室名称"},
            },
            "required": ["room", "time"],
        }));
    let settings = RenderSettings { titles: Titles::On, ..RenderSettings::default() };
    let shown = render_tools(Dialect::Xml, &[&spec], &settings);
    assert_eq!(shown.text(), format!("<functions>\n{line}\n</functions>"));
    assert_eq!(shown.changes, []);
}

#[test]
fn the_instructions_say_what_the_first_design_says() {
    let Some(design) = design() else {
        return skip("there is no ../shared/seeds beside the project");
    };
    let (_, rest) = design.split_once("<output_instructions>").unwrap();
    let (text, _) = rest.split_once("</output_instructions>").unwrap();
    let text = format!("<output_instructions>{text}</output_instructions>");
    assert_eq!(instructions(Language::Chinese), text);
    // The English text has the same lines, in the same order, with the same markup.
    let english = instructions(Language::English);
    assert_eq!(english.lines().count(), text.lines().count());
    let tags = |text: &str| text.matches(['<', '>', '-']).map(str::to_owned).collect::<Vec<_>>();
    for (line, other) in english.lines().zip(text.lines()) {
        assert_eq!(tags(line), tags(other), "{line}");
    }
}

fn design() -> Option<String> {
    let files = fs::read_dir(fixtures::seeds()?).unwrap().map(|file| file.unwrap());
    let file =
        files.into_iter().find(|file| file.file_name().to_string_lossy().starts_with("004"))?;
    Some(fs::read_to_string(file.path()).unwrap())
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
