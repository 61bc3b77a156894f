//! `toolsmith doctor`

use std::{fs, net::TcpListener};

use serde_json::Value;

use crate::support::{Place, Ran};

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().unwrap();
    checks
        .iter()
        .find(|check| check["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {report:#}"))
}

#[test]
fn an_empty_machine_is_not_a_broken_one() {
    let place = Place::new();
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let report = ran.json();
    for name in
        ["uv", "python3", "node", "npx", "bubblewrap", "model key", "web search", "tool folders"]
    {
        let check = check(&report, name);
        assert_eq!(check["status"], "missing", "{check}");
        for key in ["detail", "enables", "how"] {
            assert!(!check[key].as_str().unwrap().is_empty(), "{key} {check}");
        }
    }
    for name in ["configuration", "data folder", "database", "ports"] {
        assert_eq!(check(&report, name)["status"], "ok", "{report:#}");
    }
    assert!(fs::read_dir(place.path()).unwrap().next().is_none(), "nothing is made");
}

#[test]
fn what_is_there_is_found_and_values_of_keys_are_not_shown() {
    let config = "tools:\n  webSearch: {provider: tavily, apiKey: '${SEARCH_KEY}'}\n";
    let place = Place::new()
        .with("toolsmith.yaml", config)
        .with("tools/a.yaml", "name: a\nentry: {type: builtin, handler: echo}\n")
        .with("bin/uv", "#!/bin/sh\necho uv 9.9.9\n")
        .with("bin/bwrap", "#!/bin/sh\nexec sleep 60\n");
    for name in ["bin/uv", "bin/bwrap"] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(place.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(place.run(&["run", "echo", "message=hi"]).code, Some(0));
    let path = format!("{}:/usr/bin:/bin", place.path().join("bin").display());
    let mut command = place.command(&["doctor", "--json"]);
    command
        .env("PATH", path)
        .env("SEARCH_KEY", "tvly-secret-1")
        .env("OPENAI_API_KEY", "sk-secret-2");
    let ran = Ran::of(&mut command);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("secret"), "{ran:?}");
    let report = ran.json();
    for (name, detail) in [
        ("uv", "uv 9.9.9"),
        ("model key", "OPENAI_API_KEY"),
        ("web search", "tavily, with a key"),
        ("tool folders", "tools: 1 tool, 0 warnings"),
        ("database", "can be read"),
        ("disk space", "left"),
        ("configuration", "toolsmith.yaml"),
    ] {
        let check = check(&report, name);
        assert_eq!(check["status"], "ok", "{check}");
        assert!(check["detail"].as_str().unwrap().contains(detail), "{check}");
    }
    assert_eq!(check(&report, "bubblewrap")["status"], "missing", "a program that hangs is let go");
}

#[test]
fn what_is_configured_and_does_not_work_is_broken() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = format!(
        "tools:\n  webSearch: {{provider: tavily}}\n  mcpServers:\n    - {{name: here, url: \
         'http://127.0.0.1:{port}'}}\n    - {{name: away, url: 'https://mcp.example'}}\n    - {{name: \
         gone, command: no-such-program}}\n"
    );
    let place = Place::new().with("toolsmith.yaml", &config).with("tools/bad.yaml", "nam: x\n");
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report = ran.json();
    for (name, status) in [
        ("web search", "broken"),
        ("tool folders", "broken"),
        ("mcp server here", "ok"),
        ("mcp server away", "ok"),
        ("mcp server gone", "broken"),
    ] {
        assert_eq!(check(&report, name)["status"], status, "{report:#}");
    }
    let text = place.run(&["doctor"]);
    assert_eq!(text.code, Some(1));
    assert!(text.stdout.contains("\nbroken mcp server gone\n  for: "), "{}", text.stdout);
    place.write("toolsmith.yaml", "nonsense: 1\n");
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!(
        (ran.code, &check(&ran.json(), "configuration")["status"]),
        (Some(1), &"broken".into())
    );
}

#[test]
fn people_get_a_table_and_what_to_do() {
    let ran = Place::new().run(&["doctor"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let first: Vec<&str> = ran.stdout.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(first, ["STATUS", "CHECK", "FOUND"]);
    assert!(
        ran.stdout.contains("\nmissing uv\n  for: tools that are Python projects"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("Nothing is broken; "), "{}", ran.stdout);
}

#[test]
fn a_container_engine_that_is_named_and_does_not_answer_is_broken() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for (host, status, said) in [
        ("unix:///no/such.sock".to_owned(), "broken", "/no/such.sock"),
        (format!("tcp://127.0.0.1:{port}"), "ok", "accepts connections"),
        ("tcp://127.0.0.1:1".to_owned(), "broken", "127.0.0.1:1"),
        ("tcp://engine.example:2375".to_owned(), "ok", "not asked; --online does"),
        ("ssh://me@engine.example".to_owned(), "ok", "not asked"),
    ] {
        let ran = place.run_knowing(&[("DOCKER_HOST", &host)], &["doctor", "--json"]);
        let report = ran.json();
        let docker = check(&report, "docker");
        assert_eq!(docker["status"], status, "{docker}");
        assert!(docker["detail"].as_str().unwrap().contains(said), "{docker}");
        let how = docker["how"].as_str().unwrap();
        assert_eq!(how.contains("unset DOCKER_HOST"), status == "broken", "{docker}");
    }
}

#[test]
fn a_data_folder_that_cannot_be_written_is_broken() {
    let place = Place::new().with("file", "");
    let ran = place.run(&["doctor", "--json", "--data", "/proc/no/such"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report = ran.json();
    let folder = check(&report, "data folder");
    assert_eq!(folder["status"], "broken", "{folder}");
    assert!(folder["how"].as_str().unwrap().contains("--data"), "{folder}");
}
