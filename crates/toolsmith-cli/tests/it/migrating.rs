//! `toolsmith import toml`, `import registry` and `export registry`

use std::fs;

use serde_json::{Value, json};
use toolsmith_testing::{fixtures, skip};

use crate::support::Place;

const REGISTRY: &str = "[tool_types.builtin]\nconfig_files = ['sum.toml']\n[tool_types.rest]\n\
                        enabled = false\nconfig_files = ['weather.toml']\n[tool_sets.all]\ntools = \
                        ['sum', 'weather']\n";

const SUM: &str = "name = 'sum'\ntool_type = 'builtin'\ndescription = 'Adds up.'\nfunction_path = \
                   'src.tools.calculator:calculate'\n[parameters_schema]\ntype = \
                   'object'\n[parameters_schema.properties]\nexpression = { type = 'string' \
                   }\nparameters_schema.required = ['expression']\n";

const WEATHER: &str = "name = 'weather'\ntool_type = 'rest'\napi_url = \
                       'https://api.example/w'\napi_key = '${WEATHER_KEY:none}'\n[headers]\nA = 'b'\n\
                       retry_count = 2\n[state_config]\nttl = 1\n";

fn old() -> Place {
    Place::new()
        .with("configs/tools/__registry__.toml", REGISTRY)
        .with("configs/tools/builtin/sum.toml", SUM)
        .with("configs/tools/rest/weather.toml", WEATHER)
}

#[test]
fn a_folder_with_an_old_registry_is_used_as_it_is() {
    let place = old();
    let sum = place.run(&["--tools", "configs/tools", "run", "sum", "expression=2+3"]);
    assert_eq!((sum.code, sum.stdout.as_str()), (Some(0), "5\n"), "{sum:?}");
    let off = place.run(&["--tools", "configs/tools", "run", "weather"]);
    assert_eq!(off.code, Some(3), "{off:?}");
    let report = place.json(&["tools", "validate", "configs/tools"]);
    assert_eq!((&report["valid"], &report["problems"]), (&json!(2), &json!([])));
    assert_eq!(report["warnings"].as_array().unwrap().len(), 2, "{report:#}");
}

#[test]
fn a_migration_gives_tools_that_run_without_the_old_folder() {
    let place = old();
    let dry = place.json(&["import", "toml", "configs/tools", "--dry-run"]);
    assert_eq!(dry["tools"], json!(["sum", "weather"]));
    assert!(!place.path().join("tools").exists());
    let report = place.json(&["import", "toml", "configs/tools"]);
    assert_eq!(
        report["files"],
        json!(["tools/sum.yaml", "tools/weather.yaml", "tools/groups.yaml"])
    );
    assert_eq!(report["warnings"].as_array().unwrap().len(), 2, "{report:#}");
    assert_eq!(report["unmapped"].as_array().unwrap().len(), 1, "{report:#}");
    assert_eq!(report["unmapped"][0]["operation"], "configs/tools/rest/weather.toml: state_config");
    let text = place.read("tools/sum.yaml");
    assert!(text.starts_with("# From configs/tools/builtin/sum.toml, where `src.tools.calculator:calculate` ran it.\n"), "{text}");
    assert!(place.read("tools/weather.yaml").contains("${WEATHER_KEY:none}"));
    fs::remove_dir_all(place.path().join("configs")).unwrap();
    let ran = place.run(&["tools", "validate", "--strict"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "ok 2 tools\n"), "{ran:?}");
    assert_eq!(place.print(&["run", "sum", "expression=2+3"]), "5\n");
    assert_eq!(place.json(&["tools", "show", "weather"])["enabled"], false);
}

#[test]
fn what_a_person_has_changed_stays() {
    let place = old();
    place.json(&["import", "toml", "configs/tools"]);
    place.write("tools/sum.yaml", "name: sum\n");
    let again = place.json(&["import", "toml", "configs/tools"]);
    assert_eq!(place.read("tools/sum.yaml"), "name: sum\n");
    assert!(again["warnings"].to_string().contains("tools/sum.yaml was changed by hand"));
    place.json(&["import", "toml", "configs/tools", "--force"]);
    assert!(place.read("tools/sum.yaml").contains("calculator"));
}

#[test]
fn tools_that_the_registry_no_longer_names_are_listed_and_removed_when_that_is_wanted() {
    let place = old();
    place.json(&["import", "toml", "configs/tools"]);
    place.write(
        "configs/tools/__registry__.toml",
        "[tool_types.builtin]\nconfig_files = ['sum.toml']\n",
    );
    let gone = |fate: &str| json!([{"file": "tools/groups.yaml", "fate": fate}, {"file": "tools/weather.yaml", "fate": fate}]);
    assert_eq!(place.json(&["import", "toml", "./configs/tools/"])["vanished"], gone("left"));
    let registry = "configs/tools/__registry__.toml";
    place.write("configs/tools/builtin/sum.toml", "name = ");
    let broken = place.json(&["import", "toml", registry, "--prune"]);
    assert_eq!(broken["vanished"].as_array().unwrap().len(), 3, "{broken:#}");
    assert!(broken["warnings"].to_string().contains("not everything could be read"), "{broken:#}");
    assert!(place.path().join("tools/sum.yaml").exists());
    place.write("configs/tools/builtin/sum.toml", SUM);
    assert_eq!(place.json(&["import", "toml", registry, "--prune"])["vanished"], gone("removed"));
    assert!(!place.path().join("tools/weather.yaml").exists());
}

#[test]
fn what_is_no_registry_is_refused() {
    let place = Place::new().with("empty/x.toml", "name = 'x'\n");
    for (path, said) in [("nowhere", "there is no file or folder"), ("empty", "__registry__.toml")]
    {
        let ran = place.run(&["import", "toml", path]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(said), "{ran:?}");
    }
    let ran = place.run(&["import", "registry", "empty"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("registry.json"), "{ran:?}");
    place.write("registry.json", "{\"tools\": [\n  {]");
    let ran = place.run(&["import", "registry", "registry.json", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"));
    assert!(ran.stdout.contains("registry.json:2:"), "{ran:?}");
    place.write("registry.json", &"[".repeat(200_000));
    assert_eq!(place.run(&["import", "registry", "registry.json"]).code, Some(2));
}

#[test]
fn names_that_are_paths_stay_in_their_folder() {
    let place = Place::new();
    let registry = json!([
        {"tool_id": "../../escape", "name": "x"}, {"tool_id": "/etc/x"}, {"tool_id": 3}, 4,
        {"tool_id": "groups"}, {"tool_id": ".hidden"}
    ]);
    place.write("in/registry.json", &registry.to_string());
    place.write("old/__registry__.toml", "[tool_types.builtin]\nconfig_files = ['a.toml']\n");
    place.write("old/builtin/a.toml", "name = '../../escape'\ntool_type = 'builtin'\n");
    let report = place.json(&["import", "registry", "in", "--out", "deep/out"]);
    assert_eq!(report["tools"], json!(["escape", "etc_x", "2", "groups", "hidden"]), "{report:#}");
    let report = place.json(&["import", "toml", "old", "--out", "deep/out"]);
    assert_eq!(report["tools"], json!([]), "{report:#}");
    let mut there: Vec<String> = fs::read_dir(place.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(there, ["deep", "in", "old"]);
    assert_eq!(fs::read_dir(place.path().join("deep")).unwrap().count(), 1);
}

fn service() -> (Value, Value, Value) {
    let registry = json!({"tools": [
        {
            "tool_id": "image_stitcher", "name": "图片拼接工具", "description": "将多张图片拼接成一张",
            "category": "cv", "backend_runtime": "local", "group_ids": ["images"],
            "input_schema": {"type": "object", "properties": {"files": {"type": "array"}}},
            "output_schema": {}, "stream_support": false, "status": "active"
        },
        {
            "tool_id": "launch", "name": "launch", "description": "", "category": "custom",
            "backend_runtime": "remote", "group_ids": ["images"], "input_schema": {"type": "object"},
            "output_schema": {}, "stream_support": false, "status": "inactive"
        }
    ]});
    let sources = json!({
        "image_stitcher": {"sources": [{
            "type": "local", "host_dir": "local/image_stitcher", "endpoint_path": "/",
            "http_method": "POST", "internal_port": 0
        }], "active_source": 0},
        "launch": {"sources": [
            {"type": "docker", "image": "x:1", "internal_port": 80, "endpoint_path": "/", "http_method": "POST"},
            {"type": "remote", "url": "https://x.example", "endpoint_path": "/go", "http_method": "GET", "internal_port": 0}
        ], "active_source": 1}
    });
    let groups = json!({"groups": [{
        "group_id": "images", "name": "Images", "description": "", "tool_ids": ["image_stitcher", "launch"],
        "usage_order": ["launch", "image_stitcher"]
    }]});
    (registry, sources, groups)
}

#[test]
fn a_registry_goes_there_and_back_unchanged() {
    let (registry, sources, groups) = service();
    let place = Place::new()
        .with("data/registry.json", &registry.to_string())
        .with("data/sources.json", &sources.to_string())
        .with("data/groups.json", &groups.to_string());
    let report = place.json(&["import", "registry", "data", "--out", "tools/service"]);
    assert_eq!(report["tools"], json!(["image_stitcher", "launch"]));
    assert_eq!((&report["warnings"], &report["unmapped"]), (&json!([]), &json!([])));
    let text = place.read("tools/service/image_stitcher.yaml");
    assert!(text.contains("dir: \"../../local/image_stitcher\""), "{text}");
    let report = place.json(&["tools", "validate"]);
    assert_eq!((&report["valid"], &report["problems"]), (&json!(2), &json!([])));
    let call = place.run(&["run", "image_stitcher", "--json"]);
    // The tool is one that runs; only its folder is not here.
    assert_eq!(call.error_type(), "execution_error");
    let report = place.json(&["export", "registry", "--out", "back"]);
    assert_eq!(
        report["files"],
        json!(["back/registry.json", "back/sources.json", "back/groups.json"])
    );
    let read = |name: &str| -> Value { serde_json::from_str(&place.read(name)).unwrap() };
    assert_eq!(read("back/registry.json"), registry);
    assert_eq!(read("back/sources.json"), sources);
    assert_eq!(read("back/groups.json"), groups);
    place.json(&["import", "registry", "back", "--out", "tools/service"]);
    place.json(&["export", "registry", "--out", "back"]);
    assert_eq!(read("back/sources.json"), sources);
}

#[test]
fn an_export_says_what_has_no_source_and_overwrites_nothing() {
    let tool = "name: find\ndescription: Finds.\nparameters:\n  - {name: q, type: string}\nentry: \
                {type: http, base_url: 'https://x.example', path: '/find', query: {q: '{q}'}}\n";
    let place = Place::new()
        .with("tools/find.yaml", tool)
        .with("tools/js.yaml", "name: js\nentry: {type: javascript, code: 'function main() {}'}\n");
    let report = place.json(&["export", "registry"]);
    assert_eq!(report["tools"], json!(["find", "js"]));
    let left: Vec<&str> = report["unmapped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|left| left["operation"].as_str().unwrap())
        .collect();
    assert_eq!(left, ["find: query", "js"]);
    place.write("registry/groups.json", "{}");
    let ran = place.run(&["export", "registry"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("--force"), "{ran:?}");
    let all = place.json(&["export", "registry", "--all", "--force"]);
    assert!(all["tools"].as_array().unwrap().len() > 20);
}

#[test]
fn the_sample_becomes_definitions() {
    let Some(shared) = fixtures::shared() else {
        return skip("there is no ../shared/data beside the project");
    };
    let sample = shared.join("legacy-toml/tools");
    let place = Place::new();
    let report = place.json(&["import", "toml", sample.to_str().unwrap()]);
    assert_eq!(report["tools"].as_array().unwrap().len(), 8, "{report:#}");
    let ran = place
        .run_knowing(&[("OPENWEATHER_API_KEY", "0123456789")], &["tools", "validate", "--json"]);
    let checked = ran.json();
    assert_eq!((&checked["valid"], &checked["problems"]), (&json!(8), &json!([])), "{checked:#}");
    let direct = place.run_knowing(
        &[("OPENWEATHER_API_KEY", "0123456789")],
        &["tools", "validate", sample.to_str().unwrap(), "--json"],
    );
    assert_eq!(direct.json()["valid"], 8);
    let ran = place.run(&["run", "calculator", "expression=2*21"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "42\n"), "{ran:?}");
}
