//! Who changes the tools, when an administrator asks for it.

use std::fmt::Debug;

use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::{BoxFuture, State, ToolError, ToolName};

/// Changes the tools; doors ask only for administrators.
pub trait Caretaker: Debug + Send + Sync {
    /// Adds a tool by its definition; it can be called once this has ended.
    fn add(&self, definition: Definition) -> BoxFuture<'_, Result<ToolName, ToolError>>;

    /// Removes a tool and its definition.
    fn remove<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<(), ToolError>>;

    /// Switches a tool on or off.
    fn switch<'a>(&'a self, tool: &'a ToolName, to: Switch)
    -> BoxFuture<'a, Result<(), ToolError>>;

    /// Starts the service of a tool, and what it depends on; it runs until it is stopped.
    fn start<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<State, ToolError>>;

    /// Stops the service of a tool.
    fn stop<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<State, ToolError>>;

    /// Reads all definitions again.
    fn reload(&self) -> BoxFuture<'_, Result<Reload, ToolError>>;
}

/// The definition of a tool, as somebody sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The text.
    pub text: String,
    /// How it is written.
    pub form: Form,
    /// What happens to a tool of the same name.
    pub on_clash: OnClash,
}

/// How a definition is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As JSON.
    Json,
    /// As YAML.
    Yaml,
}

/// What happens to a tool of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnClash {
    /// The new definition is refused.
    Refuse,
    /// The new definition takes its place.
    Replace,
}

/// Which way to switch a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// It can be called.
    On,
    /// It cannot.
    Off,
}

/// What reading all definitions again has done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reload {
    /// The tools that were not there before.
    pub added: Vec<ToolName>,
    /// The tools whose definition is another one.
    pub updated: Vec<ToolName>,
    /// The tools that are gone.
    pub removed: Vec<ToolName>,
    /// What is wrong with the files.
    pub problems: Vec<String>,
}
