//! What is wrong with an expression, and where.

use toolsmith_core::{ToolError, json};

/// The longest expression that is shown with a mistake, in characters.
const LONGEST_SHOWN: usize = 80;

/// A mistake in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// The character it is about, counted from 1; one past the last where something is missing.
    position: Option<usize>,
    message: String,
}

impl Mistake {
    /// Makes a mistake at a character; the message says the position too.
    pub(super) fn at(position: usize, message: impl Into<String>) -> Self {
        Self { position: Some(position), message: message.into() }
    }

    /// Makes a mistake of the expression as a whole.
    pub(super) fn overall(message: impl Into<String>) -> Self {
        Self { position: None, message: message.into() }
    }

    /// Tells the caller, with the expression where it is short.
    pub(super) fn into_error(self, expression: &str) -> ToolError {
        let Some(position) = self.position else { return ToolError::try_differently(self.message) };
        let message = match excerpt(expression) {
            Some(shown) => format!("{} In: {shown}", self.message),
            None => self.message,
        };
        ToolError::try_differently(message).with_details(json!({ "position": position }))
    }
}

/// Why an operator or a function has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The divisor is 0.
    DivisionByZero,
    /// The result is beyond the largest float.
    TooLarge,
    /// The operation is not defined for its operands: "needs …", "cannot …".
    Undefined(String),
}

impl Fault {
    pub(super) fn undefined(reason: impl Into<String>) -> Self {
        Self::Undefined(reason.into())
    }

    /// Says which operator or function it was.
    pub(super) fn of(self, symbol: &str, position: usize) -> Mistake {
        let message = match self {
            Self::DivisionByZero => format!("Division by zero at position {position}."),
            Self::TooLarge => format!(
                "The result of `{symbol}` at position {position} is too large: \
                 numbers go up to about 1.8e308."
            ),
            Self::Undefined(reason) => format!("`{symbol}` at position {position} {reason}."),
        };
        Mistake::at(position, message)
    }
}

/// Keeps a long name from filling a message.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Shows a character, or its number if there is nothing to see.
pub(super) fn visible(c: char) -> String {
    let is_blank = c.is_control() || c.is_whitespace() || c.escape_debug().count() > 2;
    if is_blank { format!("U+{:04X}", u32::from(c)) } else { c.to_string() }
}

/// Returns the expression on one line, unless it is too long to help.
///
/// It is shown whole or not at all, and unmarked: a secret that somebody put into it is found and
/// taken out only where it stands in one piece.
fn excerpt(expression: &str) -> Option<String> {
    if expression.is_empty() || expression.chars().count() > LONGEST_SHOWN {
        return None;
    }
    let show = |c: char| if c.is_whitespace() { " ".to_owned() } else { visible(c) };
    Some(expression.chars().map(show).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expression_is_shown_on_one_line_or_not_at_all() {
        assert_eq!(excerpt("1\n+\n$").unwrap(), "1 + $");
        assert_eq!(excerpt(""), None);
        assert_eq!(excerpt(&"1+".repeat(50)), None);
    }

    #[test]
    fn characters_that_cannot_be_seen_are_named() {
        assert_eq!(visible('$'), "$");
        assert_eq!(visible('"'), "\"");
        assert_eq!(visible('价'), "价");
        assert_eq!(visible('\u{200b}'), "U+200B");
        assert_eq!(visible('\0'), "U+0000");
    }
}
