//! The parts of a description that every tool has besides its parameters.

use toolsmith_core::{Annotations, JsonText, ToolSpec, Value};

/// What a tool does to the world when it only looks.
pub(crate) const READS: Annotations =
    Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };

/// What a tool does to the world when it may lose something that was there.
pub(crate) const REPLACES: Annotations =
    Annotations { read_only: false, destructive: true, idempotent: true, open_world: false };

/// Adds the title, the words to find it by, and the examples.
pub(crate) fn about(spec: ToolSpec, title: &str, tags: &[&str], examples: &[Value]) -> ToolSpec {
    spec.with(|spec| {
        spec.title = Some(title.into());
        spec.tags = tags.iter().map(|tag| (*tag).into()).collect();
        spec.examples = examples.iter().map(JsonText::of).collect();
    })
}
