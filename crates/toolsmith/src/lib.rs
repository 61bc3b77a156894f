//! Toolsmith gives AI agents their hands.
//!
//! Register tools, and every call goes through one line: resolved, authorised, validated,
//! approved, reused, admitted, run, settled, recorded.
//!
//! ```
//! use toolsmith::prelude::*;
//!
//! /// Adds two numbers.
//! #[tool]
//! async fn add(
//!     /// The first number.
//!     a: i64,
//!     /// The second number; one when left out.
//!     #[arg(default = 1)]
//!     b: i64,
//! ) -> i64 {
//!     a + b
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), ToolError> {
//! let engine = Engine::builder().tool(add).build()?;
//! let outcome = engine.call(Call::new("add", json!({"a": 41}))).await;
//! assert_eq!(outcome.output(), &json!(42));
//! # Ok(())
//! # }
//! ```
//!
//! The numbered programs under `examples/` show one thing each.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `sqlite` (default) | `store`: records and artifacts in an SQLite file |
//! | `definitions` | `definitions`: tools defined in files, and their reload |
//! | `connectors` | `connectors` and `children`: what runs tools of type `http`, `mcp`, `command` and `javascript`; it includes `definitions` |

pub mod models;

pub use toolsmith_builtins as builtins;
#[cfg(feature = "connectors")]
pub use toolsmith_children as children;
#[cfg(feature = "connectors")]
pub use toolsmith_connectors as connectors;
pub use toolsmith_core::*;
#[cfg(feature = "definitions")]
pub use toolsmith_definitions as definitions;
pub use toolsmith_dialects as dialects;
pub use toolsmith_engine::{
    After, Approvals, Before, Builder, CallStream, Decision, Engine, EngineConfig, EngineMetrics,
    Followed, Heard, Interceptor, Pending, Quota, Subscription, ThreadMetrics, UnknownParameters,
    Usage, limiter, registry, schema,
};
pub use toolsmith_macros::tool;
pub use toolsmith_net as net;
#[cfg(feature = "sqlite")]
pub use toolsmith_store as store;

#[doc(hidden)]
pub use toolsmith_core::__private;

/// What most programs need.
pub mod prelude {
    pub use crate::{
        Call, Context, Engine, EngineConfig, IntoTool, Outcome, Parameter, Stateful, Tool,
        ToolContext, ToolError, ToolSpec, Value, json, tool,
    };
}

/// The code in the documents compiles and does what they say.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../README.zh-CN.md")]
    struct ReadmeInChinese;
    #[doc = include_str!("../../../docs/guides/embed.md")]
    struct Embed;
    #[doc = include_str!("../../../docs/guides/models.md")]
    struct Models;
    #[doc = include_str!("../../../docs/guides/write-a-tool.md")]
    struct WriteATool;
}
