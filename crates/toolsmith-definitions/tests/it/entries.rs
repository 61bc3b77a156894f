//! What becomes of an entry, and what a definition says besides it.

use std::{path::Path, sync::Arc};

use toolsmith_core::{
    Annotations, BackendRuntime, Draft, ErrorKind, Exposure, Fields, Kind, Made, Maker, Tool,
    ToolSpec, Work, json,
};
use toolsmith_definitions::{Definitions, Loaded, Makers};

use crate::support::{Folder, call, engine, makers, vault};

fn check(text: &str) -> Loaded {
    Definitions::open(Vec::new(), makers(), vault()).check(Path::new("t.yaml"), text)
}

fn tool(text: &str) -> Tool {
    let mut loaded = check(text);
    assert_eq!(loaded.problems, [], "{text}");
    loaded.tools.remove(0)
}

#[test]
fn every_key_is_read() {
    let tool = tool(concat!(
        "name: full\ntitle: Full\nversion: '2.1'\ndescription: All of it.\ncategory: weather\n",
        "tags: [a, b]\nparameters: []\nauthor: me\nicon: ☀\nshareable_scope: team\ngroups: [g]\n",
        "depends_on: ['echo@^1']\ntimeout: 1.5\nexposure: deferred\nparallel: false\n",
        "coerce: true\nretry: {max_retries: 1, when: always}\ncost: 0.25\n",
        "rate_limit: {calls: 5, per: 60, by: caller}\napproval: true\nstream_support: true\n",
        "examples: [{input: {}}]\ndeprecated: use other\nstatus: inactive\n",
        "annotations: {read_only: true}\ncache: {ttl: 5, shared: true}\n",
        "entry: {type: command, command: date}\noutput: object\n",
    ));
    let spec = serde_json::to_value(&tool.spec).unwrap();
    assert_eq!(
        spec,
        json!({
            "name": "full", "title": "Full", "version": "2.1.0", "description": "All of it.",
            "category": "weather", "tags": ["a", "b"], "kind": "command",
            "backend_runtime": "local",
            "input_schema": {"type": "object", "properties": {}, "additionalProperties": false},
            "output_schema": {"type": "object"}, "author": "me", "icon": "☀",
            "shareable_scope": "team", "groups": ["g"], "depends_on": ["echo@^1"],
            "timeout": 1.5,
            "annotations": {
                "read_only": true, "destructive": false, "idempotent": false, "open_world": false
            },
            "exposure": "deferred", "parallel": false, "coerce": true,
            "cache": {"ttl": 5.0, "max_entries": 1000, "shared": true},
            "retry": {
                "max_retries": 1, "delay": 0.2, "factor": 2.0, "max_delay": 10.0, "when": "always"
            },
            "rate_limit": {"calls": 5, "per": 60.0, "by": "caller"}, "cost": 0.25,
            "approval": {"expires": 600.0}, "stream_support": true,
            "examples": [{"input": {}}], "deprecated": "use other", "enabled": false
        })
    );
    assert_eq!(tool.spec.exposure, Exposure::Deferred);
}

#[test]
fn json_is_read_like_yaml() {
    let tool = tool(
        r#"{"name": "j", "entry": {"type": "http"}, "returns": {"type": "any", "description": "x"}}"#,
    );
    assert_eq!((tool.spec.kind, tool.spec.backend_runtime), (Kind::Rest, BackendRuntime::Remote));
    assert_eq!(tool.spec.output_schema, None);
}

#[test]
fn one_file_may_hold_several_definitions() {
    let loaded = check("name: a\n---\n---\nname: b\nversion: '2'\n---\nname: b\n");
    let names: Vec<String> =
        loaded.tools.iter().map(|t| format!("{}@{}", t.spec.name, t.spec.version)).collect();
    assert_eq!(names, ["a@1.0.0", "b@2.0.0", "b@1.0.0"]);
}

#[test]
fn a_parameter_with_neither_required_nor_default_is_optional() {
    let tool = tool("name: a\nparameters: [{name: b, type: string}, {name: c, required: true}]\n");
    assert_eq!(tool.spec.input_schema.to_value()["required"], json!(["c"]));
}

#[test]
fn a_handler_lends_its_code_and_what_the_definition_does_not_say() {
    let tool = tool("name: repeat\ndescription: Mine.\nentry: {type: builtin, handler: echo}\n");
    assert!(matches!(tool.work, Work::Async(_)));
    assert_eq!(tool.spec.description.as_str(), "Mine.");
    assert_eq!(tool.spec.input_schema.to_value()["required"], json!(["message"]));
    let own = check("name: echo\n");
    assert_eq!(own.tools[0].spec.description.as_str(), "The built-in echo.");
    assert!(matches!(own.tools[0].work, Work::Async(_)));
}

#[test]
fn a_missing_handler_is_a_warning_with_the_near_one() {
    let loaded = check("name: a\nentry: {type: custom, handler: ecko}\n");
    assert_eq!(
        loaded.warnings[0].to_string(),
        "t.yaml:2:32: entry.handler: no handler `ecko` is registered: calls will answer \
         `executor_not_found`. Did you mean `echo`?"
    );
    assert!(matches!(&loaded.tools[0].work, Work::Missing { handler } if handler == "ecko"));
}

#[test]
fn the_old_word_external_is_understood_by_its_keys() {
    for (entry, kind) in [
        ("url: 'https://example.org'", Kind::Rest),
        ("base_url: 'https://example.org'", Kind::Rest),
        ("server: s", Kind::Mcp),
        ("server_url: 'https://example.org'", Kind::Mcp),
        ("image: i", Kind::Container),
        ("build: .", Kind::Container),
        ("dir: d", Kind::Process),
        ("host_dir: d", Kind::Process),
        ("command: date", Kind::Command),
    ] {
        assert_eq!(tool(&format!("name: a\nentry: {{type: external, {entry}}}\n")).spec.kind, kind);
    }
}

#[test]
fn what_comes_later_loads_with_a_warning() {
    let loaded = check(concat!(
        "name: a\nentry: {type: mcp, server: s, tool: t}\nsandbox: strict\n",
        "split: {v2: 10}\n",
    ));
    assert_eq!(loaded.problems, []);
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "t.yaml:2:15: entry.type: `mcp` tools do not run in this version: calls will answer \
             `executor_not_found`",
            "t.yaml:3:1: sandbox: tools of this kind cannot run in a sandbox, so nothing runs this one: \
             calls will answer `executor_not_found`; write `sandbox: none` to run it without one",
            "t.yaml:4:1: `split` is accepted, but this version does not act on it",
        ]
    );
    assert_eq!(loaded.tools[0].spec.kind, Kind::Mcp);
}

/// Says which sources there are.
#[derive(Debug)]
struct Several;

impl Maker for Several {
    fn types(&self) -> &'static [&'static str] {
        &["sources"]
    }

    fn kind(&self) -> Kind {
        Kind::Process
    }

    fn make(&self, draft: &Draft<'_>, fields: &mut Fields<'_>) -> Option<Made> {
        let said = json!([fields.any("sources")?, fields.any("active_source")]);
        let tool = Tool::function(draft.spec.clone(), move |_cx, _input| {
            let said = said.clone();
            async move { Ok(said) }
        });
        Some(tool.work.into())
    }
}

#[tokio::test]
async fn sources_stand_in_place_of_an_entry() {
    let makers = makers().with(Arc::new(Several));
    let definitions = Definitions::open(Vec::new(), makers, vault());
    let check = |text: &str| definitions.check(Path::new("t.yaml"), text);
    let sources = "sources: [{type: remote, token: '${KEY}'}]\nactive_source: 0\n";
    let mut loaded = check(&format!("name: a\n{sources}"));
    assert_eq!((&*loaded.problems, &*loaded.warnings), (&[][..], &[][..]));
    let engine = toolsmith_engine::Engine::builder().tool(loaded.tools.remove(0)).build().unwrap();
    let output = engine.call(toolsmith_core::Call::new("a", json!({}))).await.output().clone();
    let told = json!([[{ "type": "remote", "token": "${KEY}" }], 0]);
    assert_eq!(output, told, "variables are filled in when they are used");
    for (text, expected) in [
        (
            format!("name: a\n{sources}entry: {{type: javascript, code: x}}\n"),
            "t.yaml:2:1: sources: `entry` says already how the tool runs: move it into the list, or remove it",
        ),
        (
            "name: a\nactive_source: 1\n".to_owned(),
            "t.yaml:2:1: `active_source` is the place of a source in `sources`, which is not there",
        ),
        (
            "name: a\nentry: {type: sources}\n".to_owned(),
            "t.yaml:2:15: entry.type: expected one of `builtin`, `custom`, `http`, `rest`, `mcp`, \
             `command`, `process`, `python`, `container`, `remote`, `javascript`, `pipeline`, \
             `external`, found \"sources\"",
        ),
    ] {
        let problems: Vec<String> = check(&text).problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, [expected], "{text}");
    }
}

#[test]
fn without_makers_every_known_type_still_loads() {
    let definitions = Definitions::open(Vec::new(), Makers::new(), vault());
    for word in ["http", "command", "python", "javascript", "pipeline", "remote", "container"] {
        let text = format!("name: a\nentry: {{type: {word}, anything: goes}}\n");
        let loaded = definitions.check(Path::new("t.yaml"), &text);
        assert_eq!((loaded.problems.len(), loaded.tools.len()), (0, 1), "{word}");
    }
}

#[tokio::test]
async fn a_tool_that_asks_for_a_sandbox_does_not_run_without_one() {
    let folder = Folder::new();
    for word in ["none", "standard", "strict"] {
        let text = format!("name: {word}\nsandbox: {word}\nentry: {{type: javascript, code: x}}\n");
        folder.write(&format!("{word}.yaml"), &text);
    }
    folder.write("own.yaml", "name: echo\nsandbox: strict\n");
    let engine = engine();
    let reloaded = folder.definitions().attach(&engine);
    assert_eq!((reloaded.problems.len(), reloaded.warnings.len()), (0, 3));
    assert!(call(&engine, "none").await.is_success());
    for tool in ["standard", "strict", "echo"] {
        let input = json!({"message": "hello"});
        let outcome = engine.call(toolsmith_core::Call::new(tool, input)).await;
        let error = outcome.result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ExecutorNotFound, "{error}");
        assert!(error.message().contains("cannot run in a sandbox"), "{error}");
    }
}

#[test]
fn a_sandbox_is_a_word_or_an_object_and_is_read_with_care() {
    let problems = |sandbox: &str| -> Vec<String> {
        let text = format!("name: a\nentry: {{type: javascript, code: x}}\nsandbox: {sandbox}\n");
        check(&text).problems.iter().map(ToString::to_string).collect()
    };
    let whole = "{profile: strict, read: [data], write: [out], hosts: [example.org], \
                 memory_mb: 64, cpu_seconds: 5, processes: 8}";
    assert_eq!(problems(whole), Vec::<String>::new());
    assert_eq!(problems("{profile: none}"), Vec::<String>::new());
    let [problem] = &problems("strikt")[..] else { panic!("one problem") };
    assert!(problem.contains("expected one of `none`, `standard`, `strict`"), "{problem}");
    let [problem] = &problems("{read: [data]}")[..] else { panic!("one problem") };
    assert!(problem.contains("`profile` is missing"), "{problem}");
    let [problem] = &problems("{profile: strict, host: [x]}")[..] else { panic!("one problem") };
    assert!(problem.contains("unknown key `host`. Did you mean `hosts`?"), "{problem}");
}

/// A built-in tool that says something about everything.
fn rich() -> ToolSpec {
    let text = r#"{
        "name": "rich", "title": "Rich", "version": "3.0.0", "description": "d",
        "category": "text", "tags": ["t"], "author": "a", "icon": "i", "shareable_scope": "team",
        "groups": ["g"], "depends_on": ["echo"], "timeout": 2.5,
        "annotations": {
            "read_only": false, "destructive": true, "idempotent": true, "open_world": true
        },
        "exposure": "deferred", "parallel": true, "coerce": true,
        "output_schema": {"type": "object"},
        "cache": {"ttl": 5.0, "max_entries": 7, "shared": true},
        "retry": {
            "max_retries": 1, "delay": 0.5, "factor": 3.0, "max_delay": 4.0, "when": "always"
        },
        "rate_limit": {"calls": 5, "per": 60.0, "by": "caller"}, "cost": 0.25,
        "approval": {"expires": 30.0}, "stream_support": true, "examples": [{"input": {}}],
        "deprecated": "use other", "enabled": false
    }"#;
    serde_json::from_str(text).unwrap()
}

#[test]
fn everything_that_a_definition_does_not_say_comes_from_its_handler() {
    let handler = Tool::function(rich(), |_cx, input| async move { Ok(input) });
    let makers = makers().with_handlers([handler]);
    let definitions = Definitions::open(Vec::new(), makers, vault());
    let spec = |text: &str| {
        let mut loaded = definitions.check(Path::new("t.yaml"), text);
        assert_eq!(loaded.problems, [], "{text}");
        loaded.tools.remove(0).spec
    };
    let expected = rich().with(|spec| spec.version = toolsmith_core::Version::default());
    let own = serde_json::to_value(spec("name: rich\n")).unwrap();
    assert_eq!(own, serde_json::to_value(expected).unwrap(), "the version is a definition's own");
    let other = spec(concat!(
        "name: other\nentry: {type: builtin, handler: rich}\ncache: false\nretry: false\n",
        "approval: false\ntags: []\nstatus: active\nannotations: {open_world: false}\n",
    ));
    assert_eq!(other.title.as_deref(), Some("Rich"));
    assert!(other.cache.is_none() && other.retry.is_none() && other.approval.is_none());
    assert!(other.tags.is_empty() && other.enabled);
    let annotations = Annotations { open_world: false, ..rich().annotations };
    assert_eq!(other.annotations, annotations, "a tool stays destructive unless that is said");
}
