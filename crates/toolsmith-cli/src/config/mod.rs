//! The configuration: `toolsmith.yaml`, the environment, flags; later ones win.
//!
//! Everything follows from the table in [`keys`]. Only this module reads the environment, and it
//! hands the snapshot on.

mod environment;
mod folders;
mod jwt;
mod keys;
mod kinds;
mod layers;
mod load;
mod mcp_servers;
mod problem;
mod reference;
mod sandbox;
mod secrets;
mod settings;
mod shown;
mod starter;
mod webhooks;

pub use toolsmith_core::Template;
pub use toolsmith_definitions::yaml;

pub use self::{
    environment::Environment,
    jwt::JwtIssuer,
    keys::PREFIX,
    kinds::{CallsInTime, parse_age},
    layers::Flag,
    load::{FILE_NAME, Inputs, Loaded, Sources, load},
    problem::{ConfigError, Problem, Source},
    reference::reference,
    secrets::secrets,
    settings::{
        ByElicitation, Durability, Limits, McpAuth, McpOnChange, McpSandbox, McpServer, McpStart,
        McpTools, McpTransport, MetricsDoor, OutputSettings, Provider, Records, Retention,
        Settings, Strategy, WebSearch,
    },
    shown::{Shown, shown},
    starter::starter,
    webhooks::Webhook,
};

#[cfg(test)]
mod tests;
