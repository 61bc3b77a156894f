//! The built-in tools, one file each.
//!
//! Every module has the same shape: `tool()` builds the tool, its description written for models
//! and the code that runs it.
//!
//! # Example
//!
//! ```
//! use toolsmith_builtins::Settings;
//!
//! let tools = toolsmith_builtins::all_with(&Settings::new("/srv/assistant"))?;
//! assert!(tools.iter().any(|tool| tool.spec.name.as_str() == "calculator"));
//! # Ok::<(), toolsmith_core::ToolError>(())
//! ```

pub mod calculator;
pub mod catalogue;
pub mod echo;
pub mod files;
pub mod formats;
pub mod network;
pub mod system;

mod about;
mod input;
mod reference;
mod settings;

use toolsmith_core::{Tool, ToolError};

pub use reference::reference;
pub use settings::Settings;

/// Returns the built-in tools that need no settings.
pub fn all() -> Result<Vec<Tool>, ToolError> {
    let mut tools = vec![calculator::tool()?, echo::tool()?];
    tools.extend(catalogue::all()?);
    Ok(tools)
}

/// Returns every built-in tool; those of the network when the settings have some for it.
pub fn all_with(settings: &Settings) -> Result<Vec<Tool>, ToolError> {
    let mut tools = all()?;
    tools.extend(system::all(settings)?);
    tools.extend(files::all(settings)?);
    tools.extend(formats::all()?);
    if let Some(network) = &settings.network {
        tools.extend(network::tools(network)?);
    }
    Ok(tools)
}
