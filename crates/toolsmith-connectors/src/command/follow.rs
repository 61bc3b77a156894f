//! Sends the lines of a program to whoever follows the call, as they come.

use toolsmith_children::Follower;
use toolsmith_core::{BoxFuture, ToolContext};

use super::output;

/// How long a line may get before it is sent in pieces.
const LONGEST: usize = 64 * 1024;

/// Takes pieces of output apart into lines and sends them.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    cx: &'a ToolContext,
    begun: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(cx: &'a ToolContext) -> Self {
        Self { cx, begun: Vec::new() }
    }

    /// Sends what is left: a last line without an end.
    pub(super) async fn finish(self) {
        if !self.begun.is_empty() {
            self.cx.chunk(output::text(self.begun)).await;
        }
    }

    async fn send(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.begun.extend_from_slice(part);
            if part.ends_with(b"\n") || self.begun.len() >= LONGEST {
                let line = std::mem::take(&mut self.begun);
                self.cx.chunk(output::text(line)).await;
            }
        }
    }
}

impl Follower for Lines<'_> {
    fn hear<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, ()> {
        Box::pin(self.send(piece))
    }
}
