//! Tools that come from outside Toolsmith: REST, OpenAPI documents, MCP servers, commands,
//! JavaScript.

pub mod command;
pub mod javascript;
pub mod mcp;
pub mod openapi;
pub mod rest;
mod texts;

#[cfg(test)]
mod workbench;
