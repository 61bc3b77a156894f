//! The incremental parser: text in pieces in, events out.

use crate::{
    Dialect, Event, Settings, Tools,
    cursor::{Cursor, More},
    format::Machine,
    output::{Counts, Output},
};

/// Reads a model's reply as it arrives.
///
/// ```
/// use toolsmith_dialects::{Dialect, Event, Parser, Settings, Tools};
///
/// let mut parser = Parser::new(Dialect::Xml, Tools::none(), Settings::default());
/// let mut events = parser.push("<function_calls><invoke name=\"now\"></inv");
/// assert!(matches!(events[0], Event::CallStart { .. }));
/// events = parser.push("oke>");
/// events.extend(parser.finish());
/// assert!(matches!(&events[0], Event::CallEnd { call, .. } if call.is_complete()));
/// ```
#[derive(Debug)]
pub struct Parser {
    machine: Box<dyn Machine>,
    tools: Tools,
    settings: Settings,
    /// What the machine could not decide yet.
    pending: String,
    /// Where `pending` begins in the whole input.
    base: usize,
    counts: Counts,
}

impl Parser {
    /// Makes a parser of one dialect.
    pub fn new(dialect: Dialect, tools: Tools, settings: Settings) -> Self {
        let machine = dialect.format().machine();
        Self {
            machine,
            tools,
            settings,
            pending: String::new(),
            base: 0,
            counts: Counts::default(),
        }
    }

    /// Reads a piece, and returns what it decided.
    pub fn push(&mut self, piece: &str) -> Vec<Event<'static>> {
        let mut events = Vec::new();
        self.push_with(piece, &mut |event| events.push(event.into_owned()));
        events
    }

    /// Reads a piece, and hands on what it decided without copying it.
    pub fn push_with(&mut self, piece: &str, emit: &mut dyn FnMut(Event<'_>)) {
        if self.pending.is_empty() {
            let read = self.advance(piece, More::MayCome, emit);
            self.pending.push_str(piece.get(read..).unwrap_or_default());
        } else {
            let mut text = std::mem::take(&mut self.pending);
            text.push_str(piece);
            let read = self.advance(&text, More::MayCome, emit);
            text.drain(..read);
            self.pending = text;
        }
    }

    /// Ends the text, and returns what was still open.
    pub fn finish(&mut self) -> Vec<Event<'static>> {
        let mut events = Vec::new();
        self.finish_with(&mut |event| events.push(event.into_owned()));
        events
    }

    /// Ends the text, and hands on what was still open without copying it.
    pub fn finish_with(&mut self, emit: &mut dyn FnMut(Event<'_>)) {
        let text = std::mem::take(&mut self.pending);
        self.read_last(&text, emit);
    }

    /// Reads the last piece when nothing is pending, so that a whole text is read in one go.
    pub(crate) fn read_last(&mut self, text: &str, emit: &mut dyn FnMut(Event<'_>)) {
        let read = self.advance(text, More::Never, emit);
        // A machine reads everything at the end; were one to leave a rest, it must not be lost.
        let rest = text.get(read..).unwrap_or_default();
        let mut out = Output::new(emit, &mut self.counts, &self.tools, &self.settings);
        out.text(rest, self.base);
        self.base += rest.len();
    }

    /// Returns how many bytes wait for more text behind them; it is a bounded number.
    pub fn unread(&self) -> usize {
        self.pending.len()
    }

    fn advance(&mut self, text: &str, more: More, emit: &mut dyn FnMut(Event<'_>)) -> usize {
        let mut cursor = Cursor::new(text, self.base, more);
        let mut out = Output::new(emit, &mut self.counts, &self.tools, &self.settings);
        self.machine.advance(&mut cursor, &mut out);
        self.base += cursor.read();
        cursor.read()
    }
}
