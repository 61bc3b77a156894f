//! Model dialects: shows tools to any model, and reads its calls back.
//!
//! Every format has one machine that is fed text in pieces; the whole-text [`parse`] feeds it one
//! piece. So any split of a text gives the same calls. Nothing here does I/O, waits or panics, and
//! the time is linear in the length of the text whatever the text is.
//!
//! ```
//! use toolsmith_dialects::{Dialect, Settings, Tools, parse};
//! use serde_json::json;
//!
//! let tools = Tools::of_schemas([("add", &json!({"properties": {"a": {"type": "integer"}}}))]);
//! let text = r#"Adding.
//! <function_calls>
//! <invoke name="add">
//! <parameter name="a">1</parameter>
//! </invoke>
//! </function_calls>"#;
//! let reply = parse(Dialect::Xml, text, &tools, &Settings::default());
//! assert_eq!(reply.calls[0].arguments, json!({"a": 1}));
//! assert_eq!(reply.text(), "Adding.\n");
//! ```

mod call;
mod cursor;
mod dialect;
mod event;
mod format;
mod formats;
mod guise;
mod json;
#[cfg(test)]
mod laws;
mod output;
mod parser;
mod problem;
mod prose;
mod render;
mod reply;
mod settings;
mod shape;
mod tools;
mod typing;

pub use call::{CallState, ParsedCall};
pub use dialect::{Dialect, UnknownDialect};
pub use event::Event;
pub use json::{Fix, JsonScanner, Repaired, repair};
pub use parser::Parser;
pub use problem::{Problem, ProblemKind};
pub use render::{
    Change, Language, Provenance, RenderSettings, Rendering, ShownCall, ShownResult, Strict,
    Titles, instructions, render_calls, render_results, render_tools,
};
pub use reply::{Reply, TextPiece, parse};
pub use settings::{Entities, Fences, Repairs, Settings, Thoughts};
pub use shape::{Shape, Wanted};
pub use tools::Tools;
pub use typing::{TypingNote, type_text};
