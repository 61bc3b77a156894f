//! Servers, secrets and variables in settings, and the pages that are made of the keys.

use insta::assert_snapshot;
use serde_json::json;
use toolsmith_core::SandboxProfile;

use super::*;

#[test]
fn mcp_servers_are_checked_one_by_one() {
    let error = from_file(
        "
tools:
  mcpServers:
    - {name: ok, url: 'http://localhost:3000', enabled: false}
    - {name: ok, command: server, args: [--fast], env: {TOKEN: '${TOKEN:x}'}}
    - {url: 'http://localhost'}
    - {name: none}
    - {name: both, url: 'http://a', command: b}
    - {name: args, url: 'http://a', args: [c]}
    - {name: slip, url: 'http://a', enable: true}
    - {name: 7, command: [a]}
    - text
",
    )
    .unwrap_err();
    assert_snapshot!(error, @r#"
    the configuration has 9 problems:
      toolsmith.yaml:5:7: tools.mcpServers[1]: the name `ok` stands twice
      toolsmith.yaml:6:7: tools.mcpServers[2]: expected a `name`
      toolsmith.yaml:7:7: tools.mcpServers[3]: expected a `url`, or a `command` that starts the server
      toolsmith.yaml:8:7: tools.mcpServers[4]: has both a `url` and a `command`; remove one of them
      toolsmith.yaml:9:7: tools.mcpServers[5]: `args`, `env` and `cwd` go with a `command`, not with a `url`
      toolsmith.yaml:10:37: tools.mcpServers[6].enable: unknown key. Did you mean `enabled`?
      toolsmith.yaml:11:14: tools.mcpServers[7].name: expected text that is not empty, found the number 7
      toolsmith.yaml:11:26: tools.mcpServers[7].command: expected a program, found a list
      toolsmith.yaml:12:7: tools.mcpServers[8]: expected a map with `name`, `type`, `url`, `headers`, `auth`, `command`, `args`, `env`, `cwd`, `sandbox`, `prefix`, `timeout`, `start_timeout`, `start`, `tools`, `on_change`, `roots`, `enabled`, `disabled`, found the text "text"
    "#);
}

#[test]
fn mcp_servers_are_written_as_other_clients_write_them() {
    let loaded = from_file(
        "
mcpServers:
  files: {command: npx, args: [-y, server], env: {KEY: 'plain'}, cwd: work, disabled: true}
  far:
    type: streamable-http
    url: https://a.example/mcp
    headers: {Authorization: 'Bearer ${TOKEN:x}'}
    auth: {token_url: 'https://a.example/t', client_id: me, client_secret: s}
    prefix: none
    timeout: 5
    start: eager
    on_change: approve
    tools: {allow: ['read_*'], deny: [read_secret]}
    roots: [work]
  login: {url: 'https://b.example/mcp', auth: {client_id: me, scope: read}}
",
    )
    .unwrap();
    let [files, far, login] = loaded.settings.mcp_servers.as_slice() else { panic!("{loaded:?}") };
    assert_eq!((files.name.as_str(), files.disabled, files.enabled), ("files", true, true));
    assert_eq!((far.name.as_str(), far.prefix.as_deref()), ("far", Some("none")));
    assert_eq!(far.timeout, Some(Duration::from_secs(5)));
    assert_eq!((far.start, far.on_change), (McpStart::Eager, McpOnChange::Approve));
    assert_eq!(far.tools.deny, ["read_secret"]);
    assert_eq!(far.roots, ["work"]);
    assert!(login.auth.as_ref().is_some_and(|auth| auth.token_url.is_none()));
    let error = from_file(
        "
mcpServers:
  old: {type: sse, url: 'http://a/sse'}
  none: {}
  mixed: {command: a, headers: {}, auth: {client_id: me}}
  half: {url: 'http://a/mcp', auth: {client_secret: s}}
  odd: {url: 'http://a/mcp', auth: {client_id: me, audience: them}}
",
    )
    .unwrap_err();
    assert_snapshot!(error, @r"
    the configuration has 5 problems:
      toolsmith.yaml:3:8: mcpServers.old: the old HTTP+SSE transport is not supported; use the server's streamable HTTP address, often `/mcp` where the old one is `/sse`, with `type: http`
      toolsmith.yaml:4:9: mcpServers.none: expected a `url`, or a `command` that starts the server
      toolsmith.yaml:5:10: mcpServers.mixed: `headers` and `auth` go with a `url`, not with a `command`
      toolsmith.yaml:6:37: mcpServers.half.auth: expected a `client_id`
      toolsmith.yaml:7:36: mcpServers.odd.auth: expected a `token_url`
    ");
}

#[test]
fn the_sandbox_of_a_server_is_a_word_or_a_map() {
    let loaded = from_file(
        "
mcpServers:
  open: {command: a}
  word: {command: a, sandbox: strict}
  map: {command: a, sandbox: {profile: standard, read: [./data], hosts: [a.example], memory_mb: 64}}
",
    )
    .unwrap();
    let [open, word, map] = loaded.settings.mcp_servers.as_slice() else { panic!("{loaded:?}") };
    assert_eq!((open.sandbox.profile, word.sandbox.profile), (None, Some(SandboxProfile::Strict)));
    assert_eq!(
        (map.sandbox.read.as_slice(), map.sandbox.memory_mb),
        (&["./data".to_owned()][..], Some(64))
    );
    let error = from_file(
        "
mcpServers:
  slip: {command: a, sandbox: strickt}
  bare: {command: a, sandbox: {read: [./data]}}
  far: {url: 'http://a', sandbox: strict}
",
    )
    .unwrap_err();
    for told in [
        "mcpServers.slip.sandbox: expected `none`, `standard` or `strict`",
        "mcpServers.bare.sandbox: expected a `profile`",
        "mcpServers.far: `sandbox` goes with a `command`",
    ] {
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn secrets_are_hidden_wherever_they_stand() {
    let case = Case {
        file: Some(
            "
data_directory: ${ROOT}/data
tools:
  webSearch: {apiKey: tvly-1234567890}
  mcpServers:
    - {name: a, command: run, args: ['--key=${KEY}'], env: {TOKEN: plain-token}}
",
        ),
        variables: &[("ROOT", "/srv/secret-root"), ("KEY", "s3cret-key")],
        ..Case::default()
    };
    let loaded = case.load().unwrap();
    let everything = format!("{:?} {:?}", shown(&loaded), loaded);
    for secret in ["tvly-1234567890", "secret-root", "s3cret-key", "plain-token"] {
        assert!(!everything.contains(secret), "{secret}");
    }
    assert_eq!(shown_as(&loaded, "data_directory").0, "***/data");
    let environment: Environment = case.variables.iter().copied().collect();
    let folder = loaded.settings.data_directory.resolve(&environment).unwrap();
    assert_eq!(folder.text.expose(), "/srv/secret-root/data");
}

#[test]
fn words_and_numbers_may_come_from_variables() {
    let case = Case {
        file: Some(
            "
log: '${LV}'
auto_reload: '${RELOAD:false}'
limits: {strategy: '${ST}', queue_size: '${Q}', bucket_limits: {file: '${F:3}'}}
records: {durability: '${DU:sync}', retention: {max_age: '${DAYS}d'}}
",
        ),
        variables: &[("LV", "debug"), ("ST", "priority"), ("Q", "7"), ("DAYS", "2")],
        ..Case::default()
    };
    let loaded = case.load().unwrap();
    for (key, value) in [
        ("log", json!("debug")),
        ("auto_reload", json!(false)),
        ("limits.strategy", json!("priority")),
        ("limits.queue_size", json!(7)),
        ("limits.bucket_limits", json!({"file": 3})),
        ("records.durability", json!("sync")),
        ("records.retention.max_age", json!(172_800)),
    ] {
        assert_eq!(shown_as(&loaded, key).0, value, "{key}");
    }
}

#[test]
fn a_word_whose_variable_is_missing_or_wrong_is_an_error() {
    assert_eq!(
        from_file("log: '${LV}'\n").unwrap_err(),
        "toolsmith.yaml:1:6: log: the variable `LV` is not set and has no default"
    );
    let case = Case {
        file: Some("limits: {strategy: '${ST}'}\n"),
        variables: &[("ST", "s3cret")],
        ..Case::default()
    };
    assert_eq!(
        case.load().unwrap_err(),
        "toolsmith.yaml:1:20: limits.strategy: expected `fifo`, `priority` or `reject`, \
         but `${ST}` gives something else"
    );
}

#[test]
fn a_secret_setting_is_a_secret_from_whatever_source() {
    let server = r#"[{"name": "a", "command": "run", "env": {"TOKEN": "from-json"}}]"#;
    for (file, variables, expected) in [
        ("", &[("TOOLSMITH_TOOLS_WEBSEARCH_APIKEY", "from-env")][..], &["from-env"][..]),
        ("", &[("TOOLSMITH_TOOLS_MCPSERVERS", server)], &["from-json"]),
        ("tools: {webSearch: {apiKey: from-file}}", &[], &["from-file"]),
        ("tools: {webSearch: {apiKey: '${KEY:a-default}'}}", &[], &["a-default"]),
        ("tools: {webSearch: {apiKey: 'x-${KEY}'}}", &[("KEY", "piece")], &["piece", "x-piece"]),
        ("log: warn\ndata_directory: here", &[], &[]),
    ] {
        let loaded = Case { file: Some(file), variables, ..Case::default() }.load().unwrap();
        let found = secrets(&loaded.settings, &variables.iter().copied().collect());
        let found: Vec<&str> = found.iter().map(|secret| secret.expose().as_str()).collect();
        assert_eq!(found, expected, "{file} {variables:?}");
    }
}

#[test]
fn a_variable_that_is_not_set_is_a_warning_until_it_is_needed() {
    let loaded = from_file(
        "allowed_paths: ['${A:./data}', '${B}']\ntools: {webSearch: {apiKey: '${KEY}'}}\n",
    )
    .unwrap();
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "toolsmith.yaml:1:1: allowed_paths: the variable `B` is not set and has no default",
            "toolsmith.yaml:2:21: tools.webSearch.apiKey: the variable `KEY` is not set and has no default",
        ]
    );
    let key = loaded.settings.web_search.api_key.unwrap();
    assert_eq!(
        key.expose().resolve(&Environment::default()).unwrap_err().to_string(),
        "the variable `KEY` is not set and has no default"
    );
    assert_eq!(
        from_file("data_directory: '${'\n").unwrap_err(),
        "toolsmith.yaml:1:17: data_directory: `${` has no closing `}`; write `$${` for a plain `${`"
    );
}

#[test]
fn the_starter_file_loads_and_switched_on_says_the_defaults() {
    let text = starter();
    let defaults = shown(&Case::default().load().unwrap());
    assert_eq!(shown(&from_file(&text).unwrap()), defaults);

    let is_key = |line: &str| {
        let word = line.strip_prefix("# ").and_then(|rest| rest.split_once(':'));
        word.is_some_and(|(word, _)| word.chars().all(|c| c.is_alphabetic() || c == '_'))
    };
    let switched_on: String = text
        .lines()
        .map(|line| {
            let is_on = is_key(line.trim_start());
            if is_on { line.replacen("# ", "", 1) + "\n" } else { format!("{line}\n") }
        })
        .collect();
    let loaded = from_file(&switched_on).unwrap();
    for (setting, default) in shown(&loaded).iter().zip(&defaults) {
        assert_eq!(setting.value, default.value, "{}", setting.key);
        assert!(setting.source.starts_with("file "), "{}: {}", setting.key, setting.source);
    }
}

#[test]
fn the_reference_names_every_key_and_its_variable() {
    let page = reference();
    for setting in shown(&Case::default().load().unwrap()) {
        assert!(page.contains(&format!("| `{}` |", setting.key)), "{}", setting.key);
    }
    assert!(page.contains(
        "| `limits.queue_size` | a whole number of at least 0 | `100` | \
         `TOOLSMITH_LIMITS_QUEUE_SIZE` | How many calls wait for a slot; more are rejected. |"
    ));
    assert!(page.contains("| `tools.timeout` | a number of milliseconds above 0, at most a year | `limits.default_timeout` |"));
}
