//! What every dialect implements.

use crate::{
    RenderSettings, Rendering, ShownCall, ShownResult, Tools,
    cursor::{Cursor, Look, More},
    output::Output,
};
use toolsmith_core::ToolSpec;

/// A reader of one dialect that is fed the text in pieces.
pub(crate) trait Machine: Send + std::fmt::Debug {
    /// Reads all that can be decided; what it leaves comes again with more text behind it.
    ///
    /// The law: what is done with a piece of text must not depend on how much text follows in the
    /// cursor, only on the text itself. Where the cursor [`is_last`](Cursor::is_last), everything is
    /// read and every begun call is ended. What is left unread must be bounded (the head of one
    /// tag): longer things that are undecided are kept in the machine's own state.
    fn advance(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>);
}

/// One dialect: how it is recognised, read and written.
pub(crate) trait Format: Sync {
    /// Looks whether a text starts with a call of this dialect; used by auto-detection.
    ///
    /// It says yes only for what no other dialect writes; asked at `{`, `[` and `<` outside fences.
    fn claims(&self, text: &str, more: More) -> Look<()>;

    /// Makes a reader.
    fn machine(&self) -> Box<dyn Machine>;

    /// Shows tools to a model.
    fn definitions(&self, tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering;

    /// Writes calls as a model of this dialect would.
    fn calls(&self, calls: &[ShownCall<'_>], tools: &Tools) -> String;

    /// Writes results for the model.
    fn results(&self, results: &[ShownResult<'_>]) -> String;
}
