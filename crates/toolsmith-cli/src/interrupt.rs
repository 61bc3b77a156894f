//! Ctrl-C, and being told to end: the first cancels what is under way, the second ends at once.
//!
//! `timeout`, service managers and closed terminals send other signals than Ctrl-C does. They mean
//! the same: calls end, records are written, processes of tools go.

use std::{
    cell::RefCell,
    fs, io,
    task::{Context, Poll},
    thread::{self, JoinHandle},
};

use tokio::{
    runtime::Builder,
    signal::unix::{Signal, SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

use crate::exit;

/// Listens for Ctrl-C until it is dropped.
///
/// It has a thread of its own: the thread of the command may be busy with a tool or blocked by a
/// slow reader, and the second Ctrl-C must end the program all the same.
#[derive(Debug)]
#[must_use = "nobody listens any more once it is dropped"]
pub(crate) struct Interrupt {
    cancel: CancellationToken,
    done: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Interrupt {
    /// Begins to listen.
    pub(crate) fn watch() -> io::Result<Self> {
        let (cancel, done) = (CancellationToken::new(), CancellationToken::new());
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let (told, ended) = (cancel.clone(), done.clone());
        let listening = move || {
            let heard = async {
                let Ok(signals) = Signals::open() else { return };
                let signals = RefCell::new(signals);
                listen(&told, || next(&signals), end_at_once).await;
            };
            runtime.block_on(ended.run_until_cancelled(heard));
        };
        let thread = thread::Builder::new().name("toolsmith-ctrl-c".to_owned()).spawn(listening)?;
        Ok(Self { cancel, done, thread: Some(thread) })
    }

    /// Returns what the first Ctrl-C cancels.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.cancel
    }
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

async fn listen<S>(cancel: &CancellationToken, mut next: impl FnMut() -> S, end: impl FnOnce())
where
    S: Future<Output = io::Result<()>>,
{
    if next().await.is_err() {
        return;
    }
    cancel.cancel();
    if next().await.is_ok() {
        end();
    }
}

#[expect(clippy::exit, reason = "whoever asks twice does not want to wait for an orderly end")]
fn end_at_once() {
    std::process::exit(exit::CANCELLED.into());
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::pending};

    use super::*;

    fn heard(signals: u32) -> (bool, bool) {
        let (cancel, has_ended, left) =
            (CancellationToken::new(), Cell::new(false), Cell::new(signals));
        let next = || async {
            if left.get() == 0 {
                return pending().await;
            }
            left.set(left.get() - 1);
            Ok(())
        };
        let listening = listen(&cancel, next, || has_ended.set(true));
        let mut listening = std::pin::pin!(listening);
        let mut cx = Context::from_waker(std::task::Waker::noop());
        assert_eq!(listening.as_mut().poll(&mut cx).is_ready(), signals > 1);
        (cancel.is_cancelled(), has_ended.get())
    }

    #[test]
    fn the_first_cancels_and_the_second_ends() {
        assert_eq!(heard(0), (false, false));
        assert_eq!(heard(1), (true, false));
        assert_eq!(heard(2), (true, true));
    }

    #[test]
    fn dropping_it_ends_its_thread() {
        let interrupt = Interrupt::watch().unwrap();
        assert!(!interrupt.token().is_cancelled());
        drop(interrupt);
    }
}
