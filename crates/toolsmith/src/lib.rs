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

pub use toolsmith_builtins as builtins;
pub use toolsmith_core::*;
pub use toolsmith_engine::{
    After, Approvals, Before, Builder, CallStream, Decision, Engine, EngineConfig, EngineMetrics,
    Followed, Heard, Interceptor, Pending, Quota, Subscription, ThreadMetrics, UnknownParameters,
    Usage, limiter, registry, schema,
};
pub use toolsmith_macros::tool;
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
    #[doc = include_str!("../../../docs/guides/write-a-tool.md")]
    struct WriteATool;
}
