//! Where a page of a list of tools begins.

use toolsmith_core::ToolName;

/// Tells whether a page may begin there: behind a name, which need not be one of a tool any more.
pub(crate) fn is_one(cursor: &str) -> bool {
    cursor.is_empty() || ToolName::new(cursor).is_ok()
}
