//! One thing that was looked at, and how many are looked at beside each other.

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde::Serialize;

/// How long a check may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// What was found of one thing.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) status: Status,
    /// What was found.
    pub(super) detail: String,
    /// What it is good for.
    pub(super) enables: String,
    /// How to get it, or to put it right.
    pub(super) how: String,
}

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    /// It is there and works.
    Ok,
    /// It is not there, and nothing asks for it.
    Missing,
    /// It is configured, or there, and does not work.
    Broken,
}

impl Status {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Missing => "missing",
            Self::Broken => "broken",
        }
    }
}

/// What a look has shown.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) status: Status,
    pub(super) detail: String,
}

impl Finding {
    pub(super) fn ok(detail: impl Into<String>) -> Self {
        Self { status: Status::Ok, detail: detail.into() }
    }

    pub(super) fn missing(detail: impl Into<String>) -> Self {
        Self { status: Status::Missing, detail: detail.into() }
    }

    pub(super) fn broken(detail: impl Into<String>) -> Self {
        Self { status: Status::Broken, detail: detail.into() }
    }
}

/// A check that has not been made yet.
pub(super) struct Job {
    name: String,
    enables: &'static str,
    how: String,
    look: Box<dyn FnOnce() -> Finding + Send>,
}

impl Job {
    /// Prepares a look at something.
    pub(super) fn new(
        name: impl Into<String>,
        enables: &'static str,
        how: impl Into<String>,
        look: impl FnOnce() -> Finding + Send + 'static,
    ) -> Self {
        Self { name: name.into(), enables, how: how.into(), look: Box::new(look) }
    }
}

/// Makes all checks beside each other, in their order; none is waited for longer than it may take.
pub(super) fn run_all(jobs: Vec<Job>) -> Vec<Check> {
    let began = Instant::now();
    let started: Vec<_> = jobs.into_iter().map(start).collect();
    let finish = |(mut check, answer): (Check, mpsc::Receiver<Finding>)| {
        let left = PATIENCE.saturating_sub(began.elapsed());
        let finding = answer.recv_timeout(left).unwrap_or_else(|why| match why {
            RecvTimeoutError::Timeout => {
                let seconds = PATIENCE.as_secs();
                Finding::broken(format!("did not answer within {seconds} seconds"))
            }
            RecvTimeoutError::Disconnected => Finding::broken("the check itself failed"),
        });
        check.status = finding.status;
        check.detail = finding.detail;
        if check.status == Status::Ok {
            check.how = String::new();
        }
        check
    };
    started.into_iter().map(finish).collect()
}

/// Looks on a thread of its own: one that hangs on a dead disk ends with the program.
fn start(job: Job) -> (Check, mpsc::Receiver<Finding>) {
    let Job { name, enables, how, look } = job;
    let (tell, answer) = mpsc::channel();
    thread::spawn(move || tell.send(look()).ok());
    let enables = enables.to_owned();
    let check = Check { name, status: Status::Missing, detail: String::new(), enables, how };
    (check, answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_keep_their_order_and_one_that_hangs_is_told() {
        let (hold, held) = mpsc::channel::<()>();
        let jobs = vec![
            Job::new("slow", "a", "b", move || {
                held.recv().ok();
                Finding::ok("late")
            }),
            Job::new("fine", "a", "b", || Finding::ok("here")),
            Job::new("gone", "a", "b", || Finding::missing("not here")),
            Job::new("bad", "a", "b", || panic!("a fault of ours")),
        ];
        let checks = run_all(jobs);
        drop(hold);
        let shown: Vec<_> =
            checks.iter().map(|c| (c.name.as_str(), c.status.as_str(), c.how.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("slow", "broken", "b"),
                ("fine", "ok", ""),
                ("gone", "missing", "b"),
                ("bad", "broken", "b")
            ]
        );
        assert_eq!(checks[0].detail, "did not answer within 2 seconds");
    }
}
