//! Tools that come from outside Toolsmith: REST, MCP servers, commands, JavaScript.

pub mod command;
pub mod javascript;
pub mod mcp;
pub mod rest;
mod texts;

#[cfg(test)]
mod workbench;
