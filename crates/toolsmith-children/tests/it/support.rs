//! What the tests share: commands to run, and a look at the process table.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use toolsmith_children::{ChildError, Children, Command, Exchange, Finished, Sandbox};
use toolsmith_testing::skip;

/// How long a test waits for something that must happen.
pub(crate) const BOUND: Duration = Duration::from_secs(10);

/// A script for the shell; the library itself never uses one.
pub(crate) fn sh(script: &str) -> Command {
    let path = BTreeMap::from([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())]);
    Command::new("/bin/sh", Path::new("/")).with_args(["-c", script]).with_env(path)
}

pub(crate) async fn run(script: &str) -> Finished {
    Children::new().run(sh(script), Exchange::feeding("")).await.unwrap()
}

/// What is left of a command in a sandbox.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) finished: Finished,
    /// What it wrote and what it complained about.
    pub(crate) text: String,
}

/// Runs a command in a sandbox; nothing, and a loud skip, where the machine cannot enforce it.
pub(crate) async fn confine(command: Command, sandbox: &Sandbox) -> Option<Report> {
    let command = command.with_sandbox(sandbox.clone());
    match Children::new().run(command, Exchange::feeding("")).await {
        Ok(finished) => {
            let said = [&*finished.stdout, &*finished.stderr_tail].concat();
            let text = String::from_utf8_lossy(&said).into_owned();
            Some(Report { finished, text })
        }
        Err(error @ ChildError::Sandbox { .. }) => {
            let mut probe = std::process::Command::new("unshare");
            probe.args(["--user", "--net", "--ipc", "--mount", "--pid", "--fork", "true"]);
            let can_part = probe.status().is_ok_and(|status| status.success());
            assert!(!can_part, "the machine has namespaces: {error}");
            skip(&error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A program in Python; nothing, and a loud skip, where there is none.
pub(crate) fn python(program: &str) -> Option<Command> {
    let file = Path::new("/usr/bin/python3");
    if !file.exists() {
        skip("there is no python3");
        return None;
    }
    let path = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
    Some(Command::new(file, Path::new("/")).with_args(["-c", program]).with_env(path))
}

/// The state letter of a process; nothing when it is not there at all.
pub(crate) fn state(pid: i32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// The number of the process that a process is a child of.
pub(crate) fn parent(pid: i32) -> i32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Whether a process runs no more; who reaps a stranger's child is not ours to say.
pub(crate) fn has_ended(pid: i32) -> bool {
    state(pid).is_none_or(|state| state == 'Z' || state == 'X')
}

/// Our children that have ended and that nobody has reaped.
pub(crate) fn zombies() -> Vec<String> {
    let ours = std::process::id().to_string();
    let stats = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    stats
        .filter(|stat| {
            let fields = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
            let mut fields = fields.split(' ');
            fields.next() == Some("Z") && fields.next() == Some(ours.as_str())
        })
        .collect()
}

/// Waits until something is so; says what when it never is.
pub(crate) async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + BOUND;
    while !is_so() {
        assert!(Instant::now() < until, "not within {BOUND:?}: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until a script has written the numbers of its processes into a file.
pub(crate) async fn pids(file: &Path, count: usize) -> Vec<i32> {
    let read = || -> Vec<i32> {
        let text = fs::read_to_string(file).unwrap_or_default();
        text.lines().filter_map(|line| line.trim().parse().ok()).collect()
    };
    eventually("the script has started everything", || read().len() >= count).await;
    read()
}
