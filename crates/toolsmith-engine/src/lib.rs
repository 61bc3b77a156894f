//! The engine: the registry of tools, and the line that every call goes through.
//!
//! `call.rs` is the place to begin: it reads as the list of what happens to a call. Each stage is
//! a file under `stages/`; what a stage needs that lives longer than a call (the limiter, the
//! caches, the threads) has a module of its own.

mod approvals;
mod batch;
mod breaker;
mod builder;
mod call;
mod config;
pub mod durations;
mod engine;
mod events;
mod executors;
mod gates;
mod interceptor;
pub mod lanes;
pub mod limiter;
mod panics;
mod rates;
pub mod registry;
mod reuse;
pub mod schema;
pub mod search;
mod shares;
mod stages;
mod streaks;
mod stream;
mod tally;
mod threads;
mod time;
mod watch;

pub use approvals::{Approvals, Decision, Pending};
pub use builder::Builder;
pub use config::{EngineConfig, UnknownParameters};
pub use engine::{Engine, EngineMetrics};
pub use events::{Heard, Subscription};
pub use interceptor::{After, Before, Interceptor};
pub use rates::Usage;
pub use stream::{CallStream, Followed};
pub use tally::Tallied;
pub use threads::ThreadMetrics;
pub use toolsmith_core::Quota;
