//! A panic of a tool, told as an error.

use std::any::Any;

use toolsmith_core::ToolError;

/// Returns the result of code that may have panicked.
pub(crate) fn or_error<T>(ended: Result<Result<T, ToolError>, Panic>) -> Result<T, ToolError> {
    ended.unwrap_or_else(|panic| Err(to_error(panic.as_ref())))
}

/// What a panic carries.
type Panic = Box<dyn Any + Send>;

/// Returns what a panic said as the failure of its tool.
fn to_error(panic: &(dyn Any + Send)) -> ToolError {
    let said = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned());
    ToolError::failed(format!(
        "The tool crashed ({said}). This is a fault in the tool, not in the input; use another way."
    ))
}
