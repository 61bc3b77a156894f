//! What is noticed about a session while it runs, for whoever has to explain its end.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// How much of a line that is no message is kept, in bytes.
const NOISE: usize = 200;

/// How many bytes of complaints are kept, from the end.
const COMPLAINTS: usize = 8 * 1024;

/// What is noticed about a session.
#[derive(Debug, Default)]
pub(super) struct Vitals {
    messages: AtomicU64,
    /// Why we ended it.
    fault: Mutex<Option<String>>,
    /// The last line that was no message.
    noise: Mutex<Option<String>>,
    complaints: Mutex<Vec<u8>>,
}

impl Vitals {
    pub(super) fn note_message(&self) {
        self.messages.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many messages came.
    pub(super) fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Says why the session is ended; the first reason counts.
    pub(super) fn blame(&self, why: &str) {
        self.fault.lock().get_or_insert_with(|| why.to_owned());
    }

    pub(super) fn fault(&self) -> Option<String> {
        self.fault.lock().clone()
    }

    /// Keeps a line that is no message: many servers print where they should only speak.
    pub(super) fn note_noise(&self, line: &[u8], error: &serde_json::Error) {
        if line.is_empty() {
            return;
        }
        let start = line.get(..NOISE).unwrap_or(line);
        let text = String::from_utf8_lossy(start).into_owned();
        tracing::debug!(line = text, %error, "an MCP server wrote a line that is no message");
        *self.noise.lock() = Some(text);
    }

    pub(super) fn noise(&self) -> Option<String> {
        self.noise.lock().clone()
    }

    /// Keeps the end of what a server complains about.
    pub(super) fn note_complaints(&self, piece: &[u8]) {
        let mut kept = self.complaints.lock();
        kept.extend_from_slice(piece);
        let excess = kept.len().saturating_sub(COMPLAINTS);
        kept.drain(..excess);
    }

    /// Forgets what a first try left behind.
    pub(super) fn clear(&self) {
        self.complaints.lock().clear();
        *self.noise.lock() = None;
    }

    pub(super) fn complaints(&self) -> String {
        String::from_utf8_lossy(&self.complaints.lock()).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_complaints_and_the_first_fault_are_kept() {
        let vitals = Vitals::default();
        for n in 0..10_000 {
            vitals.note_complaints(format!("line {n}\n").as_bytes());
        }
        assert!(vitals.complaints().ends_with("line 9999"));
        assert!(vitals.complaints().len() <= COMPLAINTS);
        vitals.blame("first");
        vitals.blame("second");
        assert_eq!(vitals.fault().as_deref(), Some("first"));
    }
}
