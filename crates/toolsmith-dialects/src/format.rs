//! What every dialect implements.

use crate::{
    RenderSettings, Rendering, ShownCall, ShownResult, Tools,
    cursor::{Cursor, Look, More},
    formats::Mark,
    output::Output,
    prose::Prose,
};
use toolsmith_core::ToolSpec;

/// A reader of one dialect that is fed the text in pieces.
pub(crate) trait Machine: Send + std::fmt::Debug {
    /// Reads one part; says whether there is more to do with the text at hand.
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool;

    /// Reads all that can be decided; what it leaves comes again with more text behind it.
    ///
    /// The law: what is done with a piece of text must not depend on how much text follows in the
    /// cursor, only on the text itself. Where the cursor [`is_last`](Cursor::is_last), everything is
    /// read and every begun call is ended. What is left unread must be bounded (the head of one
    /// tag): longer things that are undecided are kept in the machine's own state.
    fn advance(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) {
        while self.step(cursor, out) {}
    }

    /// Returns the reader of the text around calls; `None` where all of a reply is of the dialect.
    fn prose(&mut self) -> Option<&mut Prose> {
        None
    }
}

/// One dialect: how it is recognised, read and written.
pub(crate) trait Format: Sync {
    /// Looks whether a text starts with a call of this dialect; used by auto-detection.
    ///
    /// It says yes only for what no other dialect writes; asked at `{`, `[` and `<` outside fences.
    fn claims(&self, _text: &str, _more: More) -> Look<()> {
        Look::No
    }

    /// Returns what tells the answers of a server apart; none where calls are raw text.
    fn marks(&self) -> &'static [Mark] {
        &[]
    }

    /// Makes a reader.
    fn machine(&self) -> Box<dyn Machine>;

    /// Shows tools to a model.
    fn definitions(&self, tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering;

    /// Writes calls as a model of this dialect would.
    fn calls(&self, calls: &[ShownCall<'_>], tools: &Tools) -> String;

    /// Writes results for the model.
    fn results(&self, results: &[ShownResult<'_>]) -> String;
}
