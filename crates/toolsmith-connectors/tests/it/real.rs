//! The official servers, as they are installed by the test command.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use toolsmith_connectors::mcp::{ServerSettings, State};
use toolsmith_core::{Answer, Call, Context, ErrorKind, Question, StreamItem, Value, json};
use toolsmith_engine::{Engine, Followed};
use toolsmith_testing::{fixtures, skip};

use crate::{
    asking::{Someone, call_with},
    bench::{Bench, poll, program, surroundings},
};

/// Describes the servers; nothing where they are not installed.
pub(crate) struct Installed {
    npm: PathBuf,
    python: PathBuf,
}

impl Installed {
    pub(crate) fn find() -> Option<Self> {
        let Some(folder) = fixtures::mcp_servers() else {
            skip("the official MCP servers are not installed; run ./test");
            return None;
        };
        let npm = folder.join("npm/node_modules/.bin");
        Some(Self { npm, python: folder.join("python/bin") })
    }

    pub(crate) fn npm(&self, name: &str, args: &[&str]) -> ServerSettings {
        let path = self.npm.join(format!("mcp-server-{name}"));
        patient(program(name, path.to_str().unwrap(), args))
    }

    fn python(&self, name: &str, args: &[&str]) -> ServerSettings {
        let path = self.python.join(format!("mcp-server-{name}"));
        patient(program(name, path.to_str().unwrap(), args))
    }
}

/// Machines under load start interpreters slowly.
fn patient(mut settings: ServerSettings) -> ServerSettings {
    settings.start_timeout = Duration::from_mins(2);
    settings
}

/// Calls every tool of a server with inputs that are right for some of them.
///
/// Whatever a tool says about an input, it must say it by itself.
async fn call_every_tool(bench: &Bench, inputs: &[(&str, Value)]) -> usize {
    let mut right = 0;
    for name in bench.names() {
        let own = name.split_once("__").map_or(name.as_str(), |(_, own)| own);
        let input = inputs.iter().find(|(tool, _)| *tool == own);
        let given = input.map_or_else(|| json!({}), |(_, input)| input.clone());
        let outcome = bench.call(&name, given).await;
        match outcome.error() {
            None => right += 1,
            Some(error) if input.is_none() => {
                let kinds = [ErrorKind::ValidationError, ErrorKind::ExecutionError];
                assert!(kinds.contains(&error.kind()), "{name}: {error:?}");
            }
            Some(error) => panic!("{name}: {error:?} {:?}", error.details()),
        }
    }
    right
}

#[tokio::test]
async fn everything_answers() {
    let Some(installed) = Installed::find() else { return };
    let bench = Bench::started(vec![installed.npm("everything", &["stdio"])]).await;
    let inputs = [
        ("echo", json!({ "message": "hi" })),
        ("get-sum", json!({ "a": 2, "b": 3 })),
        ("trigger-long-running-operation", json!({ "duration": 1, "steps": 2 })),
        ("get-structured-content", json!({ "location": "Chicago" })),
        ("get-annotated-message", json!({ "messageType": "error", "includeImage": true })),
        ("get-resource-links", json!({ "count": 2 })),
        ("get-resource-reference", json!({ "resourceType": "Text", "resourceId": 1 })),
    ];
    let names = bench.names();
    let known: Vec<_> = inputs
        .into_iter()
        .filter(|(tool, _)| names.contains(&format!("everything__{tool}")))
        .collect();
    assert!(known.len() >= 3, "{names:?}");
    let right = call_every_tool(&bench, &known).await;
    assert!(right >= known.len() && names.len() >= 8, "{right} of {names:?}");
    bench.servers.close().await;
}

#[tokio::test]
async fn files_are_read_and_written() {
    let Some(installed) = Installed::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let file = place.join("a.txt");
    fs::write(&file, "one\ntwo\n").unwrap();
    let settings = installed.npm("filesystem", &[place.to_str().unwrap()]);
    let bench = Bench::started(vec![settings]).await;
    let path = file.to_str().unwrap();
    let inputs = [
        ("read_text_file", json!({ "path": path })),
        ("write_file", json!({ "path": place.join("b.txt"), "content": "b" })),
        ("list_directory", json!({ "path": place })),
        ("get_file_info", json!({ "path": path })),
        ("list_allowed_directories", json!({})),
    ];
    assert!(call_every_tool(&bench, &inputs).await >= inputs.len());
    assert_eq!(fs::read_to_string(place.join("b.txt")).unwrap(), "b");
    let outcome = bench.call("filesystem__read_text_file", json!({ "path": "/etc/passwd" })).await;
    assert!(outcome.error().unwrap().message().contains("denied"), "{outcome:?}");
    let tool = bench.engine.registry().get("filesystem__read_text_file").unwrap();
    assert!(tool.spec.annotations.read_only);
    bench.servers.close().await;
}

#[tokio::test]
async fn memory_time_and_git_answer() {
    let Some(installed) = Installed::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("repo");
    let made = Command::new("git").arg("init").arg("-q").arg(&repository).status();
    assert!(made.unwrap().success());
    let bench = Bench::new(vec![
        installed.npm("memory", &[]),
        installed.python("time", &["--local-timezone", "Europe/Berlin"]),
        installed.python("git", &["--repository", repository.to_str().unwrap()]),
    ]);
    let failed = bench.servers.load().await;
    assert!(failed.is_empty(), "{failed:?}");
    let entity = json!({ "name": "Ada", "entityType": "person", "observations": ["wrote"] });
    let inputs = [
        ("create_entities", json!({ "entities": [entity] })),
        ("read_graph", json!({})),
        ("search_nodes", json!({ "query": "Ada" })),
        ("get_current_time", json!({ "timezone": "Asia/Tokyo" })),
        ("git_status", json!({ "repo_path": repository })),
    ];
    assert!(call_every_tool(&bench, &inputs).await >= inputs.len());
    bench.servers.close().await;
}

#[tokio::test]
async fn a_real_server_that_is_killed_during_a_call_comes_back() {
    let Some(installed) = Installed::find() else { return };
    let bench = Bench::started(vec![installed.npm("everything", &["stdio"])]).await;
    let name = "everything__trigger-long-running-operation";
    if !bench.engine.registry().has(name) {
        return skip("this release of server-everything has no long operation");
    }
    let pid = bench.servers.statuses().remove(0).pid.unwrap();
    // The server says that this tool may be repeated, which would hide the error.
    let context = Context { max_retries: 0, ..Context::default() };
    let call = Call::new(name, json!({ "duration": 30, "steps": 60 })).with_context(context);
    let mut stream = bench.engine.stream(call);
    let outcome = loop {
        match stream.next().await.unwrap() {
            // The first sign of progress: the call is under way.
            Followed::Item(_) => {
                Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
            }
            Followed::Outcome(outcome) => break outcome,
        }
    };
    let error = outcome.error().unwrap();
    assert_eq!(error.kind(), ErrorKind::UpstreamError);
    assert!(error.message().contains("`everything` ended with signal 9 (SIGKILL)"), "{error}");
    assert_eq!(bench.servers.statuses().remove(0).state, State::Failed);
    let outcome = bench.call("everything__echo", json!({ "message": "again" })).await;
    assert!(outcome.is_success(), "{outcome:?}");
    bench.servers.close().await;
}

/// Starts the server of everything, with all that it can ask for; waits for a tool of it.
async fn everything(installed: &Installed, tool: &str) -> Bench {
    let mut settings = installed.npm("everything", &["stdio"]);
    settings.roots = vec!["/srv/work".into()];
    let folder = tempfile::tempdir().unwrap();
    let offering = surroundings(folder.path()).with_sampling();
    let bench = Bench::around(offering, folder, Engine::builder(), vec![settings]);
    assert!(bench.servers.load().await.is_empty());
    // It lists what depends on our abilities only after it has learnt of them.
    poll(tool, || bench.engine.registry().has(&format!("everything__{tool}"))).await;
    bench
}

#[tokio::test]
async fn everything_asks_people_and_models() {
    let Some(installed) = Installed::find() else { return };
    let bench = everything(&installed, "trigger-elicitation-request").await;
    let someone = Someone::who_says(Answer::Accept(json!({ "name": "Ada", "integer": 7 })));
    let name = "everything__trigger-elicitation-request";
    let outcome = call_with(&bench, name, json!({}), &someone).await;
    let text = outcome.output().as_str().unwrap_or_default();
    assert!(text.contains("Name: Ada"), "{outcome:?}");
    let wrong = Someone::who_says(Answer::Accept(json!({ "integer": "many" })));
    let outcome = call_with(&bench, name, json!({}), &wrong).await;
    assert!(outcome.output().as_str().unwrap_or_default().contains("declined"), "{outcome:?}");
    poll("models", || bench.engine.registry().has("everything__trigger-sampling-request")).await;
    let input = json!({ "prompt": "hi", "maxTokens": 10 });
    let outcome = call_with(&bench, "everything__trigger-sampling-request", input, &someone).await;
    assert!(outcome.output().to_string().contains("hello"), "{outcome:?}");
    poll("roots", || bench.engine.registry().has("everything__get-roots-list")).await;
    let outcome = bench.call("everything__get-roots-list", json!({})).await;
    assert!(outcome.output().to_string().contains("file:///srv/work"), "{outcome:?}");
    bench.servers.close().await;
}

#[tokio::test]
async fn everything_sends_people_to_addresses() {
    let Some(installed) = Installed::find() else { return };
    let bench = everything(&installed, "trigger-url-elicitation").await;
    let name = "everything__trigger-url-elicitation";
    let someone = Someone::who_says(Answer::Accept(Value::Null));
    let input = json!({ "url": "https://a.example/", "message": "Go.", "errorPath": true });
    let outcome = call_with(&bench, name, input, &someone).await;
    assert!(outcome.is_success(), "{outcome:?}");
    let asked = someone.asked.lock().clone();
    let addresses: Vec<&str> = asked
        .iter()
        .map(|question| match question {
            Question::Visit { url, .. } => url.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    // The first stood in a refusal, after which the call was made again.
    assert_eq!(addresses, ["https://modelcontextprotocol.io/", "https://a.example/"]);
    bench.servers.close().await;
}

#[tokio::test]
async fn everything_arrives_as_it_was_sent() {
    let Some(installed) = Installed::find() else { return };
    let bench = everything(&installed, "get-tiny-image").await;
    let types = |value: &Value| {
        let blocks = value["content"].as_array().cloned().unwrap_or_default();
        blocks.iter().map(|block| block["type"].as_str().unwrap_or_default().to_owned()).collect()
    };
    for (tool, input, expected) in [
        ("get-tiny-image", json!({}), vec!["text", "image", "text"]),
        (
            "get-resource-links",
            json!({ "count": 2 }),
            vec!["text", "resource_link", "resource_link"],
        ),
        (
            "get-resource-reference",
            json!({ "resourceType": "Text", "resourceId": 1 }),
            vec!["text", "resource", "text"],
        ),
    ] {
        let outcome = bench.call(&format!("everything__{tool}"), input).await;
        let found: Vec<String> = types(outcome.output());
        assert_eq!(found, expected, "{tool}: {outcome:?}");
    }
    let input = json!({ "location": "Chicago" });
    let outcome = bench.call("everything__get-structured-content", input).await;
    assert!(outcome.output()["temperature"].is_number(), "{outcome:?}");
    let call = Call::new(
        "everything__trigger-long-running-operation",
        json!({ "duration": 1, "steps": 3 }),
    );
    let mut stream = bench.engine.stream(call);
    let mut steps = Vec::new();
    while let Some(followed) = stream.next().await {
        if let Followed::Item(StreamItem::Progress { done, total, .. }) = followed {
            steps.push((done, total));
        }
    }
    assert_eq!(steps.last(), Some(&(3.0, Some(3.0))), "{steps:?}");
    bench.servers.close().await;
}
