//! `toolsmith mcp`, line by line, as the program meets it that started it.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::spawn,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    mcp::scripted,
    support::{PROGRAMS, Place, eventually},
};

/// How long an answer may take: plenty for a machine under load.
const PATIENCE: Duration = Duration::from_secs(30);

/// The end never waits for the limit when nothing is under way, so a test would not end.
const NEVER: &str = "serve: {shutdown_timeout: 3600}\n";

/// A conversation with a program that ends with its test.
struct Speaking {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Speaking {
    fn start(place: &Place) -> Self {
        let mut command = place.command(&["mcp"]);
        command.env("PATH", PROGRAMS);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                sender.send(line).ok();
            }
        });
        Self { stdin: child.stdin.take(), child, lines }
    }

    /// Begins a session.
    fn begin(place: &Place) -> Self {
        let mut speaking = Self::start(place);
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let welcome = &speaking.ask("initialize", &hello)["result"];
        assert_eq!(welcome["protocolVersion"], "2025-11-25");
        assert_eq!(welcome["serverInfo"]["name"], "toolsmith");
        assert!(welcome["capabilities"]["tools"].is_object(), "{welcome}");
        speaking.say(br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
        speaking
    }

    /// Sends a line.
    fn say(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(&[line, b"\n"].concat()).unwrap();
    }

    /// Returns the next message.
    fn hear(&self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(PATIENCE).unwrap()).unwrap()
    }

    /// Sends a request without waiting for its answer.
    fn request(&mut self, method: &str, params: &Value) {
        let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        self.say(request.to_string().as_bytes());
    }

    /// Sends a request, and returns its answer; what is told of changes meanwhile is passed over.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.request(method, params);
        let mut answer = self.hear();
        while answer.get("method").is_some() {
            answer = self.hear();
        }
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(method)));
        answer
    }

    /// Ends the input, and returns the exit code and what was said after that.
    fn end(mut self) -> (Option<i32>, Vec<String>) {
        self.stdin.take();
        let mut code = None;
        eventually("the program ends", || match self.child.try_wait().unwrap() {
            Some(status) => {
                code = status.code();
                true
            }
            None => false,
        });
        (code, self.lines.iter().collect())
    }
}

impl Drop for Speaking {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What every request says that stands for itself.
fn meta(revision: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    })
}

fn names(listed: &Value) -> Vec<&str> {
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// Waits until the process is gone whose number a file tells.
fn is_gone(file: &Path) {
    let pid = fs::read_to_string(file).unwrap();
    let process = Path::new("/proc").join(pid.trim());
    eventually("the child is gone", || !process.exists());
}

#[test]
fn lines_of_a_command_reach_a_client_that_wants_to_hear_them() {
    let place = Place::new().with(
        "tools/count.yaml",
        "name: count\ndescription: Counts.\n\
         entry: {type: command, command: [sh, -c, 'echo one; echo two'], stream: true}\n",
    );
    let mut speaking = Speaking::begin(&place);
    speaking.ask("logging/setLevel", &json!({"level": "info"}));
    speaking.request("tools/call", &json!({"name": "count", "arguments": {}}));
    let mut lines = Vec::new();
    let answer = loop {
        let message = speaking.hear();
        match message["method"].as_str() {
            None => break message,
            Some("notifications/message") => lines.push(message["params"]["data"].clone()),
            Some(_) => {}
        }
    };
    assert_eq!(lines, ["one", "two"], "{answer}");
    assert_eq!(answer["result"]["content"][0]["text"], "one\ntwo", "{answer}");
}

#[test]
fn a_session_lists_calls_and_ends_with_its_input() {
    let place = Place::new().with("toolsmith.yaml", NEVER);
    let mut speaking = Speaking::begin(&place);
    let listed = speaking.ask("tools/list", &json!({}));
    assert!(names(&listed).contains(&"echo"), "{listed}");
    let call = json!({"name": "echo", "arguments": {"message": "hi"}});
    let called = speaking.ask("tools/call", &call);
    assert_eq!(called["result"]["structuredContent"], json!({"message": "hi"}));
    let wrong = json!({"name": "calculator", "arguments": {"expression": "1/0"}});
    assert_eq!(speaking.ask("tools/call", &wrong)["result"]["isError"], true);
    assert_eq!(speaking.ask("no/such", &json!({}))["error"]["code"], -32601);
    assert_eq!(speaking.end(), (Some(0), Vec::new()));
    let calls = place.json(&["calls", "list"]);
    assert_eq!(calls["calls"][1]["caller_type"], "mcp");
}

#[test]
fn lines_that_are_no_messages_are_answered_and_disturb_nothing() {
    let mut speaking = Speaking::begin(&Place::new());
    let deep = ["{\"jsonrpc\":\"2.0\",\"id\":", &"[".repeat(100_000)].concat();
    for (line, code) in [
        (&b"nonsense"[..], -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (br#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, -32600),
        (deep.as_bytes(), -32700),
    ] {
        speaking.say(line);
        let answer = speaking.hear();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)));
    }
    for line in [&b""[..], b" \t\r", br#"{"jsonrpc": "2.0", "method": "no/such"}"#] {
        speaking.say(line);
    }
    assert_eq!(speaking.ask("ping", &json!({}))["result"], json!({}));
    assert_eq!(speaking.end(), (Some(0), Vec::new()));
}

#[test]
fn requests_that_stand_for_themselves_need_no_session() {
    let place = Place::new().with("toolsmith.yaml", NEVER);
    let mut speaking = Speaking::start(&place);
    let about = meta("2026-07-28");
    let found = speaking.ask("server/discover", &json!({"_meta": about}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let listed = speaking.ask("tools/list", &json!({"_meta": about}));
    assert!(names(&listed).contains(&"echo"), "{listed}");
    let call = json!({"name": "echo", "arguments": {"message": "hi"}, "_meta": about});
    let called = speaking.ask("tools/call", &call);
    assert_eq!(called["result"]["structuredContent"], json!({"message": "hi"}));
    assert_eq!(called["result"]["resultType"], "complete");
    let unknown = speaking.ask("tools/list", &json!({"_meta": meta("2031-01-01")}));
    assert_eq!(unknown["error"]["code"], -32022);
    assert_eq!(speaking.ask("tools/list", &json!({}))["error"]["code"], -32600);
    // Who listens does so until the end, and does not hold it up.
    let wanted = json!({"notifications": {"toolsListChanged": true}, "_meta": about});
    speaking.request("subscriptions/listen", &wanted);
    assert_eq!(speaking.hear()["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(speaking.end().0, Some(0));
}

#[test]
fn an_answer_under_way_still_comes_when_the_input_has_ended() {
    let place = Place::new().with("toolsmith.yaml", NEVER);
    let mut speaking = Speaking::begin(&place);
    speaking.request("tools/call", &json!({"name": "sleep", "arguments": {"seconds": 0.5}}));
    let (code, lines) = speaking.end();
    assert_eq!((code, lines.len()), (Some(0), 1), "{lines:?}");
    assert!(lines[0].contains(r#""id":"tools/call""#), "{lines:?}");
}

#[test]
fn tools_of_servers_behind_it_are_there_and_the_servers_end_with_it() {
    let Some(place) = scripted("counted, pids", NEVER) else { return };
    let mut speaking = Speaking::begin(&place);
    // Many clients list tools only once, so those of a server are there from the first word on.
    let listed = speaking.ask("tools/list", &json!({}));
    assert!(names(&listed).contains(&"srv__echo"), "{listed}");
    let call = json!({"name": "srv__echo", "arguments": {"text": "hi"}});
    let called = speaking.ask("tools/call", &call);
    assert_eq!(called["result"]["content"][0]["text"], "hi", "{called}");
    assert_eq!(speaking.end().0, Some(0));
    is_gone(&place.path().join("pids"));
}

#[test]
fn a_command_that_does_not_end_is_ended_with_it() {
    let tool = "name: stuck\ndescription: x\nentry:\n  type: command\n  \
                command: [sh, -c, 'echo $$ > pid; exec sleep 3600']\n";
    let place = Place::new()
        .with("tools/stuck.yaml", tool)
        .with("toolsmith.yaml", "serve: {shutdown_timeout: 1}\n");
    let mut speaking = Speaking::begin(&place);
    speaking.request("tools/call", &json!({"name": "stuck", "arguments": {}}));
    let files = [place.path().join("pid"), place.path().join("tools/pid")];
    let mut file = None;
    eventually("the command runs", || {
        let is_written = |path: &&_| fs::read_to_string(path).is_ok_and(|pid| pid.ends_with('\n'));
        file = files.iter().find(is_written);
        file.is_some()
    });
    assert_eq!(speaking.end().0, Some(0));
    is_gone(file.unwrap());
}

#[test]
fn prompts_of_a_server_behind_us_are_listed_and_made_under_its_name() {
    let groups =
        "groups:\n  - {group_id: texts, name: Texts, tool_ids: [echo], usage_example: Say hi.}\n";
    let behind = Place::new().with("tools/groups.yaml", groups).with("toolsmith.yaml", NEVER);
    let program = env!("CARGO_BIN_EXE_toolsmith");
    let folder = behind.path().display();
    let config =
        format!("mcpServers:\n  far: {{command: '{program}', args: [mcp], cwd: '{folder}'}}\n");
    let place = Place::new().with("toolsmith.yaml", &config);
    let mut speaking = Speaking::begin(&place);
    let listed = speaking.ask("prompts/list", &json!({}));
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    let [prompt] = &prompts[..] else { panic!("{listed}") };
    assert_eq!(prompt["name"], "far__texts");
    assert_eq!(prompt["_meta"]["toolsmith/server"], "far");
    let made = speaking.ask("prompts/get", &json!({"name": "far__texts"}));
    let text = made["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("Say hi."), "{text}");
    let called =
        speaking.ask("tools/call", &json!({"name": "far__echo", "arguments": {"message": "hi"}}));
    assert_eq!(called["result"]["structuredContent"], json!({"message": "hi"}), "{called}");
    speaking.end();
}
