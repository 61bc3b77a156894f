//! What is wrong with an expression, and where.

use std::fmt::Write;

use toolsmith_core::{ToolError, json};

/// How many characters are shown on either side of a mistake.
const AROUND: usize = 16;

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

    /// Tells the caller, with the place shown in the expression.
    pub(super) fn into_error(self, expression: &str) -> ToolError {
        let Some(position) = self.position else { return ToolError::try_differently(self.message) };
        let excerpt = excerpt(expression, position);
        ToolError::try_differently(format!("{} Here: {excerpt}", self.message))
            .with_details(json!({ "position": position }))
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

/// Returns the neighbourhood of a character on one line, the character in brackets.
fn excerpt(expression: &str, position: usize) -> String {
    let first = position.saturating_sub(AROUND + 1);
    let mut shown = String::from(if first > 0 { "…" } else { "" });
    let mut chars = expression.chars().enumerate().skip(first);
    let mut is_marked = false;
    for (index, c) in chars.by_ref().take(2 * AROUND + 1) {
        let text = if c.is_whitespace() { " ".to_owned() } else { visible(c) };
        if index + 1 == position {
            is_marked = true;
            // Writing to a string cannot fail.
            write!(shown, "⟦{text}⟧").ok();
        } else {
            shown.push_str(&text);
        }
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    if !is_marked {
        shown.push_str("⟦end⟧");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excerpt_shows_the_place_on_one_line() {
        assert_eq!(excerpt("1/0", 2), "1⟦/⟧0");
        assert_eq!(excerpt("1 +", 4), "1 +⟦end⟧");
        assert_eq!(excerpt("1\n+\n$", 5), "1 + ⟦$⟧");
        assert_eq!(excerpt("", 1), "⟦end⟧");
        let long = format!("{}/0{}", "1+".repeat(50), "+1".repeat(50));
        assert_eq!(excerpt(&long, 101), "…1+1+1+1+1+1+1+1+⟦/⟧0+1+1+1+1+1+1+1+…");
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
