//! Where a call stands in a trace that several programs write (W3C Trace Context).

use std::{fmt, str::FromStr, time::Duration};

use crate::{CallId, CallerType, Text, Timestamp, ToolError};

/// A place in a trace: the trace, the span in it, and whether anybody keeps it.
///
/// ```
/// use toolsmith_core::TraceContext;
///
/// let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// let place: TraceContext = text.parse()?;
/// assert!(place.is_sampled);
/// assert_eq!(place.to_string(), text);
/// # Ok::<(), toolsmith_core::NoTrace>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace.
    pub trace_id: [u8; 16],
    /// The span.
    pub span_id: [u8; 8],
    /// Whether the span is kept.
    pub is_sampled: bool,
}

/// The text is no `traceparent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTrace;

impl fmt::Display for NoTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is no `traceparent` of W3C Trace Context")
    }
}

impl std::error::Error for NoTrace {}

impl FromStr for TraceContext {
    type Err = NoTrace;

    /// Reads a `traceparent`; of versions to come, the part that all have in common.
    fn from_str(text: &str) -> Result<Self, NoTrace> {
        let mut parts = text.trim().split('-');
        let mut part = || parts.next().ok_or(NoTrace);
        let version = bytes::<1>(part()?)?;
        let trace_id = bytes::<16>(part()?)?;
        let span_id = bytes::<8>(part()?)?;
        let [flags] = bytes::<1>(part()?)?;
        let is_whole = version != [0] || parts.next().is_none();
        if version == [0xff] || trace_id == [0; 16] || span_id == [0; 8] || !is_whole {
            return Err(NoTrace);
        }
        Ok(Self { trace_id, span_id, is_sampled: flags & 1 == 1 })
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, span) = (u128::from_be_bytes(self.trace_id), u64::from_be_bytes(self.span_id));
        write!(f, "00-{trace:032x}-{span:016x}-{:02x}", u8::from(self.is_sampled))
    }
}

/// Reads exactly so many bytes, each as two small hexadecimal digits.
fn bytes<const N: usize>(text: &str) -> Result<[u8; N], NoTrace> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 2 * N || !text.as_bytes().iter().all(is_digit) {
        return Err(NoTrace);
    }
    let number = u128::from_str_radix(text, 16).map_err(|_| NoTrace)?.to_be_bytes();
    number.get(16 - N..).and_then(|bytes| bytes.try_into().ok()).ok_or(NoTrace)
}

/// Writes traces; the engine tells it of calls, and it never makes one wait.
pub trait Tracer: Send + Sync + fmt::Debug {
    /// Begins a span below another one, or a trace of its own.
    fn begin(&self, parent: Option<TraceContext>) -> TraceContext;

    /// Takes a call that has ended.
    fn end(&self, call: &TracedCall<'_>);
}

/// A call that has ended, as a trace shows it: never its input or its output.
#[derive(Clone, Debug)]
pub struct TracedCall<'a> {
    /// Its span.
    pub span: TraceContext,
    /// The span above it.
    pub parent: Option<TraceContext>,
    /// Its identifier.
    pub call_id: CallId,
    /// The tool; as the caller wrote it when there is no such tool.
    pub tool_name: &'a Text,
    /// Which door it came through.
    pub door: CallerType,
    /// Who called, without secrets.
    pub caller_id: Option<Text>,
    /// The conversation that it belongs to, without secrets.
    pub conversation_id: Option<Text>,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration: Duration,
    /// Why there is no output.
    pub error: Option<&'a ToolError>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    #[test]
    fn flags_beside_the_first_are_passed_over() {
        let read = |flags: &str| format!("00-{TRACE}-{SPAN}-{flags}").parse::<TraceContext>();
        assert!(read("03").unwrap().is_sampled);
        assert!(!read("02").unwrap().is_sampled);
        assert!(read("00").unwrap().to_string().ends_with("-00"));
    }

    #[test]
    fn a_version_to_come_may_say_more_and_ours_may_not() {
        assert!(format!("01-{TRACE}-{SPAN}-01-more").parse::<TraceContext>().is_ok());
        assert!(format!("00-{TRACE}-{SPAN}-01-more").parse::<TraceContext>().is_err());
    }

    #[test]
    fn what_is_no_traceparent_is_refused() {
        let zero = "0".repeat(32);
        for text in [
            String::new(),
            "00".to_owned(),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{zero}-{SPAN}-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{TRACE}-{SPAN}-+1"),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}é-{SPAN}-01"),
        ] {
            assert_eq!(text.parse::<TraceContext>(), Err(NoTrace), "{text}");
        }
    }
}
