//! The dialects, one folder each: what it looks like (`mod.rs`), `parse`, `render`, `tests`.

pub(crate) mod auto;
pub(crate) mod xml;
