//! The pair for catalogues that are too large to show: a model searches, then calls what it found.
//!
//! Both are hidden: they are shown when something is to be found by them, not beside every tool.

pub mod call_tool;
pub mod search_tools;

use toolsmith_core::{Tool, ToolError};

/// Returns the tools of this group.
pub fn all() -> Result<Vec<Tool>, ToolError> {
    Ok(vec![call_tool::tool()?, search_tools::tool()?])
}
