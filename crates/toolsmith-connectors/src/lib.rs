//! Tools that come from outside Toolsmith: REST, OpenAPI documents, commands, JavaScript.

pub mod command;
pub mod javascript;
pub mod openapi;
pub mod rest;
mod texts;

#[cfg(test)]
mod workbench;
