//! Prints what a child costs here, compared with a plain one of the standard library.
//!
//! `cargo run --release -p toolsmith-children --example spawn_cost`

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints a figure")]

use std::{
    path::Path,
    process,
    time::{Duration, Instant},
};

use toolsmith_children::{Children, Command, Exchange};

const ROUNDS: u32 = 7;
const CHILDREN: u32 = 100;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let children = Children::new();
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let plain = time(|| {
            let output = process::Command::new("/bin/true").env_clear().output().unwrap();
            assert!(output.status.success());
        });
        let ours = time(|| {
            let command = Command::new("/bin/true", Path::new("/"));
            runtime.block_on(children.run(command, Exchange::feeding(""))).unwrap();
        });
        rounds.push((plain, ours));
    }
    // The best round is the one that was disturbed least by other programs.
    let plain = rounds.iter().map(|(plain, _)| *plain).min().unwrap();
    let ours = rounds.iter().map(|(_, ours)| *ours).min().unwrap();
    println!(
        "plain {plain:?}, ours {ours:?}, ratio {:.2}",
        ours.as_secs_f64() / plain.as_secs_f64()
    );
}

fn time(mut act: impl FnMut()) -> Duration {
    let started = Instant::now();
    for _ in 0..CHILDREN {
        act();
    }
    started.elapsed() / CHILDREN
}
