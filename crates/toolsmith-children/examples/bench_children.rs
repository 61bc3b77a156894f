//! Prints what starting a command costs here, beside the standard library in the same run.
//!
//! `cargo xtask bench children [STARTS]`

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints figures")]

use std::{
    fs,
    path::{Path, PathBuf},
    process, thread,
    time::{Duration, Instant},
};

use tokio::runtime::Runtime;
use toolsmith_children::{Children, Command, Exchange};

const PROGRAM: &str = "/bin/true";
const ROUNDS: usize = 9;
/// How many are started in a round when nothing else is said.
const STARTS: usize = 200;
const AT_ONCE: [usize; 2] = [1, 8];

fn main() {
    let starts = std::env::args().nth(1).map_or(STARTS, |word| word.parse().unwrap());
    let meter = Meter::install();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let children = Children::new();
    for at_once in AT_ONCE {
        let each = starts / at_once;
        start_ours(&runtime, &children, at_once, 1);
        // Each pair is measured close together, so that both are disturbed alike by other programs.
        let rounds: Vec<[Cost; 2]> = (0..ROUNDS)
            .map(|_| {
                let plain = cost(meter.as_ref(), each * at_once, || start_plain(at_once, each));
                let ours = || start_ours(&runtime, &children, at_once, each);
                [plain, cost(meter.as_ref(), each * at_once, ours)]
            })
            .collect();
        print(at_once, &rounds);
    }
}

fn start_plain(at_once: usize, each: usize) {
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                for _ in 0..each {
                    let output = process::Command::new(PROGRAM).env_clear().output().unwrap();
                    assert!(output.status.success());
                }
            });
        }
    });
}

fn start_ours(runtime: &Runtime, children: &Children, at_once: usize, each: usize) {
    let tasks = (0..at_once).map(|_| {
        let children = children.clone();
        runtime.spawn(async move {
            for _ in 0..each {
                let command = Command::new(PROGRAM, Path::new("/"));
                let finished = children.run(command, Exchange::feeding("")).await.unwrap();
                assert_eq!(finished.exit.code(), Some(0));
            }
        })
    });
    let tasks: Vec<_> = tasks.collect();
    for task in tasks {
        runtime.block_on(task).unwrap();
    }
}

/// What one start took, in microseconds.
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    cpu: Option<f64>,
}

fn cost(meter: Option<&Meter>, count: usize, act: impl FnOnce()) -> Cost {
    let (before, started) = (meter.map(Meter::read), Instant::now());
    act();
    let wall = started.elapsed();
    let cpu = before.zip(meter).map(|(before, meter)| meter.read().saturating_sub(before));
    let share =
        |took: Duration| took.as_secs_f64() * 1e6 / f64::from(u32::try_from(count).unwrap());
    Cost { wall: share(wall), cpu: cpu.map(share) }
}

fn print(at_once: usize, rounds: &[[Cost; 2]]) {
    let middle = |pick: &dyn Fn(&[Cost; 2]) -> f64| {
        let mut figures: Vec<f64> = rounds.iter().map(pick).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    let (plain, ours) = (middle(&|[plain, _]| plain.wall), middle(&|[_, ours]| ours.wall));
    let ratio = middle(&|[plain, ours]| ours.wall / plain.wall);
    println!(
        "{at_once} at once: {:.0} starts/s for {:.0} plain ones; wall {ours:.0} us for {plain:.0} us, \
         ratio {ratio:.2}",
        1e6 / ours,
        1e6 / plain
    );
    let cpu = |cost: &Cost| cost.cpu.unwrap_or(f64::NAN);
    let (plain, ours) = (middle(&|[plain, _]| cpu(plain)), middle(&|[_, ours]| cpu(ours)));
    let ratio = middle(&|[plain, ours]| cpu(ours) / cpu(plain));
    println!("{at_once} at once: CPU {ours:.0} us for {plain:.0} us, ratio {ratio:.2}");
}

/// A control group that counts the processor time of this process and all that comes of it.
struct Meter {
    folder: PathBuf,
    file: &'static str,
}

impl Meter {
    /// Moves this process into a group of its own; nothing where that is not allowed.
    fn install() -> Option<Self> {
        let name = format!("toolsmith-bench-{}", process::id());
        let places = [("/sys/fs/cgroup/cpuacct", "cpuacct.usage"), ("/sys/fs/cgroup", "cpu.stat")];
        places.into_iter().find_map(|(place, file)| {
            let folder = Path::new(place).join(&name);
            fs::create_dir(&folder).ok()?;
            let meter = Self { folder, file };
            fs::write(meter.folder.join("cgroup.procs"), "0").ok().map(|()| meter)
        })
    }

    fn read(&self) -> Duration {
        let text = fs::read_to_string(self.folder.join(self.file)).unwrap();
        match text.strip_prefix("usage_usec ") {
            Some(rest) => Duration::from_micros(rest.lines().next().unwrap().parse().unwrap()),
            None => Duration::from_nanos(text.trim().parse().unwrap()),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        // The children of the other handles go first; whoever is left keeps the group.
        let above = self.folder.with_file_name("cgroup.procs");
        fs::write(above, process::id().to_string()).ok();
        fs::remove_dir(&self.folder).ok();
    }
}
