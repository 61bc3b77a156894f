//! What a child is given and what comes back.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use toolsmith_children::{
    ChildError, Children, Command, Exchange, Exit, Follower, Limits, Overflow, clean,
};
use toolsmith_core::BoxFuture;

use crate::support::{run, sh};

const TEN_MEGABYTES: usize = 10_000_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_megabytes_go_both_ways_at_once() {
    let input: Vec<u8> = (0..TEN_MEGABYTES).map(|n| u8::try_from(n % 251).unwrap()).collect();
    let cat = Command::new("/bin/cat", Path::new("/"));
    let finished = Children::new().run(cat, Exchange::feeding(input.clone())).await.unwrap();
    assert_eq!(finished.exit, Exit::Code(0));
    assert!(finished.stdout == input);
}

#[tokio::test]
async fn a_child_that_reads_nothing_of_a_long_input_still_ends() {
    let input = vec![b'x'; TEN_MEGABYTES];
    let finished = Children::new().run(sh("echo done"), Exchange::feeding(input)).await.unwrap();
    assert_eq!(finished.stdout, b"done\n");
}

#[tokio::test]
async fn output_and_complaints_of_any_length_do_not_block_each_other() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; \
                  echo complaint-0123456789-0123456789-$i >&2; i=$((i+1)); done";
    let finished = run(script).await;
    assert_eq!(finished.stdout.len(), 3000 * 41);
    assert_eq!(finished.stderr_tail.len(), 4096);
    assert!(finished.stderr_tail.ends_with(b"-2999\n"));
}

#[tokio::test]
async fn exit_codes_and_signals_are_told_apart() {
    assert_eq!(run("exit 0").await.exit, Exit::Code(0));
    assert_eq!(run("exit 42").await.exit, Exit::Code(42));
    let killed = run("kill -9 $$").await.exit;
    assert_eq!(killed, Exit::Signal(9));
    assert_eq!(killed.signal_name().as_deref(), Some("SIGKILL"));
    assert_eq!(run("kill -SEGV $$").await.exit.to_string(), "signal 11 (SIGSEGV)");
}

#[tokio::test]
async fn too_much_output_fails_or_is_cut() {
    let children = Children::new();
    let exchange = Exchange { max_stdout: 1000, ..Exchange::feeding("") };
    let error = children.run(sh("yes"), exchange).await.unwrap_err();
    assert!(matches!(error, ChildError::TooMuchOutput { limit: 1000 }), "{error}");
    let cut = Exchange { max_stdout: 1000, overflow: Overflow::Cut, ..Exchange::feeding("") };
    let finished = children.run(sh("head -c 5000000 /dev/zero"), cut).await.unwrap();
    assert_eq!((finished.stdout.len(), finished.truncated), (1000, true));
    assert_eq!(finished.exit, Exit::Code(0));
    let exact = Exchange { max_stdout: 5, ..Exchange::feeding("") };
    let finished = children.run(sh("printf 12345"), exact).await.unwrap();
    assert_eq!((finished.stdout.as_slice(), finished.truncated), (&b"12345"[..], false));
}

#[tokio::test]
async fn a_child_sees_its_own_environment_and_nothing_of_ours() {
    let ours = ["PATH", "AWS_SECRET_ACCESS_KEY"].map(|name| (name.to_owned(), "/bin".to_owned()));
    let mut env = clean(&BTreeMap::from(ours));
    env.insert("GIVEN".to_owned(), "a b\nc".to_owned());
    let command = Command::new("/usr/bin/env", Path::new("/")).with_args(["-0"]).with_env(env);
    let finished = Children::new().run(command, Exchange::feeding("")).await.unwrap();
    let text = String::from_utf8(finished.stdout).unwrap();
    let mut names: Vec<&str> =
        text.split_terminator('\0').map(|variable| variable.split('=').next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["GIVEN", "PATH", "TOOLSMITH_CHILD"]);
    assert!(text.contains("GIVEN=a b\nc\0"));
}

#[tokio::test]
async fn a_child_starts_in_its_folder_with_arguments_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let odd = ["", "a b", "$(id)", "; rm -rf x", "'\"", "line\nline", "*", "é🦀"];
    let command = Command::new("/usr/bin/printf", folder.path()).with_args(["<%s>"]).with_args(odd);
    let finished = Children::new().run(command, Exchange::feeding("")).await.unwrap();
    let expected = format!("<{}>", odd.join("><"));
    assert_eq!(String::from_utf8(finished.stdout).unwrap(), expected);
    let pwd = Command::new("/bin/pwd", folder.path());
    let finished = Children::new().run(pwd, Exchange::feeding("")).await.unwrap();
    let told = String::from_utf8(finished.stdout).unwrap();
    assert_eq!(Path::new(told.trim_end()), folder.path().canonicalize().unwrap());
}

#[tokio::test]
async fn more_arguments_than_fit_into_a_message_arrive() {
    let word = "x".repeat(100);
    let children = Children::new();
    for count in [10, 150, 160, 170, 2_000, 10] {
        let words = std::iter::repeat_n(word.as_str(), count);
        let command = sh("echo $#; echo ${##}${1#x}").with_args(["name"]).with_args(words);
        let finished = children.run(command, Exchange::feeding("")).await.unwrap();
        let text = String::from_utf8(finished.stdout).unwrap();
        let rest = "x".repeat(99);
        assert_eq!(text, format!("{count}\n{}{rest}\n", count.to_string().len()));
    }
}

#[tokio::test]
async fn what_cannot_be_started_says_so() {
    let children = Children::new();
    for (program, folder) in [("/nowhere/x", "/"), ("/etc/passwd", "/"), ("/bin/sh", "/nowhere")] {
        let command = Command::new(program, Path::new(folder));
        let error = children.run(command, Exchange::feeding("")).await.unwrap_err();
        assert!(matches!(&error, ChildError::Start { program: p, .. } if p == program), "{error}");
    }
}

#[tokio::test]
async fn limits_are_in_force_before_the_program_runs() {
    let limits = Limits {
        cpu_seconds: Some(7),
        memory: Some(512 << 20),
        file_size: Some(1 << 20),
        open_files: Some(33),
        processes: None,
    };
    let script = "ulimit -t; ulimit -v; ulimit -f; ulimit -n";
    let command = sh(script).with_limits(limits);
    let finished = Children::new().run(command, Exchange::feeding("")).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&finished.stdout), "7\n524288\n2048\n33\n");
    let burn =
        sh("while :; do :; done").with_limits(Limits { cpu_seconds: Some(1), ..Limits::default() });
    let finished = Children::new().run(burn, Exchange::feeding("")).await.unwrap();
    assert_eq!(finished.exit.signal_name().as_deref(), Some("SIGXCPU"));
}

#[tokio::test]
async fn a_child_has_no_terminal_and_no_files_but_its_three() {
    let finished = run("(: </dev/tty) 2>/dev/null && echo terminal; ls /proc/self/fd").await;
    let text = String::from_utf8(finished.stdout).unwrap();
    let fds: Vec<&str> = text.split_whitespace().collect();
    // The fourth is the folder that `ls` reads.
    assert_eq!(fds, ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn a_background_job_that_keeps_the_pipes_does_not_hold_the_call() {
    let started = Instant::now();
    let finished = run("echo early; sleep 100 & exit 3").await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!((finished.exit, finished.stdout.as_slice()), (Exit::Code(3), &b"early\n"[..]));
}

#[tokio::test]
async fn a_last_word_after_the_end_is_still_heard() {
    let finished = run("(sleep 0.05; echo late) & echo early").await;
    assert_eq!(finished.stdout, b"early\nlate\n");
}

#[derive(Default)]
struct Ear(Vec<u8>);

impl Follower for Ear {
    fn hear<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, ()> {
        self.0.extend_from_slice(piece);
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn a_follower_hears_everything_that_is_kept() {
    let mut ear = Ear::default();
    let exchange = Exchange { follower: Some(&mut ear), ..Exchange::feeding("") };
    let finished = Children::new().run(sh("echo a; echo b"), exchange).await.unwrap();
    assert_eq!(ear.0, finished.stdout);
    assert_eq!(ear.0, b"a\nb\n");
}

/// Takes its time with every piece.
#[derive(Default)]
struct SlowEar(Vec<u8>);

impl Follower for SlowEar {
    fn hear<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, ()> {
        self.0.extend_from_slice(piece);
        Box::pin(tokio::time::sleep(Duration::from_millis(400)))
    }
}

#[tokio::test]
async fn a_slow_follower_loses_nothing_of_a_child_that_has_long_ended() {
    let mut ear = SlowEar::default();
    let exchange = Exchange { follower: Some(&mut ear), ..Exchange::feeding("") };
    let finished = Children::new().run(sh("seq 1 25000"), exchange).await.unwrap();
    assert_eq!((finished.stdout.len(), finished.truncated), (138_894, false));
    assert_eq!(ear.0, finished.stdout);
}
