//! Tools that come from outside Toolsmith: REST, commands, JavaScript.

pub mod command;
pub mod javascript;
pub mod rest;
mod texts;

#[cfg(test)]
mod workbench;
