//! Tools for the time and for variables.

pub mod current_time;
pub mod get_env;
pub mod set_env;
pub mod sleep;

mod names;
mod zone;

use toolsmith_core::{Tool, ToolError};

use crate::Settings;

/// Returns every tool for the time and for variables.
pub fn all(settings: &Settings) -> Result<Vec<Tool>, ToolError> {
    Ok(vec![
        current_time::tool(settings)?,
        sleep::tool()?,
        get_env::tool(settings)?,
        set_env::tool(settings)?,
    ])
}
