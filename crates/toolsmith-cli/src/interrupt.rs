//! Ctrl-C, and being told to end: the first cancels what is under way, the second ends at once.
//!
//! `timeout`, service managers and closed terminals send other signals than Ctrl-C does. They mean
//! the same: calls end, records are written, processes of tools go. A server has calls of others,
//! whose records are owed: there the second only cuts the calls short, and the third ends.

use std::{
    cell::RefCell,
    fs,
    future::pending,
    io,
    task::{Context, Poll},
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::{
    runtime::Builder,
    signal::unix::{Signal, SignalKind, signal},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use crate::exit;

/// How long a server that is told to hurry has for its records.
const HURRYING: Duration = Duration::from_secs(8);

/// Listens for Ctrl-C until it is dropped.
///
/// It has a thread of its own: the thread of the command may be busy with a tool or blocked by a
/// slow reader, and the second Ctrl-C must end the program all the same.
#[derive(Debug)]
#[must_use = "nobody listens any more once it is dropped"]
pub(crate) struct Interrupt {
    cancel: CancellationToken,
    hurry: CancellationToken,
    done: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Interrupt {
    /// Begins to listen; the second signal ends the program at once.
    pub(crate) fn watch() -> io::Result<Self> {
        Self::begin(Steps::Cancel)
    }

    /// Begins to listen; the second signal hurries, and the program ends by the third or soon.
    pub(crate) fn watch_serving() -> io::Result<Self> {
        Self::begin(Steps::CancelThenHurry)
    }

    fn begin(steps: Steps) -> io::Result<Self> {
        let (cancel, hurry) = (CancellationToken::new(), CancellationToken::new());
        let done = CancellationToken::new();
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let (told, hurried, ended) = (cancel.clone(), hurry.clone(), done.clone());
        let listening = move || {
            let heard = async {
                let Ok(signals) = Signals::open() else { return };
                let signals = RefCell::new(signals);
                let hurry = (steps == Steps::CancelThenHurry).then_some(&hurried);
                listen(&told, hurry, || next(&signals), end_at_once).await;
            };
            runtime.block_on(ended.run_until_cancelled(heard));
        };
        let thread = thread::Builder::new().name("toolsmith-ctrl-c".to_owned()).spawn(listening)?;
        Ok(Self { cancel, hurry, done, thread: Some(thread) })
    }

    /// Returns what the first Ctrl-C cancels.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Returns what the second Ctrl-C cancels, while something is served.
    pub(crate) fn hurry(&self) -> &CancellationToken {
        &self.hurry
    }
}

/// What signals do before one ends the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    /// The first cancels.
    Cancel,
    /// The first cancels, and the second hurries.
    CancelThenHurry,
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.done.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// The signals that ask for an end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// Not listened to by a program that was started to survive its terminal.
    hang_up: Option<Signal>,
}

impl Signals {
    fn open() -> io::Result<Self> {
        let hang_up = (!is_hang_up_ignored()).then(|| signal(SignalKind::hangup())).transpose()?;
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate, hang_up })
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let own = [&mut self.interrupt, &mut self.terminate];
        let all = own.into_iter().chain(&mut self.hang_up);
        let has_come = all.map(|signal| signal.poll_recv(cx).is_ready()).fold(false, |a, b| a | b);
        if has_come { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

async fn next(signals: &RefCell<Signals>) -> io::Result<()> {
    std::future::poll_fn(|cx| signals.borrow_mut().poll(cx)).await
}

/// Tells whether we were started with `nohup` or its like, which listening would undo.
fn is_hang_up_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signal 1 is the lowest bit.
    mask.is_some_and(|mask| mask & 1 == 1)
}

async fn listen<S>(
    cancel: &CancellationToken,
    hurry: Option<&CancellationToken>,
    mut next: impl FnMut() -> S,
    end: impl FnOnce(),
) where
    S: Future<Output = io::Result<()>>,
{
    for step in [Some(cancel), hurry].into_iter().flatten() {
        if next().await.is_err() {
            return;
        }
        step.cancel();
    }
    let overdue = async {
        match hurry {
            Some(_) => sleep(HURRYING).await,
            None => pending().await,
        }
    };
    let ends = tokio::select! {
        told = next() => told.is_ok(),
        () = overdue => true,
    };
    if ends {
        end();
    }
}

#[expect(clippy::exit, reason = "whoever asks twice does not want to wait for an orderly end")]
fn end_at_once() {
    std::process::exit(exit::CANCELLED.into());
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Tells whether so many signals have cancelled, hurried and ended.
    async fn heard(signals: u32, steps: Steps, patience: Duration) -> [bool; 3] {
        let (cancel, hurry) = (CancellationToken::new(), CancellationToken::new());
        let (has_ended, left) = (Cell::new(false), Cell::new(signals));
        let next = || async {
            if left.get() == 0 {
                return pending().await;
            }
            left.set(left.get() - 1);
            Ok(())
        };
        let second = (steps == Steps::CancelThenHurry).then_some(&hurry);
        let listening = listen(&cancel, second, next, || has_ended.set(true));
        tokio::time::timeout(patience, listening).await.ok();
        [cancel.is_cancelled(), hurry.is_cancelled(), has_ended.get()]
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_cancels_the_second_of_a_server_hurries_and_the_next_ends() {
        for (steps, signals, done) in [
            (Steps::Cancel, 0, [false, false, false]),
            (Steps::Cancel, 1, [true, false, false]),
            (Steps::Cancel, 2, [true, false, true]),
            (Steps::CancelThenHurry, 1, [true, false, false]),
            (Steps::CancelThenHurry, 2, [true, true, false]),
            (Steps::CancelThenHurry, 3, [true, true, true]),
        ] {
            assert_eq!(heard(signals, steps, HURRYING / 2).await, done, "{steps:?} {signals}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_does_not_hurry_is_ended_and_one_that_ends_in_order_is_not() {
        let long = HURRYING * 2;
        assert_eq!(heard(1, Steps::CancelThenHurry, long).await, [true, false, false]);
        assert_eq!(heard(2, Steps::CancelThenHurry, long).await, [true, true, true]);
    }

    #[test]
    fn dropping_it_ends_its_thread() {
        let interrupt = Interrupt::watch().unwrap();
        assert!(!interrupt.token().is_cancelled());
        drop(interrupt);
    }
}
