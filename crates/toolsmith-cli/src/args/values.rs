//! Values of arguments that several words take.

use toolsmith_core::CallId;

/// Reads how many things a list shows at most.
pub(super) fn limit(text: &str) -> Result<u32, String> {
    const MOST: u32 = 10_000;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST}"))
}

pub(super) fn at_least_one(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected a whole number of at least 1".to_owned())
}

pub(super) fn call_id(text: &str) -> Result<CallId, String> {
    id(text, "calls list")
}

pub(super) fn approval_id(text: &str) -> Result<CallId, String> {
    id(text, "approvals list")
}

fn id(text: &str, shown_by: &str) -> Result<CallId, String> {
    text.parse().map_err(|_| {
        format!(
            "expected an id such as 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60; \
             `toolsmith {shown_by}` shows them"
        )
    })
}
