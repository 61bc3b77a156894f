//! The doors for other programs: HTTP and MCP, over one engine.
//!
//! A door reads what arrives, says who calls, hands the call to [`Engine::call`], and writes what
//! came of it. It decides nothing about a call: limits, checks and records are the engine's.
//!
//! [`Engine::call`]: toolsmith_engine::Engine::call

mod accepted;
mod access;
mod by_sight;
mod caretaker;
mod counts;
mod cursor;
mod door;
mod feed;
mod gateway;
mod heads;
mod house;
mod http;
mod json;
mod mcp;
mod metrics;
mod packing;
mod peer;
mod rush;
mod server;
mod telemetry;
mod transport;
mod underway;
mod visitor;
mod watched;
mod webhooks;
mod wire;
mod words;

pub use access::{AccessLog, AccessTarget};
pub use caretaker::{Caretaker, Definition, Form, OnClash, Reload, Switch};
pub use door::{
    Algorithm, Doorkeeper, Grants, Hosts, Issuer, KeyRing, KeySource, Tokens, WithoutKey,
};
pub use gateway::{Answers, ByElicitation, Gateway, GatewayConfig};
pub use house::{Health, House};
pub use mcp::speak;
pub use metrics::MetricsDoor;
pub use server::{Ended, serve};
pub use telemetry::{Sampler, Telemetry, TelemetryConfig};
pub use transport::{Tls, TlsError};
pub use webhooks::{Webhook, Webhooks, WrongSecret};

use visitor::Visitor;
