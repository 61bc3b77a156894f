//! A spinner on standard error for what takes longer than half a second.

use std::{
    fmt,
    io::{self, IsTerminal},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
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
    messages: Option<Sender<String>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Starts to wait; the message stands beside the spinner.
    pub fn start(message: impl Into<String>) -> Self {
        if !io::stderr().is_terminal() {
            return Self { messages: None, thread: None };
        }
        Self::start_on(ProgressDrawTarget::stderr(), PATIENCE, message.into())
    }

    /// Changes the message beside the spinner.
    pub fn say(&self, message: impl Into<String>) {
        if let Some(messages) = &self.messages {
            // A spinner that could not be started hears nothing.
            messages.send(message.into()).ok();
        }
    }

    fn start_on(target: ProgressDrawTarget, patience: Duration, message: String) -> Self {
        let (messages, said) = mpsc::channel();
        let spin = move || {
            let appears = Instant::now() + patience;
            let mut message = message;
            loop {
                match said.recv_timeout(appears.saturating_duration_since(Instant::now())) {
                    Ok(other) => message = other,
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            let bar = ProgressBar::with_draw_target(None, target)
                .with_style(ProgressStyle::default_spinner())
                .with_message(message);
            loop {
                bar.tick();
                match said.recv_timeout(TURN) {
                    Ok(other) => bar.set_message(other),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return bar.finish_and_clear(),
                }
            }
        };
        // A spinner is only a courtesy: without a thread there is none.
        let thread = thread::Builder::new().name("spinner".to_owned()).spawn(spin).ok();
        Self { messages: Some(messages), thread }
    }
}

/// Waits until the line is clear, so that nothing is printed into it.
impl Drop for Spinner {
    fn drop(&mut self) {
        drop(self.messages.take());
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

    /// Waits for a line with that text; ten seconds are for a machine under load.
    fn wait_for(screen: &Receiver<String>, text: &str) {
        while !screen.recv_timeout(Duration::from_secs(10)).unwrap().contains(text) {}
    }

    #[test]
    fn what_is_slow_shows_its_message_and_then_how_far_it_is() {
        let (spinner, screen) = spinner(Duration::ZERO);
        wait_for(&screen, "running echo");
        spinner.say("half of it");
        wait_for(&screen, "half of it");
        drop(spinner);
    }
}
