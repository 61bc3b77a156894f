//! Questions that a running tool puts to whoever called it.

use std::fmt;

use serde_json::Value;

use crate::{BoxFuture, ToolError};

/// What a tool wants to know, or wants a person to do, before it goes on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// Some values.
    Form {
        /// Who asks: the tool, and the server behind it.
        from: String,
        /// What is asked, in words for a person.
        message: String,
        /// What the answer must be: the JSON Schema of an object with plain fields.
        schema: Value,
    },
    /// A visit of an address, where the person does something that stays between the two.
    Visit {
        /// Who asks: the tool, and the server behind it.
        from: String,
        /// What for, in words for a person.
        message: String,
        /// The address; it is shown before anything opens it.
        url: String,
    },
}

impl Question {
    /// Returns what is asked, in words for a person.
    pub fn message(&self) -> &str {
        match self {
            Self::Form { message, .. } | Self::Visit { message, .. } => message,
        }
    }
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The values; null when a visit was agreed to.
    Accept(Value),
    /// The person does not want to answer; the tool may go on without.
    Decline,
    /// The person wants the whole thing to stop, or did not decide.
    Cancel,
}

/// What a caller can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an ability by itself")]
pub struct Askable {
    /// Some values.
    pub form: bool,
    /// A visit of an address.
    pub visit: bool,
    /// The answer of a model.
    pub sampling: bool,
    /// The folders that it works in.
    pub roots: bool,
}

/// Answers the questions of tools on behalf of a caller: the door that the call came through.
///
/// Futures are dropped when the call ends, however it ends. Whoever asks checks what comes back
/// against the schema.
pub trait Asker: Send + Sync + fmt::Debug {
    /// Puts a question to the person behind the caller.
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer>;

    /// Returns what can be asked; what cannot is refused or declined.
    fn askable(&self) -> Askable {
        Askable { form: true, visit: true, ..Askable::default() }
    }

    /// Lets the caller's model answer a conversation, both in the words of the MCP protocol.
    ///
    /// The request is the `params` of `sampling/createMessage`, the answer its result.
    fn sample(&self, _request: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        Box::pin(async { Err(no_model()) })
    }

    /// The same as [`ask`](Self::ask), under a name by which an answer can be given beforehand.
    ///
    /// Doors without memory let the caller repeat its call with the answers, by these names.
    fn ask_as(&self, _name: &str, question: Question) -> BoxFuture<'_, Answer> {
        self.ask(question)
    }

    /// The same as [`sample`](Self::sample), under such a name.
    fn sample_as(&self, _name: &str, request: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        self.sample(request)
    }

    /// Returns the folders that the caller works in: the result of `roots/list`.
    fn roots_as(&self, _name: &str) -> BoxFuture<'_, Result<Value, ToolError>> {
        Box::pin(async { Err(no_roots()) })
    }
}

/// There is no model that could answer.
pub(crate) fn no_model() -> ToolError {
    ToolError::failed("No model of the caller can be asked here.")
}

/// There is nobody who could say where the caller works.
pub(crate) fn no_roots() -> ToolError {
    ToolError::failed("The caller cannot be asked for its folders here.")
}
