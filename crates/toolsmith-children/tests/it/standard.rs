//! What a standard sandbox holds back, and what it lets through.

use std::{
    fs,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener},
    },
};

use toolsmith_children::{Command, Profile, Sandbox};

use crate::support::{confine, has_ended, python, sh};

fn standard() -> Sandbox {
    Sandbox::new(Profile::Standard)
}

/// A folder outside of the system's temporary one, which every program may use.
fn elsewhere() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(folder.path().join("file"), "content\n").unwrap();
    folder
}

fn has_landlock() -> bool {
    landlock() >= 1
}

/// The version of the kernel's Landlock; nothing where there is none, or no Python to ask.
fn landlock() -> i32 {
    let probe = "import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))";
    let output = std::process::Command::new("python3").args(["-c", probe]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().trim().parse().unwrap_or_default()
}

#[tokio::test]
async fn files_outside_are_neither_read_nor_changed() {
    if !has_landlock() {
        return toolsmith_testing::skip("this kernel has no Landlock, or python3 is missing");
    }
    let (hidden, shown, own) = (elsewhere(), elsewhere(), elsewhere());
    let script = format!(
        "cat {0}/file; echo x > {0}/file; ls {0}; cat {1}/file; echo x > {1}/new; rm {1}/file; \
         cat {2}/file; echo changed > {2}/file; ln -s {0}/file {2}/link; cat {2}/link",
        hidden.path().display(),
        shown.path().display(),
        own.path().display(),
    );
    let sandbox = Sandbox {
        read: vec![shown.path().to_owned()],
        write: vec![own.path().to_owned()],
        ..standard()
    };
    let report = confine(sh(&script), &sandbox).await.unwrap();
    assert_eq!(report.finished.stdout, b"content\ncontent\n", "{}", report.text);
    assert_eq!(fs::read_to_string(hidden.path().join("file")).unwrap(), "content\n");
    assert_eq!(fs::read_to_string(own.path().join("file")).unwrap(), "changed\n");
    assert!(!shown.path().join("new").exists());
}

#[tokio::test]
async fn nobody_else_is_looked_into() {
    if !has_landlock() {
        return toolsmith_testing::skip("this kernel has no Landlock, or python3 is missing");
    }
    let script = format!("cat /proc/{}/environ; cat /proc/$PPID/environ", std::process::id());
    let report = confine(sh(&script), &standard()).await.unwrap();
    assert!(report.finished.stdout.is_empty(), "{}", report.text);
    assert!(report.text.contains("ermission denied"), "{}", report.text);
}

#[tokio::test]
async fn neither_signals_nor_nameless_sockets_reach_others() {
    if landlock() < 6 {
        return toolsmith_testing::skip("this kernel's Landlock knows no scopes (Linux 6.12 does)");
    }
    let mut witness = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let name = format!("toolsmith-standard-{}", witness.id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let listener = UnixListener::bind_addr(&address).unwrap();
    listener.set_nonblocking(true).unwrap();
    let program = format!(
        "import os, socket\n\
         def attempt(act):\n\
         \ttry: act(); print('done')\n\
         \texcept OSError: print('refused')\n\
         attempt(lambda: os.kill({}, 9))\n\
         attempt(lambda: os.kill(os.getppid(), 9))\n\
         attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}'))\n\
         attempt(lambda: open('/proc/%d/mem' % os.getppid(), 'rb'))\n\
         attempt(lambda: os.kill(os.getpid(), 0))\n",
        witness.id()
    );
    let report = match python(&program) {
        Some(command) => confine(command, &standard()).await,
        None => None,
    };
    let has_ended = has_ended(witness.id().cast_signed());
    witness.kill().unwrap();
    witness.wait().unwrap();
    assert!(!has_ended && listener.accept().is_err());
    let Some(report) = report else { return };
    assert_eq!(report.text, format!("{}done\n", "refused\n".repeat(4)));
}

#[tokio::test]
async fn no_rights_are_gained() {
    let report = confine(sh("grep NoNewPrivs /proc/self/status"), &standard()).await.unwrap();
    assert_eq!(report.text, "NoNewPrivs:\t1\n");
}

#[tokio::test]
async fn the_network_is_ours_unless_hosts_are_listed() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let program = format!(
        "import socket\n\
         try: socket.create_connection(('127.0.0.1', {port}), 2); print('reached')\n\
         except OSError: print('refused')\n"
    );
    let Some(command) = python(&program) else { return };
    let attempt = |command: Command, sandbox| async move { confine(command, &sandbox).await };
    let report = attempt(command.clone(), standard()).await.unwrap();
    assert_eq!(report.text, "reached\n");
    let listed = Sandbox { hosts: vec!["example.org".to_owned()], ..standard() };
    let Some(report) = attempt(command, listed).await else { return };
    assert_eq!(report.text, "refused\n");
}
