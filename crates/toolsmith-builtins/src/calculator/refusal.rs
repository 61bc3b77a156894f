//! What the parser says about an expression that it cannot read.

use toolsmith_core::suggestion;

use super::{
    functions,
    mistake::{Mistake, shorten},
    token::{Kind, Token},
};

pub(super) fn empty() -> Mistake {
    Mistake::overall("The expression is empty: write one, such as `2*(3+4)`.")
}

/// The expression ends where a value must follow.
pub(super) fn end(position: usize) -> Mistake {
    let message = format!(
        "Unexpected end of the expression at position {position}: a number, a name or `(` must \
         follow."
    );
    Mistake::at(position, message)
}

/// Something else stands where a value must.
pub(super) fn unexpected(token: &Token<'_>) -> Mistake {
    at(token, |text, position| {
        format!(
            "Unexpected `{text}` at position {position}: a number, a name or `(` must stand here."
        )
    })
}

/// Something stands after a complete value that cannot go on with it.
pub(super) fn stray(token: &Token<'_>) -> Mistake {
    at(token, |text, position| match token.kind {
        Kind::Close => format!("The `{text}` at position {position} has no matching `(`."),
        Kind::Comma => format!(
            "The `{text}` at position {position} is not between the arguments of a function; \
             write 1000 or 1_000, not 1,000."
        ),
        _ => format!(
            "An operator is missing before `{text}` at position {position}: write `*` to multiply."
        ),
    })
}

pub(super) fn unclosed(open: &Token<'_>) -> Mistake {
    at(open, |text, position| {
        format!("The `{text}` at position {position} is never closed: add a `)`.")
    })
}

pub(super) fn too_deep(open: &Token<'_>, deepest: usize) -> Mistake {
    at(open, |text, position| {
        format!(
            "The `{text}` at position {position} is nested too deep: at most {deepest} brackets \
             may stand within each other."
        )
    })
}

pub(super) fn percent(position: usize) -> Mistake {
    let message = format!(
        "`%` at position {position} is the remainder operator and needs a value without a sign \
         after it: write `/100` for percent, `a % (-b)` for a negative divisor."
    );
    Mistake::at(position, message)
}

pub(super) fn bare_function(name: &Token<'_>) -> Mistake {
    at(name, |text, position| {
        format!(
            "`{text}` at position {position} is a function: write `{text}(…)` with its arguments \
             in brackets."
        )
    })
}

pub(super) fn unknown_function(name: &Token<'_>) -> Mistake {
    let hint = near(name).unwrap_or_else(|| {
        format!("The functions are {}.", functions::names().collect::<Vec<_>>().join(" "))
    });
    at(name, |text, position| format!("Unknown function `{text}` at position {position}. {hint}"))
}

pub(super) fn unknown_name(name: &Token<'_>) -> Mistake {
    let hint = near(name).unwrap_or_else(|| {
        "There are no variables, and the constants are pi e tau phi.".to_owned()
    });
    at(name, |text, position| format!("Unknown name `{text}` at position {position}. {hint}"))
}

fn near(name: &Token<'_>) -> Option<String> {
    // `math.sqrt` and `Math.PI` are near to `sqrt` and `pi`, whatever stands before the point.
    let word = name.text.rsplit('.').next().unwrap_or(name.text);
    let constants = functions::CONSTANTS.iter().map(|(name, _)| *name);
    suggestion(word, functions::names().chain(constants))
}

fn at(token: &Token<'_>, message: impl Fn(&str, usize) -> String) -> Mistake {
    Mistake::at(token.position, message(&shorten(token.text), token.position))
}
