//! The limits that keep any schema and any input from taking the machine.

use serde_json::Value;

/// The longest schema text, in bytes; its nesting is bounded by the JSON reader (127 levels).
pub const SCHEMA_BYTES: usize = 1024 * 1024;

/// The deepest nesting of an input; a recursive schema must not overflow the stack.
pub const INPUT_DEPTH: usize = 127;

/// The most problems that one check tells.
pub const PROBLEMS: usize = 100;

/// The most distinct patterns in one schema.
pub const PATTERNS: usize = 1_000;

/// The levels at which schemas may ask what is left over by the schemas beside them.
pub(super) const DOUBLINGS: usize = 8;

/// The memory that all compiled patterns of one schema may take together, about, in bytes.
pub(super) const PATTERN_MEMORY: usize = 32 * 1024 * 1024;

/// The memory that one compiled pattern may take, in bytes; the engine's own limit.
pub(super) const ONE_PATTERN_MEMORY: usize = 10 * 1024 * 1024;

/// The steps that a pattern with look-around or back-references may take on one text.
pub(super) const BACKTRACKS: usize = 10_000;

/// The schemas that may wait on the stack for one another while one input is checked: each takes
/// up to half a kilobyte, and a thread has two megabytes.
pub(super) const STACKED_SCHEMAS: usize = 2_048;

/// The visits to one place of an input above which a schema counts as multiplying its work.
pub(super) const VISITS: u64 = 10_000;

/// The references that a metered check may follow, whatever the input.
pub(super) const METERED_STEPS: u64 = 200_000;

/// The references that a metered check may follow besides, for each value in the input.
pub(super) const METERED_STEPS_PER_VALUE: u64 = 100;

/// The references that a metered check follows at most.
pub(super) const METERED_STEPS_AT_MOST: u64 = 5_000_000;

/// The errors that telling the problems of a metered check may make, whatever the input.
pub(super) const METERED_ERRORS: u64 = 20_000;

/// The errors that telling the problems of a metered check may make besides, for each value.
pub(super) const METERED_ERRORS_PER_VALUE: u64 = 20;

/// The errors that telling the problems of a metered check makes at most, about.
pub(super) const METERED_ERRORS_AT_MOST: u64 = 100_000;

/// The values in an input above which it is made smaller before its problems are told.
pub(super) const LARGE: u64 = 2_000;

/// The values that are looked at while an input is made smaller, about.
pub(super) const NARROWING: u64 = 20_000_000;

/// The steps of filling in defaults, and of coercion, for one input.
pub(super) const WALKING_STEPS: u64 = 5_000_000;

/// The steps of filling the defaults of a schema into one another.
pub(super) const EXPANDING_STEPS: u64 = 1_000_000;

/// Why a walk was given up: it took more steps than it may.
#[derive(Debug)]
pub(super) struct TooMuch;

/// The steps of a walk over an input.
pub(super) struct Steps(u64);

impl Steps {
    pub(super) fn new(steps: u64) -> Self {
        Self(steps)
    }

    /// Takes some steps, if that many are left.
    pub(super) fn take(&mut self, steps: u64) -> Result<(), TooMuch> {
        self.0 = self.0.checked_sub(steps).ok_or(TooMuch)?;
        Ok(())
    }
}

/// Tells whether a value is nested deeper than so many levels.
pub(super) fn is_deeper(value: &Value, limit: usize) -> bool {
    match value {
        Value::Array(items) => limit == 0 || items.iter().any(|item| is_deeper(item, limit - 1)),
        Value::Object(fields) => {
            limit == 0 || fields.values().any(|field| is_deeper(field, limit - 1))
        }
        _ => false,
    }
}

/// Counts the values inside a value, itself included.
///
/// The value must have passed [`is_deeper`]: this recurses as deep as it is nested.
pub(super) fn count(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<u64>(),
        Value::Object(fields) => 1 + fields.values().map(count).sum::<u64>(),
        _ => 1,
    }
}
