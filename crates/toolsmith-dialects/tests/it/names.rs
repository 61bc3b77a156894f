//! Names that a provider does not allow go there and come back, through the whole parser.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;
use toolsmith_dialects::{
    Dialect, Event, Parser, RenderSettings, Rendering, Settings, ShownCall, Strict, Tools, parse,
    render_calls, render_tools,
};

/// Tools whose names and parameters one provider or another refuses.
fn specs() -> Vec<ToolSpec> {
    let schema = json!({
        "type": "object",
        "properties": {
            "会议室": {"type": "string"},
            "$top": {"type": "integer"},
            "filter[id]": {"type": "array", "items": {"type": "string"}},
            "7": {"type": "boolean"},
            "@version": {"type": "string"},
            "two words": {"type": "string"},
            "<b>": {"type": "number"},
            "where": {
                "type": "object",
                "properties": {"a.b": {"type": "integer"}, "楼": {"type": "string"}},
                "required": ["楼"],
            },
            ("n".repeat(128)): {"type": "string"},
        },
        "required": ["会议室", "where"],
    });
    let names = ["file.write", "7zip", "-v", "plain", &"x.".repeat(32)];
    names.iter().map(|name| ToolSpec::new(name).unwrap().with_input_schema(&schema)).collect()
}

fn arguments() -> Value {
    json!({
        "会议室": "观星阁",
        "$top": 5,
        "filter[id]": ["a"],
        "7": true,
        "@version": "1.2",
        "two words": "a b",
        "<b>": 1.5,
        "where": {"a.b": 1, "楼": "三", "other": null},
        ("n".repeat(128)): "long",
    })
}

fn show(dialect: Dialect, strict: Strict) -> (Rendering, Tools) {
    let specs = specs();
    let settings = RenderSettings { strict, ..RenderSettings::default() };
    let shown = render_tools(dialect, &specs.iter().collect::<Vec<_>>(), &settings);
    let tools = Tools::of_specs(&specs).shown_as(&shown);
    (shown, tools)
}

#[test]
fn calls_carry_the_names_that_the_tools_know_in_every_dialect() {
    let (specs, arguments) = (specs(), arguments());
    let calls: Vec<_> = specs
        .iter()
        .map(|spec| ShownCall { id: None, name: spec.name.as_str(), arguments: &arguments })
        .collect();
    for &dialect in Dialect::ALL {
        for strict in [Strict::Off, Strict::On] {
            let (shown, tools) = show(dialect, strict);
            let text = render_calls(dialect, &calls, &tools);
            for (name, real) in &shown.names {
                assert!(text.contains(name.as_str()), "{dialect} does not write {name}");
                assert!(!text.contains(&format!("\"{real}\"")), "{dialect} writes {real}");
            }
            let found = if dialect == Dialect::LlamaPython { dialect } else { Dialect::Auto };
            for reader in [dialect, found] {
                let reply = parse(reader, &text, &tools, &Settings::default());
                let read: Vec<_> =
                    reply.calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
                let real: Vec<_> = calls.iter().map(|call| (call.name, call.arguments)).collect();
                assert_eq!(read, real, "{dialect} read as {reader}: {text}");
            }
        }
    }
}

#[test]
fn events_carry_the_names_that_the_tools_know() {
    let arguments = arguments();
    for dialect in [Dialect::Xml, Dialect::QwenCoder, Dialect::Glm, Dialect::Anthropic] {
        let (_, tools) = show(dialect, Strict::Off);
        let call = ShownCall { id: None, name: "file.write", arguments: &arguments };
        let text = render_calls(dialect, &[call], &tools);
        let mut parser = Parser::new(dialect, tools, Settings::default());
        let mut events = Vec::new();
        for c in text.chars() {
            let piece = c.to_string();
            events.extend(parser.push(&piece).into_iter().map(Event::into_owned));
        }
        events.extend(parser.finish());
        for event in events {
            match event {
                Event::CallStart { name, .. } => assert_eq!(name, "file.write"),
                Event::Arguments { parameter: Some(name), .. } => {
                    assert!(arguments.get(&*name).is_some(), "{dialect} streams {name}");
                }
                Event::CallEnd { call, .. } => {
                    assert_eq!((&*call.name, &call.arguments), ("file.write", &arguments));
                }
                _ => {}
            }
        }
    }
}

#[test]
fn a_name_that_was_made_to_meet_another_is_not_mistaken_for_it() {
    let dotted = ToolSpec::new("pay.now").unwrap();
    let alone = render_tools(Dialect::OpenAiChat, &[&dotted], &RenderSettings::default());
    let meets = ToolSpec::new(alone.shown("pay.now")).unwrap();
    for pair in [[&dotted, &meets], [&meets, &dotted]] {
        let shown = render_tools(Dialect::OpenAiChat, &pair, &RenderSettings::default());
        let tools = Tools::of_specs(pair).shown_as(&shown);
        assert_eq!(shown.shown(meets.name.as_str()), meets.name.as_str());
        let arguments = json!({});
        let calls = pair.map(|spec| ShownCall {
            id: None,
            name: spec.name.as_str(),
            arguments: &arguments,
        });
        let text = render_calls(Dialect::OpenAiChat, &calls, &tools);
        let reply = parse(Dialect::OpenAiChat, &text, &tools, &Settings::default());
        let names: Vec<_> = reply.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, pair.map(|spec| spec.name.as_str()));
    }
}

#[test]
fn tools_that_are_shown_as_they_are_stay_the_same_tools() {
    let spec = ToolSpec::new("plain").unwrap();
    let shown = render_tools(Dialect::Anthropic, &[&spec], &RenderSettings::default());
    let text = r#"[{"type": "tool_use", "id": "1", "name": "plain", "input": {"__a_123456": 1}}]"#;
    let tools = Tools::of_specs([&spec]).shown_as(&shown);
    let reply = parse(Dialect::Anthropic, text, &tools, &Settings::default());
    assert_eq!(reply.calls[0].arguments, json!({"__a_123456": 1}));
}

#[test]
fn a_strict_definition_makes_nulls_that_are_left_out_again() {
    let spec = ToolSpec::new("book").unwrap().with_input_schema(&json!({
        "type": "object",
        "properties": {
            "room": {"type": "string"},
            "seats": {"type": "integer", "minimum": 1, "default": 4},
            "note": {"type": ["string", "null"]},
            "how": {"enum": ["a", "b"]},
            "guests": {"type": "array", "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "mail": {"type": "string"}},
                "required": ["name"],
            }},
        },
        "required": ["room"],
    }));
    let settings = RenderSettings { strict: Strict::On, ..RenderSettings::default() };
    let shown = render_tools(Dialect::OpenAiResponses, &[&spec], &settings);
    assert_eq!(
        shown.content[0],
        json!({
            "type": "function",
            "name": "book",
            "description": "",
            "strict": true,
            "parameters": {
                "type": "object",
                "properties": {
                    "room": {"type": "string"},
                    "seats": {"type": ["integer", "null"], "minimum": 1, "description": "default: 4."},
                    "note": {"type": ["string", "null"]},
                    "how": {"type": ["string", "null"], "enum": ["a", "b", null]},
                    "guests": {"type": ["array", "null"], "items": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "mail": {"type": ["string", "null"]}},
                        "required": ["name", "mail"],
                        "additionalProperties": false,
                    }},
                },
                "required": ["room", "seats", "note", "how", "guests"],
                "additionalProperties": false,
            },
        })
    );
    let paths: Vec<_> = shown.changes.iter().map(|change| change.path.as_str()).collect();
    assert!(paths.contains(&"/properties/guests/items/properties/mail"), "{paths:?}");
    let tools = Tools::of_specs([&spec]).shown_as(&shown);
    let written = json!({
        "room": "观星阁", "seats": null, "note": null, "how": null,
        "guests": [{"name": "a", "mail": null}, {"name": "b", "mail": "b@c"}],
    });
    let item = json!({"type": "function_call", "call_id": "1", "name": "book", "arguments": written.to_string()});
    let text = json!({"object": "response", "output": [item]}).to_string();
    let reply = parse(Dialect::OpenAiResponses, &text, &tools, &Settings::default());
    let guests = json!([{"name": "a"}, {"name": "b", "mail": "b@c"}]);
    assert_eq!(reply.calls[0].arguments, json!({"room": "观星阁", "note": null, "guests": guests}));
}

#[test]
fn a_schema_that_cannot_be_strict_is_shown_without_and_that_is_said() {
    for (schema, path) in [
        (json!({"type": "object"}), "/properties/x"),
        (json!({"type": "object", "additionalProperties": {"type": "string"}}), "/properties/x"),
        (json!({}), "/properties/x"),
        (json!({"$ref": "#"}), "/properties/x/properties/x"),
        (json!({"enum": (0..1_001).collect::<Vec<_>>()}), ""),
    ] {
        let spec = ToolSpec::new("free").unwrap().with_input_schema(&json!({
            "type": "object", "properties": {"x": schema}, "required": ["x"],
        }));
        let settings = RenderSettings { strict: Strict::On, ..RenderSettings::default() };
        let shown = render_tools(Dialect::OpenAiResponses, &[&spec], &settings);
        assert_eq!(shown.content[0]["strict"], false, "{schema}");
        let said =
            shown.changes.iter().find(|change| change.message.contains("without strictness"));
        assert_eq!(said.unwrap().path, path, "{schema}");
    }
}
