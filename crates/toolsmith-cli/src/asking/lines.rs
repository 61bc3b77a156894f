//! What is typed, line by line.

use std::{
    io::BufRead,
    task::{Context, Poll},
    thread,
};

use tokio::sync::mpsc;

/// The lines that are typed.
pub(super) enum Lines {
    /// Nobody has asked anything yet.
    Unread(Option<Box<dyn BufRead + Send>>),
    Read(mpsc::UnboundedReceiver<String>),
}

impl Lines {
    /// Drops what was typed before the question was there.
    pub(super) fn forget_old(&mut self) {
        if let Self::Read(lines) = self {
            while lines.try_recv().is_ok() {}
        }
    }

    /// Looks for a line; nothing when no more will come.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<String>> {
        loop {
            match self {
                Self::Read(lines) => return lines.poll_recv(cx),
                Self::Unread(reader) => match reader.take() {
                    Some(reader) => *self = Self::Read(read(reader)),
                    None => return Poll::Ready(None),
                },
            }
        }
    }
}

/// Reads on a thread of its own, which the end of the program leaves where it is.
///
/// A thread that reads a terminal cannot be called back, and one for each question would take
/// the answers to later ones.
fn read(reader: Box<dyn BufRead + Send>) -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    let reading = move || {
        for line in reader.lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    };
    // Without a thread there are no lines, which is the end of every question.
    thread::Builder::new().name("toolsmith-answers".to_owned()).spawn(reading).ok();
    lines
}
