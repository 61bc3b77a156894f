//! What code threw, in words, with the place in the code.

use rquickjs::{CaughtError, Coerced, Ctx, Error, Exception, Value};

/// The name that the engine knows the code by.
pub(super) const FILE: &str = "code";

/// What code threw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thrown {
    /// The error's name and message, or the value.
    pub(super) message: String,
    /// The line in the code, from 1.
    pub(super) line: Option<u32>,
    /// The column in that line, from 1.
    pub(super) column: Option<u32>,
}

impl Thrown {
    /// Takes what was thrown out of the engine.
    pub(super) fn catch(ctx: &Ctx<'_>, error: Error) -> Self {
        match CaughtError::from_error(ctx, error) {
            CaughtError::Exception(exception) => Self::of(&exception),
            CaughtError::Value(value) => Self::plain(show(ctx, &value)),
            CaughtError::Error(error) => Self::plain(error.to_string()),
        }
    }

    /// Says something that the engine did not.
    pub(super) fn plain(message: impl Into<String>) -> Self {
        Self { message: message.into(), line: None, column: None }
    }

    fn of(exception: &Exception<'_>) -> Self {
        let name = exception.as_object().get::<_, Coerced<String>>("name");
        let name = name.map_or_else(|_| "Error".to_owned(), |name| name.0);
        let message = exception.message().unwrap_or_default();
        let message = if message.is_empty() { name } else { format!("{name}: {message}") };
        let (line, column) = exception.stack().as_deref().and_then(place).unzip();
        Self { message, line, column }
    }
}

/// Finds the innermost place of the code in a stack: `code:line:column`.
fn place(stack: &str) -> Option<(u32, u32)> {
    stack.lines().find_map(|frame| {
        let (before, after) = frame.rsplit_once(&format!("{FILE}:"))?;
        let is_ours = before.ends_with(['(', ' ']);
        let (line, column) = after.trim_end_matches(')').split_once(':')?;
        is_ours.then_some((line.parse().ok()?, column.parse().ok()?))
    })
}

fn show<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    // The engine throws null when it has no memory left to make an error.
    if value.is_null() {
        return "null".to_owned();
    }
    let json = ctx.json_stringify(value.clone()).ok().flatten();
    let text = json.and_then(|json| json.to_string().ok());
    text.unwrap_or_else(|| value.type_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_place_in_the_code_is_found() {
        let stack = "    at parse (native)\n    at inner (code:3:14)\n    at main (code:9:1)\n";
        assert_eq!(place(stack), Some((3, 14)));
        assert_eq!(place("    at code:2:7\n"), Some((2, 7)));
        assert_eq!(place("    at <anonymous> (barcode:2:7)\n"), None);
        assert_eq!(place(""), None);
    }
}
