//! Ctrl-C, as a terminal sends it.

use std::{
    fs,
    io::Write,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{Place, Ran};

/// How long a process may take to listen, and to end: plenty for a machine under load.
const PATIENCE: Duration = Duration::from_secs(20);

/// The bit of SIGINT in the masks that the kernel shows.
const SIGINT: u64 = 1 << 1;

/// Tells whether the process has a handler for Ctrl-C; nothing where the kernel does not say.
pub(crate) fn listens(child: &Child) -> Option<bool> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
    Some(u64::from_str_radix(mask.trim(), 16).ok()? & SIGINT != 0)
}

/// Sends a signal to that one process.
fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Starts a command, writes to its standard input, and sends Ctrl-C while that stays open.
///
/// Nothing where the kernel does not show signal masks.
fn interrupted(arguments: &[&str], input: &[u8]) -> Option<Ran> {
    told_to_end("-INT", arguments, input)
}

/// The same with another signal.
fn told_to_end(signal: &str, arguments: &[&str], input: &[u8]) -> Option<Ran> {
    let place = Place::new();
    let mut command = place.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    let began = Instant::now();
    loop {
        match listens(&child) {
            Some(true) => break,
            Some(false) if began.elapsed() < PATIENCE => sleep(Duration::from_millis(2)),
            Some(false) => panic!("it never listens for Ctrl-C"),
            None => {
                drop(stdin);
                child.wait().unwrap();
                toolsmith_testing::skip("the kernel does not show signal masks");
                return None;
            }
        }
    }
    send(signal, &child);
    // Standard input stays open: the end must not wait for it.
    let ran = Ran::from_output(child.wait_with_output().unwrap());
    assert!(began.elapsed() < PATIENCE);
    drop(stdin);
    Some(ran)
}

#[test]
fn a_batch_that_waits_for_calls_ends_in_order() {
    let Some(ran) = interrupted(&["batch", "-", "--json"], b"{\"tool\": \"echo\"}\n") else {
        return;
    };
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(130), ""));
    assert_eq!(ran.json()["outcomes"], Value::Array(Vec::new()));
}

#[test]
fn service_managers_and_closed_terminals_are_obeyed_like_ctrl_c() {
    for signal in ["-TERM", "-HUP"] {
        let Some(ran) = told_to_end(signal, &["batch", "-", "--json"], b"") else { return };
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(130), ""), "{signal}");
        assert_eq!(ran.json()["outcomes"], Value::Array(Vec::new()));
    }
}

#[test]
fn a_run_that_waits_for_its_input_ends_in_order() {
    let Some(ran) = interrupted(&["run", "echo", "--params", "-", "--json"], b"{") else {
        return;
    };
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(130), ""));
    assert_eq!(ran.error_type(), "cancelled");
}
