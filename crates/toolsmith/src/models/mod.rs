//! Tools for models: what a model is shown, and how the calls in its replies are answered.
//!
//! A [`Toolset`] shows tools in the dialect of a model, reads its replies and runs their calls.
//! Three functions do the usual thing in one line, for models that read and write text.
//!
//! ```
//! use toolsmith::{models, prelude::*};
//!
//! /// Adds two numbers.
//! #[tool]
//! async fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), ToolError> {
//! let engine = Engine::builder().tool(add).build()?;
//! assert!(models::functions_xml(&engine).contains(r#""add""#));
//!
//! let reply = r#"<function_calls>
//! <invoke name="add">
//! <parameter name="a">40</parameter>
//! <parameter name="b">2</parameter>
//! </invoke>
//! </function_calls>"#;
//! let event = models::parse_and_execute(&engine, reply).await;
//! assert_eq!(event["type"], "tool_result");
//! assert_eq!(event["data"]["results"][0]["result"], 42);
//! # Ok(())
//! # }
//! ```

mod answer;
mod builder;
mod toolset;

pub use answer::{Answer, Answered};
pub use builder::ToolsetBuilder;
pub use toolset::{Order, Toolset};

use crate::{Call, Engine, Value, dialects::Dialect};

/// Returns the `<functions>` block of every tool that is shown to models.
pub fn functions_xml(engine: &Engine) -> String {
    Toolset::of(engine, Dialect::Xml).definitions().text()
}

/// Calls one tool; returns `{tool_name, success, result}`.
pub async fn execute(engine: &Engine, tool_name: &str, params: Value) -> Value {
    let outcome = engine.call(Call::new(tool_name, params)).await;
    Answered::of(None, tool_name.into(), outcome).to_value()
}

/// Runs the calls of a reply in XML, one after the other; returns the `tool_result` event.
pub async fn parse_and_execute(engine: &Engine, reply: &str) -> Value {
    Toolset::of(engine, Dialect::Xml).answer(reply, Order::InTurn).await.event()
}
