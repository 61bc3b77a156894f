//! What is odd about a reply, and where.

use std::ops::Range;

use serde::{Serialize, Serializer, ser::SerializeStruct};

/// What is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// A call was not over when the text ended; it is not offered for running.
    UnfinishedCall,
    /// Arguments cannot be read; the call is not offered for running.
    UnreadableArguments,
    /// Near-JSON was repaired.
    Repaired,
    /// A value does not fit the type that the tool wants; it stays the raw string.
    UntypedValue,
    /// A parameter, or a key inside one, was given twice; the last one holds.
    RepeatedParameter,
    /// An end tag or a closing bracket is missing, and what follows shows where it belongs.
    MissingEnd,
    /// An opening tag or wrapper is missing, and the call was recovered without it.
    MissingStart,
    /// A tag without a partner stands in the text.
    StrayTag,
    /// Tags of one call have different prefixes.
    MixedPrefix,
    /// Text between the parts of a call was left out.
    IgnoredText,
    /// A block has no call in it.
    EmptyBlock,
    /// A call has no name, or one that cannot be read.
    NamelessCall,
    /// A value holds tags of the dialect itself; its end was found by what follows.
    MarkupInValue,
    /// A call inside code or a quote was taken for an example, so for text.
    FencedCall,
    /// A call inside the model's reasoning was not taken for one.
    ThoughtCall,
    /// The model wrote the result of its own call; what follows is text.
    InventedResult,
    /// More than one dialect fits the text.
    Ambiguous,
    /// The input as a whole is not what the dialect says.
    MalformedInput,
    /// There is more that is odd than is listed; what concerns whether a call is run still is.
    Unlisted,
}

/// One oddity of a reply; in JSON `{kind, message, start, end}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is odd.
    pub kind: ProblemKind,
    /// A sentence that says what was found and what was made of it.
    pub message: String,
    /// Where in the whole input, in bytes.
    pub range: Range<usize>,
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Problem", 4)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("message", &self.message)?;
        fields.serialize_field("start", &self.range.start)?;
        fields.serialize_field("end", &self.range.end)?;
        fields.end()
    }
}
