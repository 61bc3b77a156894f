//! Old registries in TOML load as they are, with their mistakes put right.

use std::fs;

use toolsmith_core::{ErrorKind, Kind, Tool};
use toolsmith_definitions::{Definitions, Loaded, yaml};
use toolsmith_testing::{fixtures, skip};

use crate::support::{Folder, call, engine, makers, said, vault};

const REGISTRY: &str = r#"
[tool_types.builtin]
class_path = "a.b:C"
config_directory = "builtin"
config_files = ["echo.toml"]

[tool_types.rest]
config_directory = "rest"
config_files = ["weather.toml"]
"#;

const ECHO: &str = r#"name = "echo"
tool_type = "builtin"
description = "Says it again."
function_path = "src.tools.native.echo:echo"
timeout = 10
"#;

const WEATHER: &str = r#"name = "weather"
tool_type = "rest"
description = "The weather of a city."
api_url = "https://api.example/weather"
method = "get"
auth_method = "api_key"
api_key = "${KEY}"
timeout = 15

[headers]
User-Agent = "Agent/1.0"

retry_count = 3
retry_delay = 1.5

[rate_limit]
requests_per_minute = 30

[parameters_schema]
type = "object"

[parameters_schema.properties]
q = { type = "string", description = "City" }

parameters_schema.required = ["q"]

[metadata]
category = "weather"
tags = ["sky"]
documentation_url = "https://api.example"
"#;

fn old() -> Folder {
    let folder = Folder::new();
    folder.write("__registry__.toml", REGISTRY);
    folder.write("builtin/echo.toml", ECHO);
    folder.write("rest/weather.toml", WEATHER);
    folder
}

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.tools.iter().map(|tool| tool.spec.name.as_str()).collect()
}

fn find<'a>(loaded: &'a Loaded, name: &str) -> &'a Tool {
    loaded.tools.iter().find(|tool| tool.spec.name.as_str() == name).unwrap()
}

#[test]
fn the_sample_loads_as_it_is() {
    let Some(shared) = fixtures::shared() else {
        return skip("there is no ../shared/data beside the project");
    };
    let root = shared.join("legacy-toml/tools");
    let definitions = Definitions::open(vec![root.clone()], makers(), vault());
    let loaded = definitions.load();
    assert_eq!(loaded.problems, []);
    let kinds: Vec<(&str, Kind)> =
        loaded.tools.iter().map(|tool| (tool.spec.name.as_str(), tool.spec.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("calculator", Kind::Stateless),
            ("database_query", Kind::Mcp),
            ("duckduckgo_search", Kind::Rest),
            ("fetch", Kind::Rest),
            ("hash_convert", Kind::Stateless),
            ("sequentialthinking", Kind::Stateful),
            ("time_tool", Kind::Stateless),
            ("weather", Kind::Rest),
        ]
    );
    for tool in &loaded.tools {
        let schema = tool.spec.input_schema.to_value();
        assert!(schema["required"].is_array(), "{}: {schema}", tool.spec.name);
        assert!(schema["properties"].get("parameters_schema").is_none());
    }
    let weather = &find(&loaded, "weather").spec;
    assert_eq!(weather.retry.as_ref().unwrap().max_retries, 3);
    assert_eq!(weather.category.as_str(), "weather");
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    let has = |file: &str, said: &str| {
        let fits = |warning: &&String| warning.contains(file) && warning.contains(said);
        assert!(warnings.iter().any(|warning| fits(&warning)), "{file} {said}: {warnings:#?}");
    };
    has("rest/weather.toml:17:1: headers: `retry_count`", "it was read as `retry_count`");
    has("calculator.toml:17:1:", "it was read as `parameters_schema.required`");
    has(
        "__registry__.toml",
        "the group `advanced_tools` has a member `database`, which is not there",
    );
    let groups: Vec<(&str, usize)> =
        loaded.groups.iter().map(|group| (&*group.group_id, group.tool_ids.len())).collect();
    assert_eq!(groups, [("advanced_tools", 4), ("basic_tools", 4)]);
    let by_file = Definitions::open(vec![root.join("__registry__.toml")], makers(), vault()).load();
    assert_eq!(names(&by_file), names(&loaded));
}

#[tokio::test]
async fn functions_are_served_by_tools_of_their_name_or_not_at_all() {
    let folder = old();
    folder.write(
        "native/sum.toml",
        "name = 'sum'\ntool_type = 'native'\nfunction_path = 'src.x:adder'\n",
    );
    folder.write("native/lost.toml", "name = 'lost'\nfunction_path = 'src.x:nobody'\n");
    let more = "\n[tool_types.native]\nconfig_files = ['sum.toml', 'lost.toml']\n";
    folder.write("__registry__.toml", &format!("{REGISTRY}{more}"));
    let (engine, definitions) = (engine(), folder.definitions());
    let loaded = definitions.attach(&engine);
    assert_eq!(loaded.problems, []);
    assert_eq!(said(&engine, "sum").await, "\"built in\"");
    let lost = call(&engine, "lost").await.result.unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::ExecutorNotFound);
    let shown = folder.shown(&loaded.warnings);
    assert!(
        shown
            .iter()
            .any(|warning| warning.starts_with("native/lost.toml:1:1: `tool_type` is missing"))
    );
}

#[test]
fn swallowed_keys_are_put_back_and_told() {
    let folder = old();
    let loaded = folder.definitions().load();
    assert_eq!(
        folder.shown(&loaded.warnings),
        [
            "rest/weather.toml:13:1: headers: `retry_count` stands below `[headers]`, to which it \
             belongs in TOML; it was read as `retry_count`: move the line above that heading",
            "rest/weather.toml:14:1: headers: `retry_delay` stands below `[headers]`, to which it \
             belongs in TOML; it was read as `retry_delay`: move the line above that heading",
            "rest/weather.toml:25:1: parameters_schema.properties.parameters_schema: \
             `parameters_schema.required` stands below `[parameters_schema.properties]`, to which it \
             belongs in TOML; it was read as `parameters_schema.required`: move the line above that \
             heading",
        ]
    );
    let spec = &find(&loaded, "weather").spec;
    assert_eq!(spec.input_schema.to_value()["required"][0], "q");
    let retry = spec.retry.as_ref().unwrap();
    assert_eq!((retry.max_retries, retry.delay.as_millis()), (3, 1_500));
    assert_eq!(spec.rate_limit.as_ref().unwrap().calls, 30);
    assert!(spec.annotations.read_only && spec.annotations.open_world);
    assert_eq!(&*spec.tags[0], "sky");
}

#[test]
fn other_keys_in_the_wrong_table_are_put_back_too() {
    let folder = old();
    let text = "name = 'echo'\n[metadata]\ncategory = 'x'\nenabled = false\n[parameters_schema]\ntype \
                = 'object'\n[parameters_schema.properties.a]\ntype = 'string'\nrequired = \
                ['a']\n[parameters_schema.properties]\ntimeout = 7\nb = { type = 'string' }\n";
    folder.write("builtin/echo.toml", text);
    let loaded = folder.definitions().load();
    assert_eq!(folder.shown(&loaded.problems), [""; 0]);
    let spec = &find(&loaded, "echo").spec;
    assert!(!spec.enabled);
    assert_eq!(spec.timeout.unwrap().as_secs(), 7);
    let schema = spec.input_schema.to_value();
    assert_eq!(schema["required"][0], "a");
    assert_eq!(schema["properties"].as_object().unwrap().len(), 2);
    folder.write("__registry__.toml", &format!("{REGISTRY}\ntool_sets.all.tools = ['echo']\n"));
    let loaded = folder.definitions().load();
    assert_eq!(loaded.groups.len(), 1, "{:?}", loaded.warnings);
}

#[test]
fn folders_and_files_that_are_called_otherwise_are_found() {
    let folder = Folder::new();
    let registry = "[tool_types.builtin]\nconfig_directory = 'builtin'\nconfig_files = \
                    ['e-cho.toml', 'gone.toml', '../../outside.toml']\n[tool_types.rest]\n\
                    config_directory = 'web'\nconfig_files = ['weather.toml']\n[tool_types.mcp]\n\
                    config_directory = '/etc'\nconfig_files = ['x.toml']\n";
    folder.write("tools/__registry__.toml", registry);
    folder.write("tools/Builtin_Tools/echo.toml", ECHO);
    folder.write("tools/apis/weather.toml", WEATHER);
    folder.write("outside.toml", "name = 'outside'\ntool_type = 'builtin'\n");
    let loaded = folder.definitions().load();
    assert_eq!(folder.shown(&loaded.problems), [""; 0]);
    assert_eq!(names(&loaded), ["echo", "weather"]);
    let shown = folder.shown(&loaded.warnings);
    for expected in [
        "tools/__registry__.toml:2:20: `builtin`: there is no such folder; `Builtin_Tools` was taken \
         for it",
        "tools/__registry__.toml:3:17: `e-cho.toml`: there is no such file; `Builtin_Tools/echo.toml` \
         was taken for it",
        "tools/__registry__.toml:3:31: `gone.toml`: there is no such file: nothing was loaded for it",
        "tools/__registry__.toml:3:44: `../../outside.toml`: leads out of the folder of the registry: \
         it is not read",
        "tools/__registry__.toml:5:20: `web`: there is no such folder; `apis` was taken for it",
        "tools/__registry__.toml:8:20: `/etc`: leads out of the folder of the registry: nothing is \
         read there",
    ] {
        assert!(shown.contains(&expected.to_owned()), "{expected}\n{shown:#?}");
    }
}

#[test]
fn discovery_and_switches_of_the_registry_are_honoured() {
    let folder = old();
    folder.write("more/found.toml", &ECHO.replace("\"echo\"", "\"found\""));
    folder.write("more/test_x.toml", &ECHO.replace("\"echo\"", "\"tested\""));
    let found = |extra: &str| {
        folder.write("__registry__.toml", &format!("{REGISTRY}{extra}"));
        let loaded = folder.definitions().load();
        let found: Vec<(String, bool)> = loaded
            .tools
            .iter()
            .map(|tool| (tool.spec.name.to_string(), tool.spec.enabled))
            .collect();
        (found, loaded.groups.len())
    };
    let named = vec![("echo".to_owned(), true), ("weather".to_owned(), true)];
    assert_eq!(found("").0, named);
    assert_eq!(found("[auto_discovery]\nenabled = false\nscan_directories = ['more']\n").0, named);
    let scan = "[auto_discovery]\nenabled = true\nscan_directories = \
                ['configs/tools/more']\nexclude_patterns = ['test_*']\n";
    let with_found = [&named[..1], &[("found".to_owned(), true)], &named[1..]].concat();
    assert_eq!(found(scan).0, with_found);
    let off = "enabled = false\n[tool_sets.a]\ntools = ['echo']\n[tool_sets.b]\nenabled = false\n";
    assert_eq!(found(off), (vec![named[0].clone(), ("weather".to_owned(), false)], 1));
}

#[tokio::test]
async fn one_changed_file_is_one_file_read() {
    let folder = old();
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    // What was written a moment ago is looked at once more; after that nothing is.
    let mut last = definitions.reads();
    for _ in 0..200 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        definitions.reload();
        if definitions.reads() == last {
            break;
        }
        last = definitions.reads();
    }
    folder.write("rest/weather.toml", &WEATHER.replace("of a city", "of a town"));
    let reloaded = definitions.reload();
    assert_eq!((reloaded.updated.len(), definitions.reads() - last), (1, 1));
    folder.write("rest/weather.toml", "name = ");
    let reloaded = definitions.reload();
    assert!(folder.shown(&reloaded.problems)[0].starts_with("rest/weather.toml:1:"));
    assert!(engine.registry().has("weather"), "the last good one stays");
    folder.remove("__registry__.toml");
    assert_eq!(definitions.reload().removed.len(), 1, "without a registry no TOML is a tool");
}

#[test]
fn wrong_things_are_told_with_their_place_and_stop_nothing_else() {
    let folder = old();
    let registry = "auto_discovery = 3\n[tool_types]\nrest = 1\nmcp = { config_files = [1, \
                    'm.toml'] }\n[tool_types.builtin]\nconfig_directory = 7\nconfig_files = \
                    ['echo.toml']\nconfig_file = 'x'\n[tool_sets.s]\ntools = ['a b', 3]\n";
    folder.write("__registry__.toml", registry);
    folder.write("mcp/m.toml", "name = 'm'\ntool_type = 'builtn'\nmetadata = 3\n");
    let loaded = folder.definitions().load();
    assert_eq!(names(&loaded), ["echo"]);
    assert_eq!(
        folder.shown(&loaded.problems),
        [
            "mcp/m.toml:2:13: tool_type: expected one of `builtin`, `native`, `rest`, `mcp`, found the \
             text \"builtn\". Did you mean `builtin`?",
            "mcp/m.toml:3:12: metadata: expected a table, found the number 3",
        ]
    );
    let shown = folder.shown(&loaded.warnings);
    for expected in [
        "__registry__.toml:1:18: auto_discovery:",
        "__registry__.toml:3:8:",
        "Did you mean `config_files`?",
    ] {
        assert!(shown.iter().any(|warning| warning.contains(expected)), "{expected} {shown:#?}");
    }
}

#[test]
fn huge_and_deep_files_are_refused_in_words() {
    let folder = old();
    folder.write("builtin/echo.toml", &"#".repeat(10 << 20));
    folder.write("rest/weather.toml", &format!("a = {}", "[".repeat(500_000)));
    let loaded = folder.definitions().load();
    assert_eq!(loaded.tools.len(), 0);
    let shown = folder.shown(&loaded.problems);
    assert_eq!(
        shown[0],
        "builtin/echo.toml: cannot read the file: it is longer than 1048576 bytes"
    );
    assert!(shown[1].starts_with("rest/weather.toml:1:"), "{shown:?}");
}

#[test]
fn a_migration_validates_and_gives_the_same_tools() {
    let folder = old();
    compare(&folder.definitions(), folder.root());
    if let Some(shared) = fixtures::shared() {
        let root = shared.join("legacy-toml/tools");
        compare(&Definitions::open(vec![root.clone()], makers(), vault()), &root);
    }
}

/// Writes what a migration gives, and loads it beside the original.
fn compare(definitions: &Definitions, root: &std::path::Path) {
    let (migration, old) = (definitions.migrate(root), definitions.load());
    assert_eq!(migration.problems, []);
    assert_eq!(migration.tools.len(), old.tools.len());
    assert!(!migration.warnings.is_empty() && !migration.unmapped.is_empty());
    let folder = Folder::new();
    for tool in &migration.tools {
        folder.write(&format!("{}.yaml", tool.name), &yaml::write(&tool.definition));
    }
    folder.write("groups.yaml", &yaml::write(&migration.groups.clone().into()));
    let new = folder.definitions().load();
    assert_eq!(folder.shown(&new.problems), [""; 0]);
    for (old, new) in old.tools.iter().zip(&new.tools) {
        let shown = |tool: &Tool| serde_json::to_value(&tool.spec).unwrap();
        assert_eq!(shown(old), shown(new));
    }
    assert_eq!(
        serde_json::to_value(&old.groups).unwrap(),
        serde_json::to_value(&new.groups).unwrap()
    );
    assert!(fs::read_dir(folder.root()).unwrap().count() >= new.tools.len());
}
