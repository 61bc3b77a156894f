//! `toolsmith serve`, as a client and a service manager meet it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStderr, Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{PROGRAMS, Place, eventually};

/// A server that ends with its test.
pub(crate) struct Serving {
    child: Child,
    said: BufReader<ChildStderr>,
    pub(crate) address: String,
    pub(crate) is_secured: bool,
}

impl Serving {
    pub(crate) fn start(place: &Place, arguments: &[&str]) -> Self {
        Self::start_with(place, arguments, &[])
    }

    /// The same, with variables of the environment.
    pub(crate) fn start_with(
        place: &Place,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let usual: &[&str] =
            if arguments.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
        let arguments = [&["serve"], usual, arguments].concat();
        let mut command = place.command(&arguments);
        command.env("PATH", PROGRAMS).envs(variables.iter().copied());
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let (scheme, address) = line
            .trim()
            .strip_prefix("listening on ")
            .and_then(|url| url.split_once("://"))
            .unwrap_or_else(|| panic!("{line}"));
        Self { address: address.to_owned(), is_secured: scheme == "https", child, said }
    }

    /// Returns the number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&self, head: &str, body: &str) -> Value {
        self.send_as("", head, body)
    }

    /// Sends a request and returns the body of the answer as it is.
    pub(crate) fn text(&self, head: &str) -> String {
        self.exchange("", head, "")
    }

    /// Sends a request with a key; without one when it is empty.
    fn send_as(&self, key: &str, head: &str, body: &str) -> Value {
        serde_json::from_str(&self.exchange(key, head, body)).unwrap()
    }

    fn exchange(&self, key: &str, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.address.replace("0.0.0.0", "127.0.0.1")).unwrap();
        let length = body.len();
        let head = format!("{head} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
        let key = if key.is_empty() { String::new() } else { format!("x-api-key: {key}\r\n") };
        let head =
            format!("{head}{key}content-type: application/json\r\ncontent-length: {length}\r\n");
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Sends a signal.
    pub(crate) fn tell(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Sends a signal, waits for the end, and returns the exit code and the rest of what was said.
    pub(crate) fn end(mut self, signal: &str) -> (Option<i32>, String) {
        self.tell(signal);
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn calls_are_answered_and_recorded_and_the_end_is_orderly() {
    let place = Place::new();
    let serving = Serving::start(&place, &[]);
    let call = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;
    let outcome = serving.send("POST /run_tool", call);
    assert_eq!(outcome["output"], json!({"message": "hi"}));
    assert_eq!(serving.send("GET /health", "")["status"], "ok");
    assert_eq!(serving.end("-TERM"), (Some(0), String::new()));
    let records = place.json(&["calls", "list"]);
    assert_eq!(records["calls"][0]["record_id"], outcome["call_id"]);
    assert_eq!(records["calls"][0]["caller_type"], "http");
}

#[test]
fn a_definition_that_is_dropped_into_the_folder_is_served_at_once() {
    let place =
        Place::new().with("tools/one.yaml", "name: one\nentry: {type: builtin, handler: echo}\n");
    let serving = Serving::start(&place, &["--tools", "tools"]);
    let names = |table: &Value| -> Vec<String> {
        let rows = table["tools"].as_array().unwrap().iter();
        rows.map(|row| row["tool_id"].as_str().unwrap().to_owned()).collect()
    };
    assert!(names(&serving.send("GET /tools", "")).contains(&"one".to_owned()));
    place.write("tools/two.yaml", "name: two\nentry: {type: builtin, handler: echo}\n");
    eventually("the new tool is served", || {
        names(&serving.send("GET /tools", "")).contains(&"two".to_owned())
    });
}

#[test]
fn addresses_that_cannot_be_served_are_refused_in_plain_words() {
    let place = Place::new();
    for (address, said) in [
        ("0.0.0.0:0", "nobody could call it, for there are no keys"),
        ("8001", "write an address and a port such as 127.0.0.1:8001"),
        ("localhost", "write an address and a port"),
    ] {
        let ran = place.run(&["serve", "--listen", address]);
        assert_eq!(ran.code, Some(2), "{address}");
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    let first = Serving::start(&place, &[]);
    let ran = place.run(&["serve", "--listen", &first.address]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("choose another port"), "{}", ran.stderr);
}

#[test]
fn settings_that_cannot_work_are_refused_with_what_to_write() {
    for (settings, said) in [
        ("serve: {hosts: ['http://tools.example']}", "serve.hosts: `http://tools.example` is no"),
        ("serve: {origins: [app.example]}", "serve.origins: `app.example` is no origin"),
        (
            "telemetry: {endpoint: 'http://127.0.0.1:9', headers: {'a b': x}}",
            "telemetry.headers: `a b` is no name of a header; write letters",
        ),
        (
            "serve: {jwt: {issuer: 'https://id.example', audience: [a], jwks: gone.json}}",
            "gone.json, which cannot be read: there is no such file; name the file",
        ),
        (
            "webhooks: {hook: {url: 'http://127.0.0.1:9/', secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}}",
            "set `allow_private: true` for it, if that address is meant",
        ),
    ] {
        let place = Place::new().with("toolsmith.yaml", settings);
        let ran = place.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(ran.code, Some(2), "{settings}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{settings}: {}", ran.stderr);
    }
}

#[test]
fn beyond_this_machine_only_keys_open_the_door() {
    let place = Place::new();
    let made = place.json(&["keys", "create", "agent", "--tool", "ech*"]);
    let (key, id) = (made["key"].as_str().unwrap(), made["id"].as_str().unwrap());
    assert!(!place.print(&["keys", "list"]).contains(key));
    let serving = Serving::start(&place, &["--listen", "0.0.0.0:0"]);
    let call = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;
    let refused = serving.send("POST /run_tool", call);
    assert_eq!(refused["error"]["type"], "unauthenticated");
    let outcome = serving.send_as(key, "POST /run_tool", call);
    assert_eq!(outcome["output"], json!({"message": "hi"}));
    eventually("the call is recorded under its caller", || {
        place.json(&["calls", "list"])["calls"][0]["caller_id"] == "agent"
    });
    assert_eq!(place.json(&["keys", "revoke", id]), json!({"id": id, "revoked": true}));
    eventually("the revoked key opens nothing", || {
        serving.send_as(key, "POST /run_tool", call)["error"]["type"] == "unauthenticated"
    });
    assert_eq!(place.run(&["keys", "revoke", id]).code, Some(1));
    for words in [
        &["keys", "create", "local"][..],
        &["keys", "create", "a", "--rate", "often"],
        &["keys", "create", "a", "--tool", ""],
    ] {
        assert_eq!(place.run(words).code, Some(2), "{words:?}");
    }
}

#[test]
fn a_person_at_the_shell_decides_about_calls_of_others() {
    let tool = "name: risky\nentry: {type: builtin, handler: echo}\napproval: {}\n";
    let place = Place::new().with("tools/risky.yaml", tool);
    let ran = place.run(&["approvals", "list"]);
    assert!(ran.stderr.contains("no `toolsmith serve` runs"), "{}", ran.stderr);
    let serving = Serving::start(&place, &["--tools", "tools"]);
    let call = r#"{"tool_id": "risky", "params": {"message": "hi"}}"#;
    let ask = || serving.send("POST /run_tool", call);
    let id = ask()["error"]["details"]["approval_id"].as_str().unwrap().to_owned();
    assert_eq!(place.json(&["approvals", "list"])["approvals"][0]["approval_id"], json!(id));
    assert!(place.print(&["approvals", "list"]).contains("risky"));
    assert_eq!(place.run(&["approvals", "approve", &id]).code, Some(0));
    assert_eq!(ask()["success"], true);
    let second = ask()["error"]["details"]["approval_id"].as_str().unwrap().to_owned();
    assert_eq!(place.json(&["approvals", "deny", &second])["decision"], "deny");
    assert_eq!(ask()["error"]["type"], "permission_denied");
    let ran = place.run(&["approvals", "approve", "zzz"]);
    assert!(ran.stderr.contains("`toolsmith approvals list` shows them"), "{}", ran.stderr);
    let ran = place.run(&["approvals", "approve", &second]);
    assert!(ran.stderr.contains("decided or expired"), "{}", ran.stderr);

    let note = place.path().join(".toolsmith/serve.json");
    let mode = std::os::unix::fs::PermissionsExt::mode(&note.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(serving.end("-INT").0, Some(0));
    assert!(!note.exists());
}

#[test]
fn an_administrator_defines_switches_and_removes_a_tool_while_it_serves() {
    let place =
        Place::new().with("tools/one.yaml", "name: one\nentry: {type: builtin, handler: echo}\n");
    let serving = Serving::start(&place, &["--tools", "tools"]);
    let made = place.json(&["keys", "create", "boss", "--role", "admin"]);
    let boss = |head: &str, body: &str| serving.send_as(made["key"].as_str().unwrap(), head, body);
    // Whoever comes without a key is some account of this machine, and may not define what runs.
    let refused = serving.send("POST /tools", r#"{"name": "new"}"#);
    assert_eq!(refused["error"]["type"], "permission_denied");
    let wrong = boss("POST /tools", r#"{"name": "new", "entrry": {}}"#);
    assert_eq!(wrong["error"]["type"], "validation_error");
    assert!(
        wrong["error"]["message"].as_str().unwrap().contains("Did you mean `entry`?"),
        "{wrong}"
    );
    let hidden = r#"{"name": "..", "entry": {"type": "builtin", "handler": "echo"}}"#;
    let hidden = boss("POST /tools", hidden);
    assert!(hidden["error"]["message"].as_str().unwrap().contains("begins with a dot"), "{hidden}");
    let definition = r#"{"name": "new", "entry": {"type": "builtin", "handler": "echo"}}"#;
    assert_eq!(boss("POST /tools", definition), json!({"tool_id": "new"}));
    let call = r#"{"tool_id": "new", "params": {"message": "hi"}}"#;
    assert_eq!(serving.send("POST /run_tool", call)["output"], json!({"message": "hi"}));
    assert_eq!(serving.send("GET /tools/new", "")["name"], "new");
    assert!(place.path().join("tools/new.json").exists());
    // Once more only when that is meant, and never beside another file.
    let again = boss("POST /tools", definition);
    assert!(again["error"]["message"].as_str().unwrap().contains("replace=true"), "{again}");
    assert_eq!(boss("POST /tools?replace=true", definition), json!({"tool_id": "new"}));
    let other = definition.replace("new", "one");
    let other = boss("POST /tools?replace=true", &other);
    assert!(other["error"]["message"].as_str().unwrap().contains("one.yaml"), "{other}");

    assert_eq!(boss("POST /tools/new/disable", "")["status"], "inactive");
    assert_eq!(serving.send("POST /run_tool", call)["success"], false);
    assert_eq!(boss("POST /tools/new/enable", "")["status"], "active");
    assert_eq!(serving.send("POST /run_tool", call)["success"], true);
    let none = boss("POST /tools/new/start", "");
    assert!(none["error"]["message"].as_str().unwrap().contains("no service"), "{none}");

    assert_eq!(boss("DELETE /tools/new", "")["status"], "removed");
    assert_eq!(serving.send("GET /tools/new", "")["error"]["type"], "not_found");
    assert!(!place.path().join("tools/new.json").exists());
    let built_in = boss("DELETE /tools/echo", "");
    assert!(built_in["error"]["message"].as_str().unwrap().contains("disable it"), "{built_in}");
    assert_eq!(boss("POST /reload", "")["problems"], json!([]));
}

#[test]
fn every_answer_is_one_that_the_description_knows() {
    let Some(schemathesis) = toolsmith_testing::fixtures::schemathesis() else {
        toolsmith_testing::skip("schemathesis is not installed; ./test does that");
        return;
    };
    let place = Place::new();
    let made = place.json(&["keys", "create", "boss", "--role", "admin"]);
    let serving = Serving::start(&place, &[]);
    let document = format!("http://{}/openapi.json", serving.address);
    let key = format!("authorization: Bearer {}", made["key"].as_str().unwrap());
    let ran = Command::new(schemathesis)
        // On this machine nobody needs a key; and what fits a schema may still name no tool.
        .args(["run", &document, "--exclude-checks", "ignored_auth,positive_data_acceptance"])
        .args(["--checks", "all", "--header", &key, "--seed", "1", "-n", "3"])
        // A stream of events does not end.
        .args(["--exclude-path", "/events"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}
