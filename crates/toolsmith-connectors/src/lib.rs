//! Tools that come from outside Toolsmith: REST, commands, JavaScript.

pub mod command;
pub mod javascript;
pub mod rest;

#[cfg(test)]
mod workbench;
