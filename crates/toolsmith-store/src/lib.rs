//! Keeps what is left of a call: its record, and its output when that is too large for a model.
//!
//! Records go to a database file through one writer: a call only hands its record over, and the
//! writer puts what it has gathered into one transaction. This is the only crate that knows SQL.

mod artifacts;
mod backlog;
mod config;
mod erase;
mod error;
mod export;
mod files;
mod health;
mod keys;
mod query;
mod queue;
mod readers;
mod retention;
mod sqlite;
mod stats;
mod store;
mod summary;
mod tally;
mod writer;

pub use artifacts::{ArtifactList, ArtifactQuery};
pub use config::{Access, Durability, StoreConfig};
pub use erase::Erase;
pub use error::StoreError;
pub use export::Format;
pub use health::{Health, StoreMetrics};
pub use keys::{Key, NewKey, Seal};
pub use query::{Order, Page, Query};
pub use retention::{Pruned, Retention};
pub use stats::{Statistics, ToolStatistics};
pub use store::Store;
pub use summary::{Brief, Summary};
