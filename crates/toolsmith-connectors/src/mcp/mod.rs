//! MCP servers: programs on standard input and output, and services of streamable HTTP.
//!
//! A configured server gives all its tools as `server__tool`. A definition binds one tool of a server
//! under a name of its own:
//!
//! ```yaml
//! entry:
//!   type: mcp
//!   server: files          # of `mcpServers`; or `command`, `args`, `env`, `cwd`; or `url`, `headers`, `auth`
//!   tool: read_file        # the name of the definition otherwise
//! ```
//!
//! [`Servers`] holds one session for each server, shared by all calls. `Server` starts it when it is
//! needed and again when it has ended; `Session` is the session itself, with a keeper beside it that
//! sees to its end; `catalogue` decides which tools stand in the registry.

mod answers;
mod asking;
mod behalf;
mod calls;
mod catalogue;
mod client;
mod definition;
mod events;
mod executor;
mod express;
mod following;
mod held;
mod http;
mod joined;
mod keeper;
mod library;
mod listing;
mod login;
mod maker;
mod memory;
mod naming;
mod news;
mod offer;
mod open;
mod outbox;
mod output;
mod pipes;
mod place;
mod posts;
mod refusals;
mod roster;
mod rounds;
mod routes;
mod server;
mod servers;
mod session;
mod settings;
mod shop;
mod status;
mod stdio;
mod stock;
mod stream;
mod surroundings;
mod vitals;
mod watching;
mod wire;
mod words;

pub use self::{
    http::Credentials,
    login::{Login, Registered},
    maker::McpMaker,
    roster::IsOff,
    servers::Servers,
    settings::{
        Address, CALL_TIMEOUT, Link, OnChange, Prefix, Program, START_TIMEOUT, Selection,
        ServerSettings, Start,
    },
    status::Status,
    surroundings::Surroundings,
};
pub use crate::{life::State, rest::ClientCredentials};
