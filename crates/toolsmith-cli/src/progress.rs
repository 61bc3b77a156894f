//! A spinner on standard error for what takes longer than half a second.

use std::{
    fmt,
    io::{self, IsTerminal},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long something may take in silence.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the spinner turns.
const TURN: Duration = Duration::from_millis(100);

/// A spinner that appears after half a second and is gone when it is dropped.
///
/// Where standard error is not a terminal it does nothing and starts no thread.
#[must_use = "the spinner is gone when it is dropped"]
pub struct Spinner {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Starts to wait; the message stands beside the spinner.
    pub fn start(message: impl Into<String>) -> Self {
        if !io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        Self::start_on(ProgressDrawTarget::stderr(), PATIENCE, message.into())
    }

    fn start_on(target: ProgressDrawTarget, patience: Duration, message: String) -> Self {
        let (stop, stopped) = mpsc::channel();
        let spin = move || {
            if stopped.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, target)
                .with_style(ProgressStyle::default_spinner())
                .with_message(message);
            loop {
                bar.tick();
                if stopped.recv_timeout(TURN) != Err(RecvTimeoutError::Timeout) {
                    return bar.finish_and_clear();
                }
            }
        };
        // A spinner is only a courtesy: without a thread there is none.
        let thread = thread::Builder::new().name("spinner".to_owned()).spawn(spin).ok();
        Self { stop: Some(stop), thread }
    }
}

/// Waits until the line is clear, so that nothing is printed into it.
impl Drop for Spinner {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

impl fmt::Debug for Spinner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spinner").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use indicatif::TermLike;

    use super::*;

    /// A terminal that passes on what is written to it.
    #[derive(Debug)]
    struct Screen(Sender<String>);

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.send(text.to_owned()).ok();
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn spinner(patience: Duration) -> (Spinner, Receiver<String>) {
        let (sender, receiver) = channel();
        let target = ProgressDrawTarget::term_like(Box::new(Screen(sender)));
        (Spinner::start_on(target, patience, "running echo".to_owned()), receiver)
    }

    #[test]
    fn what_is_quick_shows_nothing() {
        let (spinner, screen) = spinner(Duration::from_mins(1));
        drop(spinner);
        assert_eq!(screen.iter().count(), 0);
    }

    #[test]
    fn what_is_slow_shows_its_message() {
        let (spinner, screen) = spinner(Duration::ZERO);
        // The first line comes at once; ten seconds are for a machine under load.
        let line = loop {
            let line = screen.recv_timeout(Duration::from_secs(10)).unwrap();
            if !line.trim().is_empty() {
                break line;
            }
        };
        assert!(line.contains("running echo"), "{line}");
        drop(spinner);
    }
}
