//! `toolsmith tools login` and `logout`

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::json;
use toolsmith_testing::skip;

use crate::support::{Place, Ran};

/// A server that asks who one is, and the one that gives the tokens; ended when it is dropped.
struct Service {
    child: Child,
    place: Place,
}

impl Service {
    fn start(mode: &str) -> Option<Self> {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolsmith-connectors/tests/it");
        let mut command = Command::new("python3");
        command.arg(tests.join("scripted_http.py")).arg(mode).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            skip("python3 is not installed");
            return None;
        };
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let config =
            format!("mcpServers: {{far: {{url: 'http://127.0.0.1:{}/mcp'}}}}\n", port.trim());
        Some(Self { child, place: Place::new().with("toolsmith.yaml", &config) })
    }

    /// Logs in as a person does: reads the address, agrees there, and follows the way back.
    fn log_in(&self, arguments: &[&str]) -> Ran {
        let mut command = self.place.command(&[&["tools", "login", "far"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "no address: {said}");
            said += &line;
            if line.trim().starts_with("http://") {
                break line.trim().to_owned();
            }
        };
        let back = get(&address);
        let back = back.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
        get(back.trim());
        let mut ran = Ran::from_output(child.wait_with_output().unwrap());
        stderr.read_to_string(&mut said).unwrap();
        ran.stderr = said;
        ran
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Returns the whole answer of a server on this machine.
pub(crate) fn get(url: &str) -> String {
    let (host, target) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_person_logs_in_and_out_and_nobody_sees_the_tokens() {
    let Some(service) = Service::start("oauth") else { return };
    let place = &service.place;
    let ran = place.run(&["run", "far__echo"]);
    assert!(ran.stderr.contains("Log in by `toolsmith tools login far`"), "{ran:?}");
    let login = service.log_in(&["--json", "--log", "trace"]);
    assert_eq!(login.code, Some(0), "{login:?}");
    assert_eq!(login.json(), json!({ "server": "far", "logged_in": true }));
    let ran = place.run(&["run", "far__echo", "--params", "{}", "--log", "trace"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("Bearer ***"), "{ran:?}");
    for text in [&login.stdout, &login.stderr, &ran.stdout, &ran.stderr] {
        let is_clean =
            ["access-token", "refresh-token", "the-code"].iter().all(|t| !text.contains(t));
        assert!(is_clean, "{text}");
    }
    let shown = place.print(&["calls", "export"]);
    assert!(shown.contains("far__echo") && !shown.contains("access-token"), "{shown}");
    let file = place.path().join(".toolsmith/mcp/logins/far.json");
    assert!(fs::read_to_string(&file).unwrap().contains("access-token-1"));
    assert_eq!(place.print(&["tools", "logout", "far"]), "far is logged out\n");
    assert!(!file.exists());
    assert_eq!(place.print(&["tools", "logout", "far"]), "far is already logged out\n");
    assert_ne!(place.run(&["run", "far__echo"]).code, Some(0));
}

#[test]
fn a_login_that_is_denied_fails_and_leaves_nothing() {
    let Some(service) = Service::start("oauth_denied") else { return };
    let login = service.log_in(&[]);
    assert_ne!(login.code, Some(0));
    assert!(login.stderr.contains("was refused: access was denied"), "{login:?}");
    assert!(!service.place.path().join(".toolsmith/mcp/logins/far.json").exists());
    let ran = service.place.run(&["tools", "login", "fra"]);
    assert!(ran.stderr.contains("There is no MCP server `fra`."), "{ran:?}");
}
