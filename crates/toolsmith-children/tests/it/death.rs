//! When our process dies at once, everything that it started dies too.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use crate::support::eventually;

/// The test that plays the process that dies, and so runs only when it is asked for by name.
const VICTIM: &str = "death::inner::";

/// How many looks in a row must find nobody: one that forks may slip through a single one.
const LOOKS: usize = 5;

/// Processes of every kind that try to outlive their parents; all have MARK among their arguments.
const TREE: &str = r"
    stay='while :; do sleep 0.2; done # MARK'
    sh -c '# MARK
        sh -c '\''while :; do sleep 0.2; done # MARK'\'' & wait' &
    trap '' HUP TERM
    setsid sh -c ''$stay'' &
    (env -i setsid nohup sh -c ''$stay'' >/dev/null 2>&1 </dev/null &)
    (setsid sh -c '(setsid sh CHAIN MARK >/dev/null 2>&1 </dev/null &)' &)
    wait
";

/// Starts another one of itself in a session of its own and ends, again and again.
const CHAIN: &str = "sleep 0.02\nsetsid sh \"$0\" \"$1\" &\n";

#[tokio::test]
async fn nothing_outlives_a_process_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("mark-{}", folder.path().file_name().unwrap().to_str().unwrap());
    let chain = folder.path().join("chain.sh");
    fs::write(&chain, CHAIN).unwrap();
    let script = TREE.replace("MARK", &mark).replace("CHAIN", chain.to_str().unwrap());
    let file = folder.path().join("tree.sh");
    fs::write(&file, script.replace("''$stay''", "\"$stay\"")).unwrap();
    let _sweeper = Sweeper(mark.clone());

    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args([VICTIM, "--test-threads=1", "--nocapture", file.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("the trees grow")));
    let has = |part: &str, count| {
        marked(&mark).iter().filter(|line| line.contains(part)).count() >= count
    };
    eventually("both trees stand", || has("while :;", 8) && has("chain.sh", 2)).await;
    victim.kill().unwrap();
    victim.wait().unwrap();
    let mut looks = 0;
    eventually("nobody is left", || {
        looks = if marked(&mark).is_empty() { looks + 1 } else { 0 };
        looks >= LOOKS
    })
    .await;
    eventually("no guard is left", || marked(file.to_str().unwrap()).is_empty()).await;
}

/// The command lines of the living processes that have a text among their arguments.
fn marked(mark: &str) -> Vec<String> {
    found(mark).into_iter().map(|(_, line)| line).collect()
}

fn found(mark: &str) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir("/proc").unwrap();
    let entries = entries.filter_map(|entry| Some(entry.ok()?.path()));
    entries
        .filter_map(|path| {
            let line = fs::read(path.join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(mark).then_some((path, line))
        })
        .collect()
}

/// Ends what a failed test leaves behind.
struct Sweeper(String);

impl Drop for Sweeper {
    fn drop(&mut self) {
        for (path, _) in found(&self.0) {
            let pid = path.file_name().unwrap_or_default();
            Command::new("kill").arg("-9").arg(pid).status().ok();
        }
    }
}

mod inner {
    use toolsmith_children::{Children, Command, Exchange, Profile, Sandbox};

    use super::*;
    use crate::support::sh;

    #[tokio::test]
    async fn victim() {
        let asked = std::env::args().any(|argument| argument == VICTIM);
        let script = std::env::args().find(|argument| argument.ends_with("tree.sh"));
        let Some(script) = script.filter(|_| asked) else { return };
        let children = Children::new();
        let tree = Command { args: vec![script.into()], ..sh("") };
        let held = children.spawn(tree.clone()).await.unwrap();
        // Where a strict sandbox cannot be enforced, there is one tree less to outlive us.
        let folder = tree.args.first().map(|script| Path::new(script).parent().unwrap().to_owned());
        let sandbox = Sandbox { read: Vec::from_iter(folder), ..Sandbox::new(Profile::Strict) };
        let confined = children.spawn(tree.clone().with_sandbox(sandbox)).await.ok();
        let run = children.run(tree, Exchange::feeding(""));
        println!("the trees grow");
        tokio::time::timeout(Duration::from_mins(1), run).await.ok();
        drop((held, confined));
    }
}
