//! `toolsmith serve` with tokens of an authorization server, as clients get and use them.

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::json;
use toolsmith_testing::{fixtures::mcp_clients, skip};

use crate::{
    logins::get,
    serving::Serving,
    support::{PROGRAMS, Place, Ran, eventually},
};

/// An authorization server; ended when it is dropped.
struct Issuer {
    child: Child,
    url: String,
    python: PathBuf,
}

impl Issuer {
    fn start() -> Option<Self> {
        let Some(folder) = mcp_clients() else {
            skip("the MCP clients of others are not installed; ./test installs them");
            return None;
        };
        let python = folder.join("python/bin/python");
        let mut command = Command::new(&python);
        let mut child = command.arg(script("issuer.py")).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Some(Self { child, url: format!("http://127.0.0.1:{}", port.trim()), python })
    }

    /// Returns a place whose server wants a token of this issuer.
    fn place(&self) -> Place {
        let jwt = format!("{{issuer: '{}', audience: toolsmith}}", self.url);
        let config = format!("serve:\n  require_key: true\n  jwt: {jwt}\n");
        Place::new().with("toolsmith.yaml", &config)
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(name)
}

#[test]
fn the_official_python_client_finds_the_issuer_logs_in_and_calls_tools() {
    let Some(issuer) = Issuer::start() else { return };
    let place = issuer.place();
    let serving = Serving::start(&place, &[]);
    let mut command = Command::new(&issuer.python);
    command.env_clear().env("PATH", PROGRAMS).env("HOME", place.path()).current_dir(place.path());
    command.arg(script("login.py")).arg(format!("http://{}/mcp", serving.address));
    let ran = Ran::of(&mut command);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = ran.json();
    assert_eq!(told["echo"], json!({ "message": "hi" }));
    assert_eq!(told["scope"], "tools:call tools:read");
    eventually("the call is recorded under its caller", || {
        place.json(&["calls", "list"])["calls"][0]["caller_id"] == "jwt:ann"
    });
}

#[test]
fn our_own_client_logs_in_at_our_own_server() {
    let Some(issuer) = Issuer::start() else { return };
    let far = issuer.place();
    let serving = Serving::start(&far, &[]);
    let config = format!("mcpServers: {{far: {{url: 'http://{}/mcp'}}}}\n", serving.address);
    let near = Place::new().with("toolsmith.yaml", &config);
    let ran = near.run(&["run", "far__echo", "message=hi"]);
    assert!(ran.stderr.contains("Log in by `toolsmith tools login far`"), "{ran:?}");
    let mut command = near.command(&["tools", "login", "far"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let address = loop {
        let mut line = String::new();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "no address");
        if line.trim().starts_with("http://") {
            break line.trim().to_owned();
        }
    };
    let back = get(&address);
    let back = back.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    get(back.trim());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{rest}");
    let ran = near.run(&["run", "far__echo", "message=hi", "--json"]);
    assert_eq!((ran.code, &ran.json()["output"]), (Some(0), &json!({ "message": "hi" })));
}

#[test]
fn issuers_that_cannot_be_trusted_are_refused_at_the_start() {
    for (jwt, said) in [
        ("{issuer: 'https://id.example'}", "expected an `audience`"),
        ("{audience: a}", "expected an `issuer`"),
        ("{issuer: corp, audience: a}", "expected a `jwks`"),
        (
            "{issuer: corp, audience: a, jwks: keys.json}",
            "the keys of corp: `jwks` names the file keys.json, which",
        ),
        ("{issuer: corp, audience: a, jwks: k, algorithms: [HS256]}", "expected `RS256`"),
        ("{issuer: corp, audience: a, jwks: k, algorithms: [none]}", "expected `RS256`"),
        ("{issuer: corp, audience: a, jwks: k, rate: often}", "such as `10/1s`"),
        ("{issuer: corp, audience: a, jwks: k, default_role: boss}", "expected `none`"),
        (
            "[{issuer: a, audience: a, jwks: k}, {issuer: b, audience: a, jwks: k}]",
            "give each issuer a `prefix` of its own",
        ),
    ] {
        let place = Place::new().with("toolsmith.yaml", &format!("serve: {{jwt: {jwt}}}\n"));
        let ran = place.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(ran.code, Some(2), "{jwt}: {ran:?}");
        assert!(ran.stderr.contains(said), "{jwt}: {}", ran.stderr);
    }
}
