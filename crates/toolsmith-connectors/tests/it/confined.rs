//! A server in a sandbox: its tools work, and it gets nowhere.

use std::fs;

use toolsmith_connectors::mcp::{Link, ServerSettings};
use toolsmith_core::{Confinement, SandboxProfile, Value, json};
use toolsmith_testing::skip;

use crate::{
    bench::{Bench, program},
    bound::make_confined,
};

/// A server with one tool, which evaluates what it is sent.
const SERVER: &str = r#"
import json, sys
def send(request, result):
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    method = request.get("method")
    if method == "initialize":
        send(request, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "hostile", "version": "1"}})
    elif method == "tools/list":
        send(request, {"tools": [{"name": "run", "inputSchema": {"type": "object"}}]})
    elif method == "tools/call":
        try:
            said = str(eval(request["params"]["arguments"]["code"]))
        except BaseException as error:
            said = type(error).__name__
        send(request, {"content": [{"type": "text", "text": said}]})
    elif "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"],
                          "error": {"code": -32601, "message": "no"}}), flush=True)
"#;

fn server(script: &str, sandbox: Option<Confinement>) -> ServerSettings {
    let mut settings = program("srv", "/usr/bin/python3", &[script]);
    if let Link::Stdio(program) = &mut settings.link {
        program.sandbox = sandbox;
    }
    settings
}

async fn run(bench: &Bench, code: &str) -> Value {
    let outcome = bench.call("srv__run", json!({ "code": code })).await;
    assert!(outcome.is_success(), "{outcome:?}");
    outcome.output().clone()
}

#[tokio::test]
async fn a_server_in_a_strict_sandbox_serves_and_sees_only_what_is_listed() {
    let own = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let (script, secret) = (own.path().join("server.py"), outside.path().join("secret"));
    fs::write(&script, SERVER).unwrap();
    fs::write(&secret, "the-secret").unwrap();
    let script = script.display().to_string();
    let read = format!("open({:?}).read()", secret.display().to_string());
    let open = Bench::new(vec![server(&script, None)]);
    assert!(open.servers.load().await.is_empty());
    assert_eq!(run(&open, &read).await, "the-secret", "without a sandbox it is read");

    let strict = Confinement {
        read: vec![own.path().display().to_string()],
        ..Confinement::new(SandboxProfile::Strict)
    };
    let bench = Bench::new(vec![server(&script, Some(strict))]);
    if let Some((_, error)) = bench.servers.load().await.first() {
        assert!(error.message().contains("cannot be enforced"), "{error}");
        return skip(error.message());
    }
    assert_eq!(run(&bench, "1 + 1").await, "2");
    for (code, expected) in [
        (read.as_str(), "FileNotFoundError"),
        ("__import__('socket').create_connection(('1.1.1.1', 53), 2)", "OSError"),
        ("open('/usr/x', 'w')", "OSError"),
        ("__import__('os').listdir('/root')", "FileNotFoundError"),
    ] {
        assert_eq!(run(&bench, code).await, expected, "{code}");
    }
}

#[tokio::test]
async fn a_server_that_a_definition_describes_runs_in_the_sandbox_of_the_definition() {
    let own = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let (script, secret) = (own.path().join("server.py"), outside.path().join("secret"));
    fs::write(&script, SERVER).unwrap();
    fs::write(&secret, "the-secret").unwrap();
    let read = format!("open({:?}).read()", secret.display().to_string());
    let strict = Confinement {
        read: vec![own.path().display().to_string()],
        ..Confinement::new(SandboxProfile::Strict)
    };
    let bench = Bench::new(Vec::new());
    let args = [script.display().to_string()];
    let entry =
        json!({ "type": "mcp", "command": "/usr/bin/python3", "args": args, "tool": "run" });
    for (name, confinement) in [("open", None), ("held", Some(&strict))] {
        let tool = make_confined(&bench.servers, name, &entry, confinement).unwrap();
        bench.engine.register(tool).unwrap();
    }
    let opened = bench.call("open", json!({ "code": read })).await;
    assert_eq!(*opened.output(), "the-secret", "the two are not one server: {opened:?}");
    let held = bench.call("held", json!({ "code": read })).await;
    match held.error() {
        None => assert_eq!(*held.output(), "FileNotFoundError"),
        Some(error) => {
            assert!(error.message().contains("cannot be enforced"), "{error}");
            skip(error.message());
        }
    }
    let elsewhere = json!({ "type": "mcp", "url": "https://mcp.example/mcp" });
    assert!(make_confined(&bench.servers, "a", &elsewhere, Some(&strict)).is_err());
    bench.servers.close().await;
}
