//! OTLP 1.x as protobuf: the few messages that are sent, by their numbers in the specification.

use std::time::Duration;

use toolsmith_core::Timestamp;

use super::{Role, Span, Value};

/// The media type of these messages.
pub(super) const MEDIA_TYPE: &str = "application/x-protobuf";

/// Writes the fields of a message.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// Returns what was written.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            // The lowest seven bits, and the mark that more follow.
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push((value & 0x7f) as u8);
    }

    fn tag(&mut self, field: u64, wire: u64) {
        self.varint(field << 3 | wire);
    }

    /// A number whose small values are short.
    pub(super) fn number(&mut self, field: u64, value: u64) {
        self.tag(field, 0);
        self.varint(value);
    }

    /// A number of eight bytes.
    pub(super) fn fixed(&mut self, field: u64, value: u64) {
        self.tag(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Bytes, a text, or a message within this one.
    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.tag(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A message within this one.
    pub(super) fn message(&mut self, field: u64, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    /// A list of numbers of eight bytes.
    pub(super) fn fixed_list(&mut self, field: u64, values: impl IntoIterator<Item = u64>) {
        let bytes: Vec<u8> = values.into_iter().flat_map(u64::to_le_bytes).collect();
        self.bytes(field, &bytes);
    }

    /// A named value.
    pub(super) fn attribute(&mut self, field: u64, name: &str, value: &Value) {
        self.message(field, |pair| {
            pair.bytes(1, name.as_bytes());
            pair.message(2, |any| match value {
                Value::Text(text) => any.bytes(1, text.as_bytes()),
                Value::Whole(number) => any.number(3, number.cast_unsigned()),
            });
        });
    }
}

/// Writes who sends, around what is sent: the same for spans and for metrics.
pub(super) fn request(resource: &[(String, String)], write: impl FnOnce(&mut Message)) -> Vec<u8> {
    let mut request = Message::default();
    request.message(1, |of_resource| {
        of_resource.message(1, |message| {
            for (name, value) in resource {
                message.attribute(1, name, &value.as_str().into());
            }
        });
        of_resource.message(2, |of_scope| {
            of_scope.message(1, |scope| {
                scope.bytes(1, b"toolsmith");
                scope.bytes(2, env!("CARGO_PKG_VERSION").as_bytes());
            });
            write(of_scope);
        });
    });
    request.into_bytes()
}

/// Writes a batch of spans.
pub(super) fn traces(resource: &[(String, String)], spans: &[Span]) -> Vec<u8> {
    request(resource, |of_scope| {
        for span in spans {
            of_scope.message(2, |message| write_span(message, span));
        }
    })
}

fn write_span(message: &mut Message, span: &Span) {
    message.bytes(1, &span.place.trace_id);
    message.bytes(2, &span.place.span_id);
    if let Some(parent) = &span.parent {
        message.bytes(4, &parent.span_id);
    }
    message.bytes(5, span.name.as_bytes());
    message.number(
        6,
        match span.role {
            Role::Internal => 1,
            Role::Server => 2,
        },
    );
    message.fixed(7, nanos(span.started_at));
    message.fixed(8, nanos(span.started_at).saturating_add(whole_nanos(span.duration)));
    for (name, value) in &span.attributes {
        message.attribute(9, name, value);
    }
    if span.is_failed {
        message.message(15, |status| status.number(3, 2));
    }
}

/// Returns a moment in nanoseconds since 1970.
pub(super) fn nanos(at: Timestamp) -> u64 {
    at.as_micros().max(0).cast_unsigned().saturating_mul(1_000)
}

fn whole_nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_encoding_says() {
        let mut message = Message::default();
        // The examples of the guide to the encoding.
        message.number(1, 150);
        message.bytes(2, b"testing");
        message.fixed(3, 1);
        let expected =
            [&[0x08, 0x96, 0x01, 0x12, 0x07][..], b"testing", &[0x19, 1, 0, 0, 0, 0, 0, 0, 0]];
        assert_eq!(message.into_bytes(), expected.concat());
    }
}
