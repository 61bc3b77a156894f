//! How a reply is read.

/// Whether a call inside a code fence, a code span or a quoted line of Markdown is a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fences {
    /// It is an example, so text; a problem says that it was seen.
    #[default]
    Text,
    /// It is a call like any other.
    Calls,
}

/// Whether `&lt;` and its like in values stand for characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entities {
    /// Values are kept to the byte.
    #[default]
    Keep,
    /// The five entities of XML, numeric ones and CDATA sections are decoded.
    Decode,
}

/// Whether near-JSON is repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repairs {
    /// It is, and every repair is noted as a problem.
    #[default]
    Try,
    /// It is not; what is not JSON is unreadable.
    Refuse,
}

/// What the model's reasoning is, such as the text between `<think>` and `</think>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thoughts {
    /// It is reported apart from the text; calls in it are none, and a problem names them.
    #[default]
    Apart,
    /// The same, and the reply begins inside it: the prompt has opened it.
    Begun,
    /// It is text like any other, and calls in it are calls.
    Text,
}

/// How a reply is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What a call inside code or a quote is.
    pub fences: Fences,
    /// What entities in values are.
    pub entities: Entities,
    /// What is done about near-JSON.
    pub repairs: Repairs,
    /// What the model's reasoning is.
    pub thoughts: Thoughts,
}
