//! Events of a server, within bounds.

use std::{io, sync::Arc};

use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use rmcp::{model::RequestId, transport::streamable_http_client::SseError};
use serde::Deserialize;
use sse_stream::{Sse, SseStream};
use toolsmith_net::Answer;

use super::{behalf::Remark, routes::Routes, wire::LONGEST_MESSAGE};

/// The method of what a server says while it works.
const REMARK: &str = "notifications/message";

/// Events, as they come.
pub(super) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Reads events, none of which is longer than it may be.
pub(super) fn events(answer: Answer) -> Events {
    let pieces =
        stream::try_unfold((answer, Measure::default()), |(mut answer, mut measure)| async {
            match answer.chunk().await.map_err(io::Error::other)? {
                None => Ok(None),
                Some(piece) if measure.fits(&piece) => Ok(Some((piece, (answer, measure)))),
                Some(_) => Err(too_long()),
            }
        });
    SseStream::from_bytes_stream(Box::pin(pieces)).boxed()
}

/// Hands on what a server says while it works on a request.
///
/// The library does not tell on which stream something was said.
pub(super) fn listen(events: Events, id: RequestId, routes: Arc<Routes>) -> Events {
    let hear = move |event: &Result<Sse, SseError>| {
        let data = event.as_ref().ok().and_then(|event| event.data.as_deref());
        if let Some(remark) = data.and_then(remark) {
            routes.remark(Some(&id), remark);
        }
    };
    events.inspect(hear).boxed()
}

/// Says that a message is longer than it may be.
pub(super) fn too_long() -> io::Error {
    let most = LONGEST_MESSAGE / (1024 * 1024);
    io::Error::new(io::ErrorKind::FileTooLarge, format!("a message of more than {most} MiB"))
}

/// Tells whether events ended because a message is longer than it may be.
pub(super) fn is_too_long(error: &SseError) -> bool {
    let SseError::Body(error) = error else { return false };
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::FileTooLarge)
}

/// Reads what a server says, if a message is that.
fn remark(data: &str) -> Option<Remark> {
    #[derive(Deserialize)]
    struct Message {
        method: String,
        params: Remark,
    }
    // Nearly every event is something else, and is read by the library.
    memchr::memmem::find(data.as_bytes(), REMARK.as_bytes())?;
    let message: Message = serde_json::from_str(data).ok()?;
    (message.method == REMARK).then_some(message.params)
}

/// How long the event is that is being read; an empty line ends it.
#[derive(Debug, Default)]
struct Measure {
    size: usize,
    line: usize,
}

impl Measure {
    fn fits(&mut self, piece: &[u8]) -> bool {
        for byte in piece {
            match byte {
                b'\r' => {}
                b'\n' if self.line == 0 => self.size = 0,
                b'\n' => self.line = 0,
                _ => self.line += 1,
            }
            self.size += 1;
        }
        // A piece is small beside the limit, so what it is looked at for as a whole does no harm.
        self.size <= LONGEST_MESSAGE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_measured_from_one_empty_line_to_the_next() {
        let mut measure = Measure::default();
        let half = format!("data: {}", "x".repeat(LONGEST_MESSAGE / 2));
        for end in ["\n\n", "\r\n\r\n"] {
            for _ in 0..5 {
                assert!(measure.fits(half.as_bytes()) && measure.fits(end.as_bytes()));
            }
        }
        assert!(measure.fits(half.as_bytes()) && measure.fits(b"\n"));
        assert!(!measure.fits(half.as_bytes()));
    }
}
