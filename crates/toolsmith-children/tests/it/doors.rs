//! A server in a network of its own is reached through sockets that were made there for us.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    task::JoinSet,
    time::timeout,
};
use toolsmith_children::{Child, ChildError, Children, Profile, Sandbox};
use toolsmith_testing::skip;

use crate::support::{BOUND, eventually, python};

/// Answers each connection with what it was sent, after the other side has said all.
const ECHO: &str = "
import socket, threading
door = socket.create_server(('127.0.0.1', 8000), backlog=64)
def serve(client):
    with client:
        while piece := client.recv(65536):
            client.sendall(piece)
while True:
    threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
";

async fn confined(sandbox: Sandbox) -> Option<Child> {
    let command = python(ECHO)?.with_sandbox(sandbox);
    match Children::new().spawn(command).await {
        Ok(child) => Some(child),
        Err(error @ ChildError::Sandbox { .. }) => {
            skip(&error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

async fn is_open(child: &Child, port: u16) -> bool {
    child.doors.as_ref().unwrap().knock(port).await.is_ok()
}

#[tokio::test]
async fn few_ways_carry_many_connections_one_after_the_other_and_at_once() {
    let sandbox = Sandbox { doors: 3, ..Sandbox::new(Profile::Strict) };
    let Some(child) = confined(sandbox).await else { return };
    let opened = async {
        while !is_open(&child, 8000).await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(BOUND, opened).await.unwrap();
    assert!(!is_open(&child, 8001).await, "nobody listens there");
    let outside = std::net::TcpStream::connect(("127.0.0.1", 8000));
    assert!(outside.is_err(), "the port is inside only");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let entrance = child.doors.as_ref().unwrap().serve(8000, &path).unwrap();
    let mut callers = JoinSet::new();
    for number in 0..20_u8 {
        let path = path.clone();
        callers.spawn(async move {
            for _ in 0..20 {
                let mut stream = UnixStream::connect(&path).await.unwrap();
                stream.write_all(&[number; 1000]).await.unwrap();
                stream.shutdown().await.unwrap();
                let mut answer = Vec::new();
                stream.read_to_end(&mut answer).await.unwrap();
                assert_eq!(answer, [number; 1000]);
            }
        });
    }
    timeout(BOUND, callers.join_all()).await.unwrap();
    drop(entrance);
    let mut is_closed = false;
    eventually("the way in is closed", || {
        is_closed = is_closed || std::os::unix::net::UnixStream::connect(&path).is_err();
        is_closed
    })
    .await;
}

#[tokio::test]
async fn without_a_network_of_its_own_there_are_no_ways_in() {
    let sandbox = Sandbox { doors: 3, ..Sandbox::new(Profile::Standard) };
    let Some(child) = confined(sandbox).await else { return };
    assert!(child.doors.is_none());
}

#[tokio::test]
async fn a_program_in_a_strict_sandbox_is_asked_to_end_before_it_is_made_to() {
    let script = "
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print('ready', flush=True)
signal.pause()
";
    let Some(command) = python(script) else { return };
    let command = command.with_sandbox(Sandbox::new(Profile::Strict));
    let mut child = match Children::new().spawn(command).await {
        Ok(child) => child,
        Err(error) => return skip(&error.to_string()),
    };
    let mut first = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut first).await.unwrap();
    child.ask_to_end();
    let exit = timeout(BOUND, child.exited()).await.unwrap();
    assert_eq!(exit.code(), Some(7));
}
