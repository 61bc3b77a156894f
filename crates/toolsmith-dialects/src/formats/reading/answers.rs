//! A server's answer: JSON documents one after the other, with text and pieces of calls in them.

use super::{Close, Document, Documents, Gathered};
use crate::{cursor::Cursor, format::Machine, output::Output};

/// What the documents of one provider say.
pub(crate) trait Answer: std::fmt::Debug + Default + Send {
    /// Takes a document in.
    fn take(&mut self, document: &Document, out: &mut Output<'_>);

    /// Returns the calls that are being handed over.
    fn calls(&mut self) -> &mut Gathered;
}

/// Reads the answer of a server, whole or streamed.
#[derive(Debug, Default)]
pub(crate) struct Answers<A> {
    documents: Documents,
    answer: A,
}

impl<A: Answer> Machine for Answers<A> {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        if let Some(document) = self.documents.next(cursor, out) {
            self.answer.take(&document, out);
            return true;
        }
        if cursor.is_last() {
            self.answer.calls().close_all(Close::CutOff, out);
        }
        false
    }
}
