//! The built-in tools, one file each.
//!
//! Every module has the same shape: `tool()` builds the tool, its description written for models
//! and the code that runs it.
//!
//! # Example
//!
//! ```
//! let tools = toolsmith_builtins::all()?;
//! assert!(tools.iter().any(|tool| tool.spec.name.as_str() == "calculator"));
//! # Ok::<(), toolsmith_core::ToolError>(())
//! ```

pub mod calculator;
pub mod echo;

use toolsmith_core::{Tool, ToolError};

/// Returns every built-in tool.
pub fn all() -> Result<Vec<Tool>, ToolError> {
    Ok(vec![calculator::tool()?, echo::tool()?])
}
