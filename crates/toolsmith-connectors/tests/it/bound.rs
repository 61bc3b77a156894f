//! Definitions that bind one tool of a server.

use std::path::Path;

use toolsmith_connectors::mcp::{Link, Program, ServerSettings, Servers};
use toolsmith_core::{
    Confinement, Draft, Fields, Maker, Redactor, Template, Tool, ToolSpec, Value, Vault, json,
};

use crate::bench::{Bench, scripted, surroundings};

fn make(servers: &Servers, name: &str, entry: &Value) -> Result<Tool, Vec<String>> {
    make_confined(servers, name, entry, None)
}

/// The same, of a definition that asks for a sandbox.
pub(crate) fn make_confined(
    servers: &Servers,
    name: &str,
    entry: &Value,
    confinement: Option<&Confinement>,
) -> Result<Tool, Vec<String>> {
    let spec = ToolSpec::new(name).unwrap();
    let vault = Vault::with_values([("A", "b")], Redactor::default());
    let mut fields = Fields::of(entry, "/entry").unwrap();
    fields.any("type");
    let draft = Draft { spec: &spec, folder: Path::new("/"), vault: &vault, confinement };
    let made = servers.maker().make(&draft, &mut fields);
    let faults: Vec<String> = fields.finish().into_iter().map(|f| f.message).collect();
    match made {
        Some(made) if faults.is_empty() => Ok(Tool { spec, work: made.work }),
        _ => Err(faults),
    }
}

#[tokio::test]
async fn a_definition_shares_the_session_of_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let Some(settings) = scripted("srv", &["2025-11-25", "counted", pids.to_str().unwrap()]) else {
        return;
    };
    let bench = Bench::started(vec![settings.clone()]).await;
    let entry = json!({ "type": "mcp", "server": "srv", "tool": "echo" });
    bench.engine.register(make(&bench.servers, "say", &entry).unwrap()).unwrap();
    let outcome = bench.call("say", json!({ "text": "hi" })).await;
    assert_eq!(*outcome.output(), json!("hi"));
    // Equal descriptions are one server, of its own.
    let Link::Stdio(program) = settings.link else { return };
    let args: Vec<String> = program.args.iter().map(ToString::to_string).collect();
    for name in ["echo", "structured"] {
        let entry = json!({ "type": "mcp", "command": "python3", "args": args, "tool": name });
        bench.engine.register(make(&bench.servers, name, &entry).unwrap()).unwrap();
        assert!(bench.call(name, json!({})).await.is_success());
    }
    assert_eq!(std::fs::read_to_string(&pids).unwrap().lines().count(), 2);
    bench.servers.close().await;
}

#[test]
fn wrong_entries_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::new(Template::literal("x"));
    let known = ServerSettings::new("files", Link::Stdio(program));
    let servers = Servers::new(surroundings(folder.path()), vec![known]);
    for (entry, expected) in [
        (
            json!({}),
            "`server` is missing: name a server of `mcpServers`, or give `command` or `url`",
        ),
        (json!({ "server": "file" }), "`mcpServers` has no server \"file\". Did you mean `files`?"),
        (
            json!({ "server": "files", "url": "http://a" }),
            "names a server that is described here as well; remove one",
        ),
        (
            json!({ "command": "a", "url": "http://a" }),
            "goes not with `command`; remove one of them",
        ),
        (json!({ "server": "files", "tol": "x" }), "unknown key `tol`. Did you mean `tool`?"),
        (json!({ "url": "http://a", "headers": { "a": [] } }), "expected text, found a list"),
    ] {
        assert_eq!(make(&servers, "t", &entry).unwrap_err(), [expected], "{entry}");
    }
    for entry in [json!({ "server": "files" }), json!({ "server_url": "http://a/mcp" })] {
        assert!(make(&servers, "t", &entry).is_ok(), "{entry}");
    }
}
