//! Schemas: what an input must be, and what is wrong with one that is not.
//!
//! A parameter list and a plain JSON Schema (2020-12 unless `$schema` says otherwise, draft 7 as
//! common) become the same [`Schema`]. It answers two questions:
//!
//! - [`is_valid`](Schema::is_valid) and [`problems`](Schema::problems) are plain JSON Schema.
//!   `format` and the `content…` words are annotations in every draft.
//! - [`check_input`](Schema::check_input) is the `validate` stage of a call: unknown parameters,
//!   defaults and coercion come first, then the schema, and every problem is told at once.
//!
//! Nothing is ever fetched: a reference leads into the schema itself or to one of the bundled
//! meta-schemas, or the schema is refused. Schemas and inputs come from strangers, so all work is
//! bounded: see [`bounds`] for the limits.
//!
//! ```
//! use toolsmith_core::{JsonText, json};
//! use toolsmith_engine::schema::{Coerce, Extras, Rules, Schema};
//!
//! let schema = Schema::compile(&JsonText::of(&json!({
//!     "type": "object",
//!     "properties": {
//!         "path": {"type": "string"},
//!         "limit": {"type": "integer", "maximum": 100, "default": 20}
//!     },
//!     "required": ["path"]
//! })))?;
//! let rules = Rules { extras: Extras::Drop, coerce: Coerce::Yes };
//!
//! let mut input = json!({"path": "a.txt", "verbose": true});
//! let notes = schema.check_input(&mut input, rules).unwrap();
//! assert_eq!(input, json!({"path": "a.txt", "limit": 20}));
//! assert_eq!(notes.dropped, ["verbose"]);
//!
//! let problems = schema.check_input(&mut json!({"limit": "500"}), rules).unwrap_err();
//! assert_eq!(problems[0].message, "`path` is required (string).");
//! assert_eq!(problems[1].message, "`limit` must be at most 100; got 500.");
//! # Ok::<(), toolsmith_core::ToolError>(())
//! ```

pub mod bounds;
mod check;
mod coerce;
mod compile;
mod constraints;
mod defaults;
mod effort;
mod extras;
mod forms;
mod glance;
mod inspect;
mod meter;
mod narrow;
mod order;
mod plain;
mod problems;
mod reading;
mod shape;
mod types;
mod wording;

#[cfg(test)]
mod tests;

pub use check::{Coerce, Extras, Notes, Rules};
pub use compile::Schema;
