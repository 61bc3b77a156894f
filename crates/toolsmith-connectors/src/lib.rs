//! Tools that come from outside Toolsmith: REST, OpenAPI documents, MCP servers, commands, services,
//! JavaScript.

pub mod command;
mod confine;
pub mod container;
mod endpoint;
pub mod javascript;
pub mod life;
pub mod mcp;
pub mod openapi;
pub mod process;
pub mod python;
pub mod remote;
pub mod rest;
mod scratch;
pub mod sources;
mod texts;
mod uv;

#[cfg(test)]
mod workbench;
