//! Tools for JSON, base64 and hashes.

pub mod base64_decode;
pub mod base64_encode;
pub mod hash_convert;
pub mod json_parse;
pub mod json_query;
pub mod json_stringify;

use toolsmith_core::{Tool, ToolError};

/// Returns every tool for JSON, base64 and hashes.
pub fn all() -> Result<Vec<Tool>, ToolError> {
    Ok(vec![
        json_parse::tool()?,
        json_stringify::tool()?,
        json_query::tool()?,
        base64_encode::tool()?,
        base64_decode::tool()?,
        hash_convert::tool()?,
    ])
}
