//! Finds a child and everything that came of it, and signals all of it.

use std::{
    collections::BTreeSet,
    fs,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal},
};

/// The variable that says whose child a process is.
pub const MARK: &str = "TOOLSMITH_CHILD";

/// How many generations are followed from one look at the process table.
const GENERATIONS: usize = 64;

/// Whose processes are looked for.
#[derive(Clone, Debug)]
pub(crate) enum Quarry {
    /// Those that came of a guard, without itself: whoever lost its parent there is its child.
    Under { guard: i32 },
    /// Those whose mark begins like this, for want of a guard.
    Marked { prefix: String },
}

impl Quarry {
    /// Tells whether a process belongs by itself; what came of it belongs, too.
    fn holds(&self, seen: &Seen) -> bool {
        match self {
            Self::Under { guard } => seen.parent == *guard,
            Self::Marked { prefix } => {
                mark_of(seen.pid).is_some_and(|mark| mark.starts_with(prefix.as_bytes()))
            }
        }
    }
}

/// Processes that were found and are to be ended, each held once.
#[derive(Debug, Default)]
pub(crate) struct Tree(Vec<Held>);

#[derive(Debug)]
struct Held {
    pid: i32,
    since: u64,
    process: OwnedFd,
}

impl Tree {
    /// Looks at the process table: adds who lives and belongs, forgets who has ended.
    ///
    /// Those found before are kept although they may have lost their parent since.
    pub(crate) fn look(&mut self, quarry: &Quarry) {
        self.0.retain(|held| !has_ended(&held.process));
        for seen in members(quarry) {
            let is_held = |held: &Held| (held.pid, held.since) == (seen.pid, seen.since);
            if !self.0.iter().any(is_held) {
                self.0.extend(catch(&seen));
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        for held in &self.0 {
            // One that has ended meanwhile, or belongs to another user, is no reason to stop.
            pidfd_send_signal(&held.process, signal).ok();
        }
    }
}

/// Tells whether a process has ended; it may still wait to be reaped.
fn has_ended(process: &OwnedFd) -> bool {
    let mut polled = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)];
    poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}

/// One line of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    pid: i32,
    parent: i32,
    /// When it started: tells it apart from a later process of the same number.
    since: u64,
}

fn members(quarry: &Quarry) -> Vec<Seen> {
    let ours = getpid().as_raw_nonzero().get();
    let table: Vec<Seen> = census().into_iter().filter(|seen| seen.pid != ours).collect();
    let mut found: BTreeSet<i32> =
        table.iter().filter(|seen| quarry.holds(seen)).map(|seen| seen.pid).collect();
    for _ in 0..GENERATIONS {
        let known = found.len();
        let born = table.iter().filter(|seen| found.contains(&seen.parent));
        let born: Vec<i32> = born.map(|seen| seen.pid).collect();
        found.extend(born);
        if found.len() == known {
            break;
        }
    }
    table.into_iter().filter(|seen| found.contains(&seen.pid)).collect()
}

/// Takes hold of a process, so that a signal cannot reach another one of the same number.
fn catch(seen: &Seen) -> Option<Held> {
    let process = pidfd_open(Pid::from_raw(seen.pid)?, PidfdFlags::empty()).ok()?;
    let is_same = look_at(seen.pid).is_some_and(|again| again.since == seen.since);
    is_same.then_some(Held { pid: seen.pid, since: seen.since, process })
}

fn census() -> Vec<Seen> {
    let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| look_at(name.parse().ok()?)).collect()
}

/// Reads one process; nothing when it has ended.
fn look_at(pid: i32) -> Option<Seen> {
    parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads the line of a process: `pid (name) state parent …`.
fn parse(pid: i32, stat: &[u8]) -> Option<Seen> {
    // The name may hold anything, spaces and brackets too; it ends at the last bracket.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    let parent = fields.next()?.parse().ok()?;
    // Field 22 of the line; the parent was field 4.
    let since = fields.nth(17)?.parse().ok()?;
    Some(Seen { pid, parent, since })
}

/// Reads the mark of a process; nothing for those of other users.
fn mark_of(pid: i32) -> Option<Vec<u8>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    variables.find_map(|variable| {
        let mark = variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=")?;
        Some(mark.to_vec())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_confuse_the_table() {
        let line = b"42 (a) S 1 b) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2";
        let seen = Seen { pid: 42, parent: 7, since: 98765 };
        assert_eq!(parse(42, line), Some(seen));
    }

    #[test]
    fn the_dead_and_the_unreadable_are_passed_over() {
        assert_eq!(parse(1, b"1 (x) Z 7 8 9 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 5 1"), None);
        assert_eq!(parse(1, b"1 (x) S 7"), None);
        assert_eq!(parse(1, b""), None);
    }

    #[test]
    fn our_own_process_is_in_the_table_and_never_a_quarry() {
        let ours = getpid().as_raw_nonzero().get();
        let seen = look_at(ours).unwrap();
        let quarry = Quarry::Under { guard: seen.parent };
        assert!(members(&quarry).iter().all(|member| member.pid != ours));
    }

    #[test]
    fn a_process_that_does_not_end_is_held_once_however_often_it_is_looked_for() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let leader = i32::try_from(child.id()).unwrap();
        let quarry = Quarry::Under { guard: getpid().as_raw_nonzero().get() };
        let mut tree = Tree::default();
        for _ in 0..20 {
            tree.look(&quarry);
        }
        assert_eq!(tree.0.iter().filter(|held| held.pid == leader).count(), 1);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
