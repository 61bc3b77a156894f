//! Old registries in JSON: there and back.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolsmith_core::{Group, ToolSpec};
use toolsmith_definitions::{
    Loaded,
    json_registry::{Exported, Files, Offered, export, import},
    yaml,
};

use crate::support::Folder;

fn stay(path: &str) -> String {
    path.to_owned()
}

fn files() -> Files {
    Files {
        registry: json!({"tools": [
            {
                "tool_id": "image_stitcher", "name": "图片拼接工具", "description": "将多张图片拼接成一张",
                "category": "cv", "backend_runtime": "local", "group_ids": ["images"],
                "input_schema": {"type": "object", "properties": {"files": {"type": "array"}}},
                "output_schema": {}, "stream_support": false, "status": "active",
                "tool_slug_ids": ["comfyui"]
            },
            {"tool_id": "launch env", "name": "Launch", "status": "inactive", "stream_support": true}
        ]}),
        sources: json!({
            "image_stitcher": {"sources": [{
                "type": "local", "host_dir": "tools/local/image_stitcher", "endpoint_path": "/",
                "http_method": "POST", "internal_port": 0
            }], "active_source": 0},
            "launch env": [
                {"type": "docker", "image": "comfy:1", "internal_port": 8188, "gpu": true},
                {"type": "remote", "endpoint_path": "https://api.example/run", "http_method": "post"}
            ],
            "nobody": []
        }),
        groups: json!({"images": {"name": "Images", "tool_ids": ["image_stitcher", "launch env"]}}),
    }
}

/// Loads definitions as though somebody had written them.
fn load(definitions: &[Value], groups: &[Value]) -> (Folder, Loaded) {
    let folder = Folder::new();
    for definition in definitions {
        let name = definition["name"].as_str().unwrap();
        folder.write(&format!("{name}.tool.yaml"), &yaml::write(definition));
    }
    folder.write("groups.yaml", &yaml::write(&Value::Array(groups.to_vec())));
    let loaded = folder.definitions().load();
    (folder, loaded)
}

fn export_all(definitions: &[Value], loaded: &Loaded) -> Exported {
    let find = |spec: &ToolSpec| {
        definitions.iter().find(|definition| definition["name"] == spec.name.as_str()).unwrap()
    };
    let offered = loaded.tools.iter().map(|tool| Offered {
        spec: &tool.spec,
        definition: find(&tool.spec),
        rebase: &stay,
    });
    let groups: &[Group] = &loaded.groups;
    export(offered, groups)
}

#[test]
fn a_registry_becomes_definitions_and_what_has_no_place_is_listed() {
    let imported = import(&files(), &|path| format!("../{path}"));
    assert_eq!(
        imported.definitions,
        [
            json!({
                "name": "image_stitcher", "title": "图片拼接工具",
                "description": "将多张图片拼接成一张", "category": "cv", "groups": ["images"],
                "input_schema": {"type": "object", "properties": {"files": {"type": "array"}}},
                "entry": {
                    "type": "process", "dir": "../tools/local/image_stitcher",
                    "endpoint_path": "/", "http_method": "POST"
                }
            }),
            json!({
                "name": "launch_env", "title": "Launch", "stream_support": true, "enabled": false,
                "sources": [
                    {"type": "docker", "image": "comfy:1", "internal_port": 8188},
                    {"type": "remote", "url": "https://api.example", "endpoint_path": "/run",
                     "http_method": "POST"}
                ],
                "active_source": 0
            }),
        ]
    );
    let group = json!({"group_id": "images", "name": "Images", "tool_ids": ["image_stitcher", "launch_env"]});
    assert_eq!(imported.groups, [group]);
    assert_eq!(
        imported.warnings,
        ["`launch env` is no name for a tool; it was called `launch_env`"]
    );
    let left: Vec<&str> = imported.unmapped.iter().map(|left| left.operation.as_str()).collect();
    assert_eq!(
        left,
        ["image_stitcher: tool_slug_ids", "launch env: sources[0].gpu", "sources.json: nobody"]
    );
    let (folder, loaded) = load(&imported.definitions, &imported.groups);
    assert_eq!(folder.shown(&loaded.problems), [""; 0]);
    assert_eq!(loaded.tools.len(), 2);
}

#[test]
fn lists_maps_and_routes_are_understood() {
    let tool = json!({"tool_id": "a", "name": "A"});
    let route = json!({"tool_id": "a", "sources": [{"type": "remote", "url": "http://x"}], "active_source": 0, "state": "running", "pid": 3});
    for registry in [
        json!([tool]),
        json!({"a": {"name": "A"}}),
        json!({"tools": {"a": {"name": "A"}}}),
        tool.clone(),
    ] {
        for sources in [
            json!([route]),
            json!({"a": route}),
            json!({"sources": {"a": route["sources"]}}),
            json!({"routes": [route]}),
            route.clone(),
        ] {
            let files = Files { registry: registry.clone(), sources, groups: Value::Null };
            let imported = import(&files, &stay);
            assert_eq!(imported.definitions.len(), 1, "{files:?}");
            assert_eq!(
                imported.definitions[0]["entry"],
                json!({"type": "remote", "url": "http://x"}),
                "{files:?}"
            );
            assert_eq!(
                (imported.warnings.len(), imported.unmapped.len()),
                (0, 0),
                "{files:?} {imported:?}"
            );
        }
    }
}

#[test]
fn no_text_of_a_registry_becomes_a_variable_and_no_identifier_is_lost() {
    let registry = json!([
        {"tool_id": "a", "name": "${KEY}", "description": "costs ${KEY} a day", "input_schema":
         {"type": "object", "properties": {"x": {"type": "string", "default": "${KEY}"}}}},
        {"tool_id": "中文工具", "name": "中文"}, {"tool_id": "工具"}
    ]);
    let groups = json!([{"group_id": "${KEY}", "name": "${KEY}", "tool_ids": ["a"]}]);
    let files = Files { registry: registry.clone(), groups, ..Files::default() };
    let imported = import(&files, &stay);
    assert_eq!(imported.unmapped, []);
    let (_folder, loaded) = load(&imported.definitions, &imported.groups);
    assert_eq!((&*loaded.groups[0].group_id, &*loaded.groups[0].name), ("${KEY}", "${KEY}"));
    let back = export_all(&imported.definitions, &loaded).files.registry;
    for key in ["tool_id", "name", "description", "input_schema"] {
        assert_eq!(back["tools"][0][key], registry[0][key]);
    }
    let names = |key: &str| [&back["tools"][1][key], &back["tools"][2][key]].map(Value::clone);
    assert_eq!(names("tool_id"), ["tool", "tool_2"]);
    assert_eq!(names("name"), ["中文", "工具"]);
}

#[test]
fn there_and_back_and_there_again_is_the_same() {
    let first = import(&files(), &stay);
    let (_folder, loaded) = load(&first.definitions, &first.groups);
    let there = export_all(&first.definitions, &loaded).files;
    let again = import(&there, &stay);
    assert_eq!((again.warnings.len(), again.unmapped.len()), (0, 0), "{again:?}");
    let (_folder, loaded) = load(&again.definitions, &again.groups);
    assert_eq!(export_all(&again.definitions, &loaded).files, there);
    assert_eq!(there.registry["tools"][0], {
        let mut tool = files().registry["tools"][0].clone();
        tool.as_object_mut().unwrap().remove("tool_slug_ids");
        tool
    });
    assert_eq!(there.sources["image_stitcher"], files().sources["image_stitcher"]);
}

fn sources() -> impl Strategy<Value = Value> {
    let text = "[a-z0-9/_.:-]{0,12}";
    let source = prop_oneof![
        (text, text).prop_map(|(dir, path)| json!({"type": "local", "host_dir": dir, "endpoint_path": path})),
        (text, any::<u16>()).prop_map(|(image, port)| json!({"type": "docker", "image": image, "internal_port": port})),
        (text, text).prop_map(|(url, path)| json!({"type": "remote", "url": url, "endpoint_path": path, "http_method": "get"})),
        text.prop_map(|path| json!({"type": "remote", "endpoint_path": format!("https://{path}")})),
    ];
    let list = prop::collection::vec(source, 0..4);
    (list, 0..6).prop_map(|(list, active)| json!({"sources": list, "active_source": active}))
}

fn registries() -> impl Strategy<Value = Files> {
    let id = "[a-c ./é-]{0,4}";
    let schema = prop::sample::select(vec![
        json!({}),
        json!({"type": "object", "properties": {"x": {"type": "string", "minLength": 2}}, "required": ["x"]}),
        json!({"type": "object", "additionalProperties": false}),
        json!({"description": "anything"}),
    ]);
    let tool = (
        id,
        "\\PC{0,8}",
        "\\PC{0,20}",
        schema.clone(),
        schema,
        any::<bool>(),
        prop::collection::vec("[a-b]", 0..3),
        sources(),
    );
    let tools = prop::collection::vec(tool, 0..6);
    let groups = prop::collection::vec(("[a-b]", prop::collection::vec(id, 0..4)), 0..3);
    (tools, groups).prop_map(|(tools, groups)| {
        let mut registry = Vec::new();
        let mut sources = serde_json::Map::new();
        for (id, name, description, input, output, flag, groups, route) in tools {
            registry.push(json!({
                "tool_id": id, "name": name, "description": description, "input_schema": input,
                "output_schema": output, "stream_support": flag, "group_ids": groups,
                "status": if flag { "active" } else { "off" },
            }));
            sources.insert(id, route);
        }
        let groups: Vec<Value> = groups
            .into_iter()
            .map(|(id, tools)| json!({"group_id": id, "tool_ids": tools}))
            .collect();
        Files { registry: registry.into(), sources: sources.into(), groups: groups.into() }
    })
}

fn anything() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "tools",
        "tool_id",
        "name",
        "sources",
        "active_source",
        "type",
        "local",
        "host_dir",
        "group_ids",
        "groups",
        "group_id",
        "tool_ids",
        "input_schema",
        "",
        "../../x",
        "routes",
        "status",
        "endpoint_path",
        "a",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        key.clone().prop_map(Value::from),
        Just(json!("https://")),
    ];
    leaf.prop_recursive(5, 50, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key.clone().prop_map(String::from), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_registry_goes_there_and_back(files in registries()) {
        let first = import(&files, &stay);
        let (folder, loaded) = load(&first.definitions, &first.groups);
        prop_assert_eq!(folder.shown(&loaded.problems), Vec::<String>::new());
        prop_assert_eq!(loaded.tools.len(), first.definitions.len());
        let there = export_all(&first.definitions, &loaded).files;
        let again = import(&there, &stay);
        let (_folder, loaded) = load(&again.definitions, &again.groups);
        let back = export_all(&again.definitions, &loaded).files;
        prop_assert_eq!(back, there);
    }

    #[test]
    fn nothing_makes_an_import_panic(registry in anything(), sources in anything(), groups in anything()) {
        let imported = import(&Files { registry, sources, groups }, &stay);
        for definition in &imported.definitions {
            let name = definition["name"].as_str().unwrap();
            prop_assert!(!name.is_empty() && !name.contains('/') && !name.starts_with('.'), "{}", name);
        }
    }
}
