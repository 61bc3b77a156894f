//! The beginnings of definitions are definitions.

use std::{
    io::{BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use toolsmith_core::ToolName;
use toolsmith_definitions::{Definitions, Strictness, scaffold};
use toolsmith_testing::skip;

use crate::support::{Folder, engine, makers, vault};

#[test]
fn every_beginning_is_valid_without_a_warning() {
    let definitions =
        Definitions::open(Vec::new(), makers(), vault()).with_strictness(Strictness::Strict);
    for kind in scaffold::KINDS.into_iter().chain(["rest"]) {
        let files = scaffold::files(kind, &ToolName::new("my-tool").unwrap()).unwrap();
        let loaded = definitions.check(Path::new("t.yaml"), &files[0].text);
        assert_eq!(files[0].path, "my-tool.yaml");
        // Without its maker a type can only be warned about, which counts in strict mode.
        let problems = loaded.problems.iter().map(ToString::to_string);
        let problems: Vec<String> =
            problems.filter(|problem| !problem.contains("do not run in this version")).collect();
        assert_eq!(problems, [""; 0], "{kind}");
        let is_named = |tool: &toolsmith_core::Tool| tool.spec.name.as_str() == "my-tool";
        assert!(loaded.tools.first().is_none_or(is_named), "{kind}");
    }
    assert!(scaffold::files("nothing", &ToolName::new("a").unwrap()).is_none());
}

#[tokio::test]
async fn the_beginning_with_a_built_in_tool_runs_as_it_is() {
    let folder = Folder::new();
    for file in scaffold::files("builtin", &ToolName::new("mine").unwrap()).unwrap() {
        folder.write(&file.path, &file.text);
    }
    let engine = engine();
    folder.definitions().attach(&engine);
    let call = toolsmith_core::Call::new("mine", toolsmith_core::json!({"message": "hi"}));
    assert_eq!(engine.call(call).await.output()["message"], "hi");
}

#[test]
fn the_beginning_of_a_process_lets_a_burst_of_connections_wait() {
    let folder = Folder::new();
    for file in scaffold::files("process", &ToolName::new("mine").unwrap()).unwrap() {
        folder.write(&file.path, &file.text);
    }
    // It listens and takes nobody, as it does while it is busy.
    let busy = "import main, sys; server = main.Server(('127.0.0.1', 0), main.Handler); \
                print(server.server_port, flush=True); sys.stdin.read()";
    let started = Command::new("python3")
        .args(["-B", "-c", busy])
        .current_dir(folder.path("mine"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut server) = started else { return skip("there is no python3") };
    let mut port = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.trim().parse().unwrap()));
    let connect = |_| TcpStream::connect_timeout(&address, Duration::from_secs(10));
    let waiting: Result<Vec<TcpStream>, _> = (0..100).map(connect).collect();
    drop(server.stdin.take());
    server.wait().unwrap();
    assert_eq!(waiting.unwrap().len(), 100);
}
