//! Laws over generated schemas: every provider takes what it is shown, and calls come back.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolsmith_core::ToolSpec;
use toolsmith_dialects::{
    Dialect, RenderSettings, Settings, ShownCall, Tools, parse, render_calls, render_tools,
};

use crate::{definitions, providers};

/// Names that one provider or another refuses.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,4}",
        prop::sample::select(vec![
            "观星阁",
            "$top",
            "filter[id]",
            "two words",
            "a.b",
            "a-b",
            "7",
            "",
            "@version",
            "<b>",
            "default",
            "enum",
            "title",
            "properties",
            "$ref",
            "a/b~c",
            "\"'",
            " x",
        ])
        .prop_map(str::to_owned),
        Just("n".repeat(128)),
    ]
}

/// A schema with the keywords that providers treat differently, some of them wrongly used.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!({}),
        json!(true),
        json!({"type": "string", "minLength": 1, "format": "uuid", "default": "x"}),
        json!({"type": "string", "format": "uri", "pattern": "^a"}),
        json!({"type": ["string", "null"], "title": "T"}),
        json!({"type": ["string", "null"], "enum": ["a"]}),
        json!({"type": ["string", "integer", "array"]}),
        json!({"type": "integer", "exclusiveMinimum": 0, "multipleOf": 2}),
        json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
        json!({"type": "null"}),
        json!({"type": "any"}),
        json!({"type": "dict"}),
        json!({"type": "string", "enum": ["a", ""]}),
        json!({"enum": [1, "a", null]}),
        json!({"enum": []}),
        json!({"const": {"观": 1}}),
        json!({"const": "x", "description": "always x"}),
        json!({"type": "array"}),
        json!({"type": "array", "items": [{"type": "string"}], "additionalItems": false}),
        json!({"type": "object"}),
        json!({"type": "object", "required": true}),
        json!({"type": "object", "required": ["ghost"], "properties": {"a": 5}}),
        json!({"$ref": "#/$defs/one", "description": "beside"}),
        json!({"$ref": "#/$defs/two"}),
        json!({"$ref": "#"}),
        json!({"$ref": "#/nowhere"}),
        json!({"$ref": "#/properties/a"}),
    ]);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let parts = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            object(inner.clone()),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            (parts.clone(), prop::sample::select(vec!["anyOf", "oneOf", "allOf"]))
                .prop_map(|(parts, key)| json!({key: parts, "description": "of several"})),
            inner.clone().prop_map(|not| json!({"not": not, "type": "string"})),
            (inner, parts).prop_map(|(others, parts)| {
                json!({"type": "object", "additionalProperties": others, "anyOf": parts})
            }),
        ]
    })
}

fn object(member: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    (prop::collection::vec((name(), member, any::<bool>()), 0..4), any::<Option<bool>>()).prop_map(
        |(members, others)| {
            let required: Vec<_> =
                members.iter().filter(|(.., is)| *is).map(|(name, ..)| name.clone()).collect();
            let properties: Map<_, _> =
                members.into_iter().map(|(name, schema, _)| (name, schema)).collect();
            let mut object =
                json!({"type": "object", "properties": properties, "required": required});
            if let Some(others) = others {
                object["additionalProperties"] = others.into();
            }
            object
        },
    )
}

/// A whole input schema, with definitions and now and then something odd at the top.
fn input() -> impl Strategy<Value = Value> {
    let odd = prop::sample::select(vec![
        json!({}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
        json!({"allOf": [{"$ref": "#/$defs/one"}]}),
        json!({"oneOf": [{"$ref": "#/$defs/one"}, {"$ref": "#/$defs/two"}]}),
        json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"not": {"required": ["a"]}}),
        json!({"type": "array"}),
        json!({"type": ["object", "null"]}),
        json!({"$ref": "#/$defs/two"}),
    ]);
    (object(schema()), odd, schema(), schema()).prop_map(|(mut object, odd, one, two)| {
        let fields = object.as_object_mut().unwrap();
        fields.extend(odd.as_object().unwrap().clone());
        fields.insert("$defs".to_owned(), json!({"one": one, "two": two}));
        object
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_provider_takes_what_it_is_shown(schema in input()) {
        let spec = ToolSpec::new("any.tool").unwrap().with_input_schema(&schema);
        for &dialect in Dialect::ALL {
            for &strict in definitions::strictness(dialect) {
                let settings = RenderSettings { strict, ..RenderSettings::default() };
                let shown = render_tools(dialect, &[&spec], &settings);
                let refusals = providers::refusals(dialect, &shown);
                prop_assert!(refusals.is_empty(), "{}\n{}", refusals.join("\n"), shown.text());
                definitions::check_changes(&shown, std::slice::from_ref(&spec), dialect);
            }
        }
    }

    #[test]
    fn calls_come_back_under_the_names_that_the_tool_knows(
        schema in input(),
        values in prop::collection::vec("[a-z]{0,3}", 4),
    ) {
        let spec = ToolSpec::new("any.tool").unwrap().with_input_schema(&schema);
        let names = schema["properties"].as_object().unwrap().keys();
        let arguments: Map<String, Value> = names.cloned().zip(values.into_iter().map(Value::from)).collect();
        let arguments = Value::Object(arguments);
        for &dialect in &[Dialect::OpenAiChat, Dialect::Anthropic, Dialect::Gemini, Dialect::Mcp, Dialect::Hermes] {
            for &strict in definitions::strictness(dialect) {
                let settings = RenderSettings { strict, ..RenderSettings::default() };
                let shown = render_tools(dialect, &[&spec], &settings);
                let tools = Tools::of_specs([&spec]).shown_as(&shown);
                let call = ShownCall { id: None, name: "any.tool", arguments: &arguments };
                let text = render_calls(dialect, &[call], &tools);
                let reply = parse(dialect, &text, &tools, &Settings::default());
                prop_assert_eq!(reply.calls.len(), 1);
                prop_assert_eq!(&reply.calls[0].name, "any.tool");
                prop_assert_eq!(&reply.calls[0].arguments, &arguments);
            }
        }
    }
}
