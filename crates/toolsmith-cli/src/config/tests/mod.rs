//! What a configuration does, from all its layers.

mod values;

use std::{path::Path, time::Duration};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::*;

/// A configuration under test: a file, variables, flags.
#[derive(Default)]
struct Case<'a> {
    file: Option<&'a str>,
    variables: &'a [(&'a str, &'a str)],
    flags: &'a [Flag],
}

impl Case<'_> {
    fn load(&self) -> Result<Loaded, String> {
        let folder = tempfile::tempdir().unwrap();
        if let Some(text) = self.file {
            std::fs::write(folder.path().join(FILE_NAME), text).unwrap();
        }
        let environment = self.variables.iter().copied().collect();
        let inputs = Inputs {
            file: None,
            folder: folder.path(),
            environment: &environment,
            flags: self.flags,
        };
        load(&inputs).map_err(|error| error.to_string())
    }
}

fn from_file(text: &str) -> Result<Loaded, String> {
    Case { file: Some(text), ..Case::default() }.load()
}

fn from_variables(variables: &[(&str, &str)]) -> Result<Loaded, String> {
    Case { variables, ..Case::default() }.load()
}

fn shown_as(loaded: &Loaded, key: &str) -> (Value, String) {
    let all = shown(loaded);
    let setting = all.iter().find(|setting| setting.key == key).unwrap();
    (setting.value.clone(), setting.source.clone())
}

#[test]
fn without_anything_the_defaults_are_in_force() {
    let loaded = Case::default().load().unwrap();
    assert_eq!(loaded.file, None);
    let lines: Vec<String> = shown(&loaded)
        .iter()
        .map(|setting| format!("{}: {} ({})", setting.key, setting.value, setting.source))
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    tools_directory: "tools" (default)
    auto_reload: true (default)
    reload_interval: 5 (default)
    watch_for_changes: false (default)
    strict_validation: false (default)
    data_directory: ".toolsmith" (default)
    allowed_paths: ["./data"] (default)
    network.allow: [] (default)
    log: "warn" (default)
    limits.max_concurrent: 10 (default)
    limits.queue_size: 100 (default)
    limits.default_timeout: 30 (default)
    limits.network_timeout: 60 (default)
    limits.strategy: "fifo" (default)
    limits.bucket_limits: {} (default)
    records.durability: "batched" (default)
    records.retention.max_age: null (default)
    records.retention.max_records: null (default)
    records.retention.max_bytes: null (default)
    output.max_bytes: 65536 (default)
    tools.webSearch.provider: null (default)
    tools.webSearch.apiKey: null (default)
    tools.webSearch.maxResults: 10 (default)
    tools.webSearch.baseUrl: null (default)
    tools.webSearch.engineId: null (default)
    mcpServers: [] (default)
    approvals.by_elicitation: "stdio" (default)
    webhooks: [] (default)
    serve.listen: "127.0.0.1:8001" (default)
    serve.hosts: [] (default)
    serve.origins: [] (default)
    serve.require_key: false (default)
    serve.tls.cert: null (default)
    serve.tls.key: null (default)
    serve.public_url: null (default)
    serve.jwt: [] (default)
    serve.calls_per_caller: null (default)
    serve.max_body_bytes: 16777216 (default)
    serve.max_connections: 16384 (default)
    serve.read_timeout: 30 (default)
    serve.shutdown_timeout: 30 (default)
    serve.task_after: 10 (default)
    serve.max_mcp_sessions: 10000 (default)
    serve.mcp_session_timeout: 1800 (default)
    serve.metrics: "admin" (default)
    serve.metrics_key: null (default)
    serve.compression: true (default)
    serve.access_log: "off" (default)
    telemetry.endpoint: null (default)
    telemetry.headers: {} (default)
    telemetry.service_name: null (default)
    telemetry.sampler: null (default)
    "#);
}

#[test]
fn flags_beat_the_environment_which_beats_the_file() {
    let flag = Flag { name: "--log", key: "log", values: vec!["debug".to_owned()] };
    let case = Case {
        file: Some("log: error\nlimits:\n  queue_size: 1\n  max_concurrent: 1\n"),
        variables: &[("TOOLSMITH_LOG", "info"), ("TOOLSMITH_LIMITS_QUEUE_SIZE", "2")],
        flags: &[flag],
    };
    let loaded = case.load().unwrap();
    assert_eq!(shown_as(&loaded, "log"), (json!("debug"), "flag --log".to_owned()));
    assert_eq!(
        shown_as(&loaded, "limits.queue_size"),
        (json!(2), "environment TOOLSMITH_LIMITS_QUEUE_SIZE".to_owned())
    );
    assert_eq!(
        shown_as(&loaded, "limits.max_concurrent"),
        (json!(1), "file toolsmith.yaml:4".to_owned())
    );
    assert_eq!(loaded.settings.limits.queue_size, 2);
}

#[test]
fn every_kind_of_value_is_read() {
    let loaded = from_file(
        "
tools_directory: [a, b]
limits: {default_timeout: 1.5, strategy: priority, bucket_limits: {file: 2, network: 8}}
records:
  durability: sync
  retention: {max_age: 30d, max_records: 1000}
output.max_bytes: 1024
",
    )
    .unwrap();
    let settings = loaded.settings;
    assert_eq!(settings.tools_directory, [Template::literal("a"), Template::literal("b")]);
    assert_eq!(settings.limits.default_timeout, Duration::from_millis(1_500));
    assert_eq!(settings.limits.strategy, Strategy::Priority);
    assert_eq!(settings.limits.bucket_limits["network"], 8);
    assert_eq!(settings.records.durability, Durability::Sync);
    assert_eq!(settings.records.retention.max_age, Some(Duration::from_hours(720)));
    assert_eq!(settings.records.retention.max_records, Some(1_000));
    assert_eq!(settings.output.max_bytes, 1_024);
}

#[test]
fn an_empty_file_and_empty_sections_change_nothing() {
    for text in ["", "# nothing\n", "limits:\nrecords:\n  retention:\n", "{}", "---\n"] {
        from_file(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_once_in_the_order_of_the_file() {
    let error = from_file(
        "
limits:
  max_concurent: 3
  queue_size: many
  strategy: lifo
  bucket_limits: {file: 0, network: 2, ai: x}
max_concurrent: 3
records: 7
allowed_paths: ./data
auto_reload: yes
log: wran
watch_for_changes:
zzz: 1
",
    )
    .unwrap_err();
    assert_snapshot!(error, @r#"
    the configuration has 12 problems:
      toolsmith.yaml:3:3: limits.max_concurent: unknown key. Did you mean `max_concurrent`?
      toolsmith.yaml:4:15: limits.queue_size: expected a whole number of at least 0, found the text "many"
      toolsmith.yaml:5:13: limits.strategy: expected `fifo`, `priority` or `reject`, found the text "lifo". Did you mean `fifo`?
      toolsmith.yaml:6:25: limits.bucket_limits.file: expected a whole number of at least 1, found the number 0
      toolsmith.yaml:6:44: limits.bucket_limits.ai: expected a whole number of at least 1, found the text "x"
      toolsmith.yaml:7:1: max_concurrent: unknown key. Did you mean `limits.max_concurrent`?
      toolsmith.yaml:8:10: records: expected keys with values, found the number 7
      toolsmith.yaml:9:16: allowed_paths: expected a list, each item a folder, found the text "./data"
      toolsmith.yaml:10:14: auto_reload: expected `true` or `false`, found the text "yes"
      toolsmith.yaml:11:6: log: expected `off`, `error`, `warn`, `info`, `debug` or `trace`, or `part=level` pairs separated by commas, found "wran". Did you mean `warn`?
      toolsmith.yaml:12:18: watch_for_changes: expected `true` or `false`, found nothing
      toolsmith.yaml:13:1: zzz: unknown key
    "#);
}

#[test]
fn a_file_that_is_no_configuration_says_so() {
    assert_eq!(
        from_file("- a\n").unwrap_err(),
        "toolsmith.yaml:1:1: expected keys with values, found a list"
    );
    assert_eq!(
        from_file("log: warn\n---\nlog: info\n").unwrap_err(),
        "toolsmith.yaml:3:1: expected one document, found a second one; remove the `---`"
    );
    assert!(
        from_file("log: [warn\n")
            .unwrap_err()
            .contains("toolsmith.yaml:2:1: this is not valid YAML")
    );
    assert_eq!(
        from_file("log: warn\nlog: info\n").unwrap_err(),
        "toolsmith.yaml:2:1: the key `log` stands twice; remove one of them"
    );
}

#[test]
fn a_named_file_must_be_there() {
    let environment = Environment::default();
    let named = Path::new("other.yaml");
    let folder = tempfile::tempdir().unwrap();
    let inputs =
        Inputs { file: Some(named), folder: folder.path(), environment: &environment, flags: &[] };
    assert_eq!(
        load(&inputs).unwrap_err().to_string(),
        "flag --config: there is no file other.yaml"
    );
}

#[test]
fn variables_are_typed_by_their_keys() {
    let loaded = from_variables(&[
        ("TOOLSMITH_TOOLS_DIRECTORY", "[\"a\", \"b\"]"),
        ("TOOLSMITH_DATA_DIRECTORY", "123"),
        ("TOOLSMITH_AUTO_RELOAD", "false"),
        ("TOOLSMITH_ALLOWED_PATHS", "[\"./a\"]"),
        ("TOOLSMITH_LIMITS_BUCKET_LIMITS", "{\"file\": 2}"),
        ("TOOLSMITH_RECORDS_RETENTION_MAX_AGE", "1w"),
        ("TOOLSMITH_TOOLS_WEBSEARCH_APIKEY", "123"),
        ("TOOLSMITH_TOOLS_TIMEOUT", "1500"),
        ("HOME", "/somewhere"),
    ])
    .unwrap();
    let settings = &loaded.settings;
    assert_eq!(settings.tools_directory.len(), 2);
    assert_eq!(settings.data_directory, Template::literal("123"));
    assert!(!settings.auto_reload);
    assert_eq!(settings.limits.bucket_limits["file"], 2);
    assert_eq!(settings.records.retention.max_age, Some(Duration::from_hours(168)));
    assert_eq!(settings.limits.default_timeout, Duration::from_millis(1_500));
    assert_eq!(shown_as(&loaded, "tools.webSearch.apiKey").0, "***");
}

#[test]
fn wrong_variables_are_errors_with_suggestions() {
    let error = from_variables(&[
        ("TOOLSMITH_ALLOWED_PATHS", "./data"),
        ("TOOLSMITH_DATA", "x"),
        ("TOOLSMITH_LIMITS_MAX_CONCURENT", "3"),
        ("TOOLSMITH_LIMITS_QUEUE_SIZE", "ten"),
        ("TOOLSMITH_QQQ", ""),
    ])
    .unwrap_err();
    assert_snapshot!(error, @r#"
    the configuration has 5 problems:
      environment TOOLSMITH_ALLOWED_PATHS: allowed_paths: expected a list, each item a folder, written as JSON: this is not valid JSON; text stands in double quotes
      environment TOOLSMITH_DATA: unknown variable. Did you mean `TOOLSMITH_DATA_DIRECTORY`?
      environment TOOLSMITH_LIMITS_MAX_CONCURENT: unknown variable. Did you mean `TOOLSMITH_LIMITS_MAX_CONCURRENT`?
      environment TOOLSMITH_QQQ: unknown variable; `toolsmith config show` lists the keys
      environment TOOLSMITH_LIMITS_QUEUE_SIZE: limits.queue_size: expected a whole number of at least 0, found the text "ten"
    "#);
}

#[test]
fn the_older_section_sets_the_same_settings() {
    let loaded = from_file("tools:\n  timeout: 30500\n  maxConcurrent: 3\n").unwrap();
    assert_eq!(
        shown_as(&loaded, "limits.default_timeout"),
        (json!(30.5), "file toolsmith.yaml:2 (tools.timeout)".to_owned())
    );
    assert_eq!(
        shown_as(&loaded, "limits.max_concurrent"),
        (json!(3), "file toolsmith.yaml:3 (tools.maxConcurrent)".to_owned())
    );
}

#[test]
fn twins_may_agree_but_not_contradict_each_other() {
    let loaded = from_file("tools: {timeout: 20000}\nlimits: {default_timeout: 20}\n").unwrap();
    assert_eq!(shown_as(&loaded, "limits.default_timeout").1, "file toolsmith.yaml:2");
    assert_eq!(
        from_file("limits: {default_timeout: 20}\ntools: {timeout: 30000}\n").unwrap_err(),
        "toolsmith.yaml:2:9: tools.timeout: contradicts `limits.default_timeout`, \
         which sets the same to another value; remove one of them"
    );
    assert_eq!(
        from_file("tools: {allowedPaths: ['${A}']}\nallowed_paths: ['${B}']\n").unwrap_err(),
        "toolsmith.yaml:2:1: allowed_paths: contradicts `tools.allowedPaths`, \
         which sets the same to another value; remove one of them"
    );
    let case = Case {
        file: Some("limits: {default_timeout: 20}\n"),
        variables: &[("TOOLSMITH_TOOLS_TIMEOUT", "5000")],
        ..Case::default()
    };
    let loaded = case.load().unwrap();
    assert_eq!(loaded.settings.limits.default_timeout, Duration::from_secs(5));
}
