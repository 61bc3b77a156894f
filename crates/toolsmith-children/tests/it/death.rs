//! When our process dies at once, or a call runs out of time, the whole tree dies too.
//!
//! How long that took is printed; two seconds are what is promised.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;
use toolsmith_children::{Children, Exchange};
use toolsmith_testing::skip;

use crate::support::{eventually, sh};

/// The test that plays the process that dies, and so runs only when it is asked for by name.
const VICTIM: &str = "death::inner::";

/// The test that plays a process whose child hangs in a folder of a server that never answers.
const HANGING: &str = "death::inner::hanging";

/// How long a call may take.
const DEADLINE: Duration = Duration::from_secs(1);

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

/// A script that grows a tree, in a folder of its own, and the mark of its processes.
struct Script {
    _folder: TempDir,
    file: String,
    mark: String,
    /// Comes last, so that the folder is there until nobody is left.
    _sweeper: Sweeper,
}

fn script() -> Script {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("mark-{}", folder.path().file_name().unwrap().to_str().unwrap());
    let chain = folder.path().join("chain.sh");
    fs::write(&chain, CHAIN).unwrap();
    let script = TREE.replace("MARK", &mark).replace("CHAIN", chain.to_str().unwrap());
    let file = folder.path().join("tree.sh");
    fs::write(&file, script.replace("''$stay''", "\"$stay\"")).unwrap();
    let (file, sweeper) = (file.to_str().unwrap().to_owned(), Sweeper(mark.clone()));
    Script { _folder: folder, file, mark, _sweeper: sweeper }
}

/// Waits until as many trees as that have grown to the full.
async fn stands(mark: &str, trees: usize) {
    let has =
        |part: &str, count| marked(mark).iter().filter(|line| line.contains(part)).count() >= count;
    let all = || has("while :;", 4 * trees) && has("chain.sh", trees);
    eventually("the trees stand", all).await;
}

/// Waits until nobody of the trees is left; prints how long that took since a moment.
async fn falls(mark: &str, what: &str, since: Instant) {
    let (mut looks, mut last) = (0, since);
    eventually("nobody is left", || {
        if marked(mark).is_empty() {
            looks += 1;
        } else {
            (looks, last) = (0, Instant::now());
        }
        looks >= LOOKS
    })
    .await;
    println!("{what}: somebody was last seen {:?} later", last - since);
}

#[tokio::test]
async fn nothing_outlives_a_process_that_is_killed() {
    let script = script();
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args([VICTIM, "--test-threads=1", "--nocapture", &script.file])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("the trees grow")));
    stands(&script.mark, 2).await;
    let killed = Instant::now();
    victim.kill().unwrap();
    victim.wait().unwrap();
    falls(&script.mark, "killed", killed).await;
    eventually("no guard is left", || marked(&script.file).is_empty()).await;
}

#[tokio::test]
async fn a_child_that_hangs_before_its_program_dies_too() {
    let folder = tempfile::tempdir().unwrap();
    let (path, this) = (folder.path().to_str().unwrap(), std::env::current_exe().unwrap());
    // Whoever opened the device is the server: here a shell that never answers.
    let script = format!(
        "exec 3<>/dev/fuse || exit 1; \
         mount -i -n -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 hang {path} || exit 1; \
         {} {HANGING} --nocapture {path} 3<&-; read line",
        this.display()
    );
    let mut server = Command::new("unshare");
    server.args(["--mount", "--propagation", "private", "sh", "-c", &script]);
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut server) = server.spawn() else { return skip("there is no `unshare`") };
    let lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let said = lines.map_while(Result::ok).find_map(|line| {
        line.contains("the child hangs").then(|| line.split(' ').next_back().unwrap().to_owned())
    });
    let Some(owner) = said else {
        server.wait().unwrap();
        return skip("file systems cannot be served here");
    };
    // The shell, the owner, its keeper, a guard and the child that is still a copy of the guard.
    eventually("the child is on its way", || marked(path).len() >= 5).await;
    let killed = Instant::now();
    Command::new("kill").args(["-9", &owner]).status().unwrap();
    eventually("only the server is left", || marked(path).len() <= 1).await;
    println!("hanging: everybody was gone {:?} later", killed.elapsed());
    drop(server.stdin.take());
    server.wait().unwrap();
}

#[tokio::test]
async fn a_call_that_runs_out_of_time_takes_its_tree_along() {
    let script = script();
    let children = Children::new();
    let tree = toolsmith_children::Command { args: vec![(&script.file).into()], ..sh("") };
    let began = Instant::now();
    let run = tokio::time::timeout(DEADLINE, children.run(tree, Exchange::feeding("")));
    let (timed_out, seen) = tokio::join!(run, async {
        // How far a tree gets in its time depends on the machine.
        let mut seen = 0;
        while began.elapsed() < DEADLINE {
            seen = seen.max(marked(&script.mark).len());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        seen
    });
    timed_out.unwrap_err();
    assert!(seen > 0);
    println!("the caller had its timeout of {DEADLINE:?} after {:?}", began.elapsed());
    falls(&script.mark, "timed out", began + DEADLINE).await;
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
    use toolsmith_children::{Command, Profile, Sandbox};

    use super::*;

    #[tokio::test]
    async fn hanging() {
        let mut arguments = std::env::args().skip_while(|argument| argument != HANGING);
        let Some(folder) = arguments.nth(2) else { return };
        println!("the child hangs: {}", std::process::id());
        let command = Command::new("/bin/true", Path::new(&folder));
        Children::new().run(command, Exchange::feeding("")).await.ok();
    }

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
