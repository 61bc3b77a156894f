//! Functions of Python, run by the real uv.

use std::{collections::BTreeMap, fs, sync::Arc, time::Duration};

use tokio::{
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use toolsmith_children::Children;
use toolsmith_core::{Advice, Confinement, ErrorKind, SandboxProfile, Value, json};
use toolsmith_net::{Client, Settings};
use toolsmith_testing::{fixtures, skip};

use super::PythonMaker;
use crate::{
    life::{Services, State},
    workbench::{self, Bench},
};

const CODE: &str = r#"
import asyncio, dataclasses, os, sys, threading, time

def count(text, times=1):
    print("counting", text)
    os.write(1, b"around Python's own streams\n")
    return {"words": len(text.split()) * times, "pid": os.getpid(), "stdin": sys.stdin.read()}

barrier = threading.Barrier(8)

def together(**_):
    barrier.wait(20)
    return "met"

async def later(seconds=0.0):
    await asyncio.sleep(seconds)
    return ("a", {1})

def wrong(n):
    raise ValueError(f"{n} is too small")

def odd():
    return object()

def stuck():
    open("stuck", "w").close()
    time.sleep(600)

def attempt(code):
    return str(eval(code))

def packaged():
    import idna
    return idna.encode("b\u00fccher").decode()

def huge(size):
    return "x" * size

@dataclasses.dataclass
class Point:
    x: int

def point(x):
    return Point(x)

class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")

def unreadable(which):
    deep = []
    for _ in range(300):
        deep = [deep]
    return {"half": "\ud800", "key": {"\ud800": 1}, "vast": 10**400, "deep": deep}[which]

def complain(which):
    raise {"half": ValueError("\ud800"), "mute": Mute()}[which]

async def garble():
    for number in range(3, 256):
        try:
            if os.readlink(f"/proc/self/fd/{number}").startswith("pipe:"):
                os.write(number, b"no answer at all\n")
        except OSError:
            pass
    await asyncio.sleep(600)
"#;

struct Yard {
    folder: tempfile::TempDir,
    services: Services,
}

fn yard() -> Option<Yard> {
    let uv = fixtures::uv()?;
    let mut environment: BTreeMap<String, String> = std::env::vars().collect();
    let path = environment.get("PATH").cloned().unwrap_or_default();
    environment.insert("PATH".to_owned(), format!("{}:{path}", uv.display()));
    environment.insert("UV_PYTHON_DOWNLOADS".to_owned(), "never".to_owned());
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("pkg")).unwrap();
    fs::write(folder.path().join("pkg/text.py"), CODE).unwrap();
    let client = Client::new(Settings::default()).unwrap();
    Some(Yard { folder, services: Services::new(Children::new(), environment, client) })
}

impl Yard {
    fn tool(&self, function: &str) -> Bench {
        self.make(&json!({ "module": "pkg.text", "function": function })).unwrap()
    }

    fn make(&self, entry: &Value) -> Result<Bench, Vec<String>> {
        let maker = PythonMaker::new(self.services.clone());
        let mut entry = entry.clone();
        entry["health"] = json!({ "timeout": 60 });
        let mut tool = workbench::make(&maker, &entry, &[], self.folder.path())?;
        tool.patience = Duration::from_mins(2);
        Ok(tool)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_is_called_with_its_parameters_and_prints_to_the_log() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let tool = yard.make(&json!({ "file": "pkg/text.py", "function": "count" })).unwrap();
    let begun = Instant::now();
    let output = tool.call(json!({ "text": "a b c", "times": 2 })).await.unwrap();
    println!("cold start of a Python function: {:?}", begun.elapsed());
    assert_eq!((output["words"].as_u64(), output["stdin"].as_str()), (Some(6), Some("")));
    let begun = Instant::now();
    for _ in 0..1_000 {
        let again = tool.call(json!({ "text": "a" })).await.unwrap();
        assert_eq!(again["pid"], output["pid"]);
    }
    println!("a warm call of a Python function: {:?}", begun.elapsed() / 1_000);
    let error = tool.call(json!({ "txt": "a" })).await.unwrap_err();
    assert_eq!((error.kind(), error.advice()), (ErrorKind::ExecutionError, Advice::Differently));
    let told =
        "The function `count` does not take this input: missing a required argument: 'text'.";
    assert_eq!(error.message(), told);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_run_side_by_side() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let tool = Arc::new(yard.tool("together"));
    let mut callers = JoinSet::new();
    for _ in 0..8 {
        let tool = Arc::clone(&tool);
        callers.spawn(async move { tool.call(json!({})).await.unwrap() });
    }
    assert!(callers.join_all().await.iter().all(|output| output == "met"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_function_does_wrong_is_told_to_its_caller() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let error = yard.tool("wrong").call(json!({ "n": 1 })).await.unwrap_err();
    assert_eq!((error.kind(), error.advice()), (ErrorKind::ExecutionError, Advice::Differently));
    let told =
        "The function `wrong` raised ValueError: 1 is too small (text.py, line 20, in wrong)";
    assert_eq!(error.message(), told);
    let error = yard.tool("odd").call(json!({})).await.unwrap_err();
    assert!(error.message().contains("object is not JSON"), "{error}");
    let error = yard.tool("absent").call(json!({})).await.unwrap_err();
    let told = "The function `absent` could not be loaded: ImportError: pkg.text has no function \
                absent.";
    assert!(error.message().starts_with(told), "{error}");
    assert_eq!(yard.tool("later").call(json!({})).await.unwrap(), json!(["a", [1]]));
    assert_eq!(yard.tool("point").call(json!({ "x": 2 })).await.unwrap(), json!({ "x": 2 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_fails_its_call_at_once() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let told = |tool: Arc<Bench>, which: &'static str| async move {
        let call = timeout(Duration::from_mins(1), tool.call(json!({ "which": which })));
        let error = call.await.expect("it is told at once").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ExecutionError, "{error}");
        error.message().to_owned()
    };
    let tool = Arc::new(yard.tool("unreadable"));
    for (which, why) in [
        ("half", "cannot be written as JSON: 'utf-8' codec can't encode character"),
        ("key", "cannot be written as JSON: 'utf-8' codec can't encode character"),
        ("vast", "cannot be read as JSON: number out of range"),
        ("deep", "cannot be read as JSON: recursion limit exceeded"),
    ] {
        let message = told(Arc::clone(&tool), which).await;
        assert!(message.contains(why), "{which}: {message}");
    }
    let tool = Arc::new(yard.tool("complain"));
    let message = told(Arc::clone(&tool), "half").await;
    assert!(message.contains("raised ValueError: ?"), "{message}");
    let message = told(tool, "mute").await;
    assert!(message.contains("raised Mute:"), "{message}");
    let tool = Arc::new(yard.tool("garble"));
    let call = timeout(Duration::from_mins(1), tool.call(json!({})));
    let error = call.await.expect("it is told at once").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExecutionError, "{error}");
    assert!(error.message().contains("cannot be read as JSON"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_nobody_waits_for_is_ended() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let tool = yard.tool("stuck");
    let state = || yard.services.status("tested").unwrap().state;
    let call = tool.call(json!({}));
    let sign = yard.folder.path().join("stuck");
    let running = async {
        while !sign.exists() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        result = call => panic!("it ended by itself: {result:?}"),
        () = running => {}
    }
    let failed = async {
        while state() != State::Failed {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(20), failed).await.unwrap();
}

#[test]
fn wrong_entries_say_what_is_wrong() {
    let client = Client::new(Settings::default()).unwrap();
    let services = Services::new(Children::new(), BTreeMap::new(), client);
    let maker = PythonMaker::new(services);
    for (entry, expected) in [
        (
            json!({ "function": "f" }),
            "/entry: `module` is missing: say where the function is: `module: pkg.mod` or `file: \
             ./mod.py`",
        ),
        (json!({ "module": "m" }), "/entry: `function` is missing: say which function to call"),
        (
            json!({ "module": "m", "file": "m.py", "function": "f" }),
            "/entry/file: `module` says where the function is already",
        ),
        (
            json!({ "module": "m", "function": "os.system('x')" }),
            "/entry/function: expected the name of a function, found \"os.system('x')\"",
        ),
        (
            json!({ "module": "m", "function": "f", "dependencies": ["--index-url=x"] }),
            "/entry/dependencies: expected packages such as `httpx>=0.28`",
        ),
    ] {
        let faults = workbench::make(&maker, &entry, &[], std::path::Path::new(".")).err();
        assert_eq!(faults, Some(vec![expected.to_owned()]));
    }
}

fn confine(yard: &Yard, function: &str, confinement: &Confinement) -> Bench {
    let maker = PythonMaker::new(yard.services.clone());
    let entry = json!({
        "module": "pkg.text",
        "function": function,
        "health": { "timeout": 60 },
        "dependencies": if function == "packaged" { json!(["idna"]) } else { json!([]) },
    });
    let mut tool = workbench::confine(&maker, &entry, yard.folder.path(), confinement).unwrap();
    tool.patience = Duration::from_mins(2);
    tool
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_in_a_sandbox_answers_and_gets_nowhere() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "the-secret").unwrap();
    let strict = Confinement::new(SandboxProfile::Strict);
    let tool = confine(&yard, "attempt", &strict);
    let begun = Instant::now();
    let read = json!({ "code": format!("open({:?}).read()", secret.display().to_string()) });
    let error = tool.call(read.clone()).await.unwrap_err();
    if error.message().contains("cannot be enforced") {
        return workbench::skip_without_sandbox(&error);
    }
    println!("cold start of a Python function in strict: {:?}", begun.elapsed());
    assert!(error.message().contains("raised FileNotFoundError"), "{error}");
    for code in [
        "__import__('socket').create_connection(('1.1.1.1', 53), 2)".to_owned(),
        "open('pkg/text.py', 'a')".to_owned(),
        format!("__import__('os').kill({}, 15)", std::process::id()),
    ] {
        let error = tool.call(json!({ "code": code })).await.unwrap_err();
        assert!(error.message().contains("Error: "), "{error}");
    }
    assert_eq!(tool.call(json!({ "code": "1 + 1" })).await.unwrap(), json!("2"));
    drop(tool);
    let shown = vec![outside.path().display().to_string()];
    let tool = confine(&yard, "attempt", &Confinement { read: shown, ..strict });
    assert_eq!(tool.call(read).await.unwrap(), json!("the-secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn packages_that_a_function_depends_on_are_there_in_and_out_of_a_sandbox() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let entry = json!({ "module": "pkg.text", "function": "packaged", "dependencies": ["idna"] });
    let plain = yard.make(&entry).unwrap();
    match plain.call(json!({})).await {
        Ok(output) => assert_eq!(output, json!("xn--bcher-kva")),
        Err(error) => return skip(&format!("no registry of packages is reached: {error}")),
    }
    let tool = confine(&yard, "packaged", &Confinement::new(SandboxProfile::Strict));
    match tool.call(json!({})).await {
        Ok(output) => assert_eq!(output, json!("xn--bcher-kva")),
        Err(error) => workbench::skip_without_sandbox(&error),
    }
    let entry = json!({ "module": "pkg.text", "function": "packaged", "dependencies": ["no-such-pkg-at-all"] });
    let error = yard.make(&entry).unwrap().call(json!({})).await.unwrap_err();
    assert!(error.message().contains("no-such-pkg-at-all"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_end_ends_the_process_and_not_the_caller_s_patience() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let tool = yard.tool("huge");
    let error = tool.call(json!({ "size": 40 << 20 })).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UpstreamError);
    // Nobody waits for a process that is not listened to.
    let call = timeout(Duration::from_secs(20), tool.call(json!({ "size": 1 })));
    call.await.unwrap().ok();
    let again = async {
        while tool.call(json!({ "size": 1 })).await.is_err() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(30), again).await.unwrap();
}
