//! `toolsmith render` and `toolsmith parse`

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::Place;

const REPLY: &str = "Let me see.\n<function_calls>\n<invoke name=\"calculator\">\n\
    <parameter name=\"expression\">2*(3+4)</parameter>\n\
    <parameter name=\"precision\">3</parameter>\n</invoke>\n</function_calls>\n\
    <function_calls>\n<invoke name=\"echo\">\n<parameter name=\"message\">so lo";

const SCALE: &str = "name: scale\ndescription: Scales.\nparameters:\n  - {name: by, type: number}\n\
                     entry: {type: builtin, handler: echo}\n";

#[test]
fn a_reply_becomes_calls_text_and_problems() {
    let ran = Place::new().run_reading(&["parse", "--dialect", "xml", "--json"], REPLY);
    let read = ran.json();
    assert_eq!(
        read["calls"],
        json!([{"name": "calculator", "arguments": {"expression": "2*(3+4)", "precision": 3}}])
    );
    assert_eq!(read["text"], "Let me see.\n\n");
    assert_eq!(read["problems"][0]["kind"], "unfinished_call");
    assert!(read["problems"][0]["start"].as_u64() < read["problems"][0]["end"].as_u64());
    assert_eq!(read["set_aside"][0]["name"], "echo");
    assert_eq!(read["set_aside"][0]["state"], "unfinished");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn people_see_text_and_calls_and_what_is_odd() {
    let place = Place::new().with("reply.txt", REPLY);
    let ran = place.run(&["parse", "reply.txt"]);
    assert_snapshot!(ran.stdout, @r#"
    Let me see.
    call calculator {"expression":"2*(3+4)","precision":3}

    not to be run: echo {"message":"so lo"} …
    "#);
    assert!(ran.stderr.contains("the call of `echo` is not finished"), "{}", ran.stderr);
}

#[test]
fn values_are_typed_by_the_tools_of_a_folder() {
    let place = Place::new().with("own/scale.yaml", SCALE);
    let reply = "<tool_call>scale\n<arg_key>by</arg_key>\n<arg_value>1.5</arg_value>\n</tool_call>";
    let read = |arguments: &[&str]| place.run_reading(arguments, reply).json()["calls"].clone();
    let typed = read(&["parse", "--dialect", "glm", "--tools", "own", "--json"]);
    assert_eq!(typed, json!([{"name": "scale", "arguments": {"by": 1.5}}]));
}

#[test]
fn settings_say_how_a_reply_is_read() {
    let place = Place::new();
    let reply = "```xml\n<function_calls><invoke name=\"echo\"><parameter name=\"message\">\
                 a&lt;b</parameter></invoke></function_calls>\n```\n";
    let read = |more: &[&str]| {
        let arguments = [&["parse", "--dialect", "xml", "--json"], more].concat();
        place.run_reading(&arguments, reply).json()
    };
    assert_eq!(read(&[])["calls"], json!([]));
    assert_eq!(read(&[])["problems"][0]["kind"], "fenced_call");
    assert_eq!(read(&["--fenced"])["calls"][0]["arguments"]["message"], "a&lt;b");
    let decoded = read(&["--fenced", "--entities"]);
    assert_eq!(decoded["calls"][0]["arguments"]["message"], "a<b");
    let wrong = "<tool_call>{'name': 'echo', 'arguments': {}}</tool_call>";
    let arguments = ["parse", "--dialect", "hermes", "--json"];
    assert_eq!(place.run_reading(&arguments, wrong).json()["calls"][0]["name"], "echo");
    let arguments = [&arguments[..], &["--no-repair"]].concat();
    assert_eq!(place.run_reading(&arguments, wrong).json()["calls"], json!([]));
}

#[test]
fn events_come_while_the_reply_still_does() {
    let place = Place::new();
    let mut command = place.command(&["parse", "--dialect", "hermes", "--events"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    stdin.write_all("Höre:\n".as_bytes()).unwrap();
    stdin.flush().unwrap();
    assert_eq!(next()["text"].as_str().unwrap().chars().next(), Some('H'));
    stdin.write_all(br#"<tool_call>{"name": "echo", "arguments": {"mess"#).unwrap();
    stdin.flush().unwrap();
    let mut seen = next();
    while seen["type"] == "text" {
        seen = next();
    }
    assert_eq!((&seen["type"], &seen["name"]), (&json!("call_start"), &json!("echo")));
    stdin.write_all(br#"age": "hi"}}</tool_call>"#).unwrap();
    drop(stdin);
    while seen["type"] != "call_end" {
        seen = next();
    }
    assert_eq!(seen["arguments"], json!({"message": "hi"}));
    assert_eq!(seen["state"], "complete");
    assert!(child.wait().unwrap().success());
}

#[test]
fn bytes_that_are_no_text_are_read_all_the_same() {
    let place = Place::new();
    let path = place.path().join("reply.bin");
    std::fs::write(&path, [b"\xff\xfe<tool_call>", &b"\x80\x00\xe4\xb8"[..]].concat()).unwrap();
    let ran = place.run(&["parse", "reply.bin", "--json"]);
    assert_eq!((ran.code, &ran.json()["calls"]), (Some(0), &json!([])));
}

#[test]
fn tools_are_shown_as_the_provider_wants_them() {
    let place = Place::new();
    let shown = place.json(&["render", "--dialect", "openai-chat", "echo", "calculator"]);
    assert_eq!(shown[0]["function"]["name"], "echo");
    assert_eq!(shown[1]["function"]["parameters"]["required"], json!(["expression"]));
    let shown = place.json(&["render", "--dialect", "anthropic", "echo"]);
    assert_eq!(shown[0]["input_schema"]["type"], "object");
    let text = place.print(&["render", "--dialect", "xml", "echo", "--instructions", "en"]);
    assert!(text.starts_with("<functions>\n<function>{"), "{text}");
    assert!(text.contains("</functions>\n\n<output_instructions>\nIf you need"), "{text}");
    let chinese = place.print(&["render", "--dialect", "xml", "echo", "--instructions", "zh"]);
    assert!(chinese.contains("如果"), "{chinese}");
}

#[test]
fn without_names_the_tools_are_shown_that_are_meant_to_be() {
    let hidden = SCALE.replace("description", "exposure: hidden\ndescription");
    let place = Place::new().with("tools/scale.yaml", &hidden);
    let shown = place.print(&["render", "--dialect", "xml"]);
    assert!(shown.contains(r#""name":"echo""#) && !shown.contains("scale"), "{shown}");
    assert!(!shown.contains("call_tool"), "{shown}");
    let deferred = SCALE.replace("description", "exposure: deferred\ndescription");
    place.write("tools/scale.yaml", &deferred);
    let shown = place.print(&["render", "--dialect", "xml"]);
    assert!(shown.contains(r#""name":"call_tool""#) && !shown.contains("scale"), "{shown}");
    let ran = place.run(&["render", "--dialect", "mcp", "--most", "3"]);
    assert_eq!(ran.stdout.matches("inputSchema").count(), 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("more than 3 tools"), "{}", ran.stderr);
}

#[test]
fn names_come_from_standard_input() {
    let place = Place::new();
    let ran =
        place.run_reading(&["render", "--dialect", "gemini", "-", "--json"], "echo\n\nsleep\n");
    assert!(ran.stdout.contains(r#""name":"echo""#) && ran.stdout.contains(r#""name":"sleep""#));
    let ran = place.run_reading(&["render", "--dialect", "gemini", "-"], "ecko\n");
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("Did you mean `echo`?"), "{}", ran.stderr);
}

#[test]
fn calls_go_from_one_dialect_to_another() {
    let place = Place::new();
    let read = place.run_reading(&["parse", "--dialect", "xml", "--json"], REPLY).stdout;
    let written = place.run_reading(&["render", "--dialect", "qwen-coder", "--calls"], &read);
    let again =
        place.run_reading(&["parse", "--dialect", "qwen-coder", "--json"], &written.stdout).json();
    assert_eq!(again["calls"], serde_json::from_str::<Value>(&read).unwrap()["calls"]);
    let wrong = place.run_reading(&["render", "--dialect", "xml", "--calls"], "\n{\"nam\": 1}\n");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("line 2: `name` is missing"), "{}", wrong.stderr);
    let wrong = "{\"name\": \"echo\", \"arguments\": [1]}\n";
    let wrong = place.run_reading(&["render", "--dialect", "xml", "--calls"], wrong);
    assert!(wrong.stderr.contains("are not an object but"), "{}", wrong.stderr);
}

#[test]
fn outcomes_become_results() {
    let place = Place::new();
    let outcome = place.run(&["run", "echo", "message=hi", "--json"]).stdout;
    let failure = place.run(&["run", "echo", "--json"]).stdout;
    let lines = format!("{outcome}{failure}");
    let ran = place.run_reading(&["render", "--dialect", "openai-chat", "--results"], &lines);
    let results: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("hi") && ran.stdout.contains("message"), "{}", ran.stdout);
    let own = "{\"id\": 7, \"call_id\": \"x\", \"tool_name\": \"echo\", \"output\": 1}\n";
    let ran = place.run_reading(&["render", "--dialect", "openai-chat", "--results"], own);
    assert!(ran.stdout.contains("\"7\""), "{}", ran.stdout);
    let wrong = place.run_reading(&["render", "--dialect", "xml", "--results"], "{\"id\": 1}");
    assert!(wrong.stderr.contains("line 1: `tool_name` is missing"), "{}", wrong.stderr);
}

#[test]
fn a_reader_who_has_left_ends_the_reading() {
    let place = Place::new();
    let mut command = place.command(&["parse", "--dialect", "hermes"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    // Once nobody reads, neither does the command: the pipe breaks, however much there is to write.
    while stdin.write_all(b"y\n").is_ok() {}
    assert!(child.wait().unwrap().success());
}

#[test]
fn names_of_tools_that_are_not_shown_come_back_too() {
    let deferred = SCALE.replace("name: scale", "name: sc.ale\nexposure: deferred");
    let place = Place::new().with("tools/scale.yaml", &deferred);
    let shown = place.json(&["render", "--dialect", "openai-chat", "sc.ale"]);
    let name = shown[0]["function"]["name"].as_str().unwrap();
    assert_ne!(name, "sc.ale");
    let reply = json!({"tool_calls": [{"function": {"name": name, "arguments": "{\"by\": 2}"}}]});
    let arguments = ["parse", "--dialect", "openai-chat", "--json"];
    let read = place.run_reading(&arguments, &reply.to_string()).json();
    assert_eq!(read["calls"][0]["name"], "sc.ale", "{read}");
}

#[test]
fn what_cannot_be_is_refused_in_plain_words() {
    let place = Place::new();
    for (arguments, expected) in [
        (&["parse", "--dialect", "elvish"][..], "possible values: auto, xml"),
        (&["render", "--dialect", "auto"], "possible values: xml"),
        (&["render", "--dialect", "glm", "--instructions", "en"], "are for --dialect xml"),
        (&["parse", "nowhere.txt"], "cannot read nowhere.txt: there is no such file"),
        (&["parse", "--events", "--json"], "cannot be used with"),
        (&["render", "--dialect", "xml", "--calls", "--json"], "cannot be used with"),
        (&["render", "--dialect", "xml", "echo@9"], "no such version; there are: 1.0.0"),
    ] {
        let ran = place.run(arguments);
        assert_ne!(ran.code, Some(0), "{arguments:?}");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
