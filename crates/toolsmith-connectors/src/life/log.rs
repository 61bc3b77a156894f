//! The last lines that a service wrote, for whoever has to explain its end.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt};
use toolsmith_core::{Redactor, ToolError, json};

use super::backend::End;

/// The longest line that is kept whole, in characters.
const LONGEST_LINE: usize = 1_000;

/// How many bytes without an end of line are taken for one line.
const LONGEST_PIECE: usize = 64 * 1024;

/// How much of the log stands in a message, in bytes.
const IN_MESSAGE: usize = 1_500;

/// How many lines go into the details of an error.
const IN_DETAILS: usize = 20;

/// How many lines are kept unless an entry says otherwise.
pub(crate) const USUAL_LINES: usize = 200;

/// The last lines of a service, without the secrets in use.
#[derive(Debug)]
pub(crate) struct Log {
    tool: String,
    most: usize,
    redactor: Redactor,
    lines: Mutex<VecDeque<String>>,
}

impl Log {
    pub(crate) fn new(tool: &str, most: usize, redactor: Redactor) -> Self {
        Self { tool: tool.to_owned(), most, redactor, lines: Mutex::default() }
    }

    /// Adds a line.
    pub(crate) fn add(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        // Before it is cut: the rest of a secret that is cut in two is not recognised any more.
        let text = self.redactor.text(text.trim_end());
        if text.is_empty() {
            return;
        }
        tracing::debug!(tool.name = self.tool, "{text}");
        let line = match text.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text.into_owned(),
        };
        let mut lines = self.lines.lock();
        if lines.len() >= self.most {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Forgets what an earlier run wrote.
    pub(crate) fn clear(&self) {
        self.lines.lock().clear();
    }

    /// Returns the last lines for the details of an error.
    pub(crate) fn tail(&self) -> Vec<String> {
        let lines = self.lines.lock();
        lines.iter().skip(lines.len().saturating_sub(IN_DETAILS)).cloned().collect()
    }

    /// Returns the end for a message; empty when nothing was written.
    pub(crate) fn last_words(&self) -> String {
        let lines = self.lines.lock();
        let mut room = IN_MESSAGE;
        let fits = |line: &&String| {
            let is_first = room == IN_MESSAGE;
            let left = room.checked_sub(line.len() + 1);
            room = left.unwrap_or_default();
            is_first || left.is_some()
        };
        let mut last: Vec<&str> = lines.iter().rev().take_while(fits).map(String::as_str).collect();
        last.reverse();
        last.join("\n")
    }

    /// Makes the error of a service that ended: the last lines stand at its end.
    pub(crate) fn explain(&self, message: String, end: &End) -> ToolError {
        let message = match self.last_words() {
            said if said.is_empty() => message,
            said => format!("{message} Its last lines:\n{said}"),
        };
        ToolError::upstream(message).with_details(json!({
            "exit_code": end.exit_code,
            "signal": end.signal,
            "log": self.tail(),
        }))
    }

    /// Keeps what a pipe brings, line by line, until its end.
    pub(crate) async fn follow(&self, mut pipe: impl AsyncRead + Unpin) {
        let mut rest = Vec::new();
        let mut piece = vec![0; 8 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut piece).await {
            rest.extend_from_slice(piece.get(..count).unwrap_or_default());
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                self.add(&line);
            }
            if rest.len() > LONGEST_PIECE {
                self.add(&std::mem::take(&mut rest));
            }
        }
        self.add(&rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_lines_are_kept_and_secrets_are_not() {
        let redactor = Redactor::default();
        redactor.add(&toolsmith_core::Secret::new("s3cret-token".to_owned()));
        let log = Log::new("t", 3, redactor);
        let text = "one\n\ntwo s3cret-token\nthree\r\nfour";
        log.follow(text.as_bytes()).await;
        assert_eq!(log.tail(), ["two ***", "three", "four"]);
        assert_eq!(log.last_words(), "two ***\nthree\nfour");
    }

    #[test]
    fn a_long_line_is_cut_and_the_message_stays_short() {
        let log = Log::new("t", 100, Redactor::default());
        for _ in 0..50 {
            log.add("x".repeat(5_000).as_bytes());
        }
        assert!(log.last_words().chars().count() <= LONGEST_LINE + 1);
        for _ in 0..50 {
            log.add(b"short");
        }
        assert!(log.last_words().len() <= IN_MESSAGE);
        assert!(log.last_words().ends_with("short\nshort"));
    }
}
