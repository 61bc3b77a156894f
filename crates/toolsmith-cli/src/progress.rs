//! A spinner on standard error for what takes longer than half a second.

use std::{
    fmt,
    io::{self, IsTerminal},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::one_line;

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
        Self::start_since(Instant::now(), message)
    }

    /// Goes on with a wait that began then, for work that is done in parts.
    pub fn start_since(began: Instant, message: impl Into<String>) -> Self {
        if !io::stderr().is_terminal() {
            return Self { messages: None, thread: None };
        }
        let (target, patience) = (ProgressDrawTarget::stderr(), patience_since(began));
        Self::start_on(target, patience, one_line(&message.into()))
    }

    /// Tells whether anybody may see it.
    pub fn has_reader(&self) -> bool {
        self.messages.is_some()
    }

    /// Changes the message beside the spinner.
    pub fn say(&self, message: impl Into<String>) {
        if let Some(messages) = &self.messages {
            // A spinner that could not be started hears nothing.
            messages.send(one_line(&message.into())).ok();
        }
    }

    fn start_on(target: ProgressDrawTarget, patience: Duration, message: String) -> Self {
        let (messages, said) = mpsc::channel();
        let spin = move || {
            let message = match last_within(&said, patience) {
                Ok(other) => other.unwrap_or(message),
                Err(Gone) => return,
            };
            let bar = ProgressBar::with_draw_target(None, target)
                .with_style(ProgressStyle::default_spinner())
                .with_message(message);
            bar.tick();
            // However much is said, the line is drawn once a turn.
            while let Ok(other) = last_within(&said, TURN) {
                if let Some(message) = other {
                    bar.set_message(message);
                }
                bar.tick();
            }
            bar.finish_and_clear();
        };
        // A spinner is only a courtesy: without a thread there is none.
        let thread = thread::Builder::new().name("spinner".to_owned()).spawn(spin).ok();
        Self { messages: Some(messages), thread }
    }
}

/// Nobody waits for the spinner any more.
struct Gone;

/// Listens that long, and returns what was said last.
fn last_within(said: &Receiver<String>, time: Duration) -> Result<Option<String>, Gone> {
    let end = Instant::now() + time;
    let mut last = None;
    loop {
        match said.recv_timeout(end.saturating_duration_since(Instant::now())) {
            // A queue that never runs dry must not hold the line still.
            Ok(message) if Instant::now() >= end => return Ok(Some(message)),
            Ok(message) => last = Some(message),
            Err(RecvTimeoutError::Timeout) => return Ok(last),
            Err(RecvTimeoutError::Disconnected) => return Err(Gone),
        }
    }
}

fn patience_since(began: Instant) -> Duration {
    PATIENCE.saturating_sub(began.elapsed())
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
    use std::sync::mpsc::channel;

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
    fn of_much_that_is_said_the_last_counts() {
        let (sender, said) = channel();
        for n in 0..1_000 {
            sender.send(n.to_string()).unwrap();
        }
        let last = last_within(&said, Duration::from_secs(1)).ok().flatten();
        assert_eq!(last.as_deref(), Some("999"));
        drop(sender);
        assert!(last_within(&said, Duration::from_mins(1)).is_err());
    }

    #[test]
    fn a_wait_that_began_long_ago_needs_no_more_patience() {
        let now = Instant::now();
        assert!(patience_since(now) > Duration::from_millis(100));
        if let Some(began) = now.checked_sub(Duration::from_secs(1)) {
            assert_eq!(patience_since(began), Duration::ZERO);
        }
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
