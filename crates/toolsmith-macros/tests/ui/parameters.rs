//! Parameters that no input can fill.

use toolsmith_macros::tool;

struct Point {
    x: i64,
    y: i64,
}

/// Borrows.
#[tool(crate = "toolsmith_core")]
async fn borrowed(text: &str, bytes: &[u8], names: Vec<&str>, point: &Point) -> usize {
    text.len() + bytes.len() + names.len()
}

/// Takes anything.
#[tool(crate = "toolsmith_core")]
fn anything(value: impl ToString) -> String {
    value.to_string()
}

/// Takes things apart.
#[tool(crate = "toolsmith_core")]
fn apart(Point { x, y }: Point, (a, b): (i64, i64), _: bool) -> i64 {
    x + y + a + b
}

/// Has two contexts.
#[tool(crate = "toolsmith_core")]
async fn two_contexts(cx: &toolsmith_core::ToolContext, n: i64, other: toolsmith_core::ToolContext) -> i64 {
    n
}

/// Changes its context.
#[tool(crate = "toolsmith_core")]
async fn changing(cx: &mut toolsmith_core::ToolContext) {}

/// Renames its context.
#[tool(crate = "toolsmith_core")]
async fn renaming(#[arg(rename = "context")] cx: &toolsmith_core::ToolContext) {}

/// Has a default that is never used.
#[tool(crate = "toolsmith_core")]
fn never_absent(#[arg(default = Some(1))] n: Option<i64>) -> Option<i64> {
    n
}

/// Has two of a name.
#[tool(crate = "toolsmith_core")]
fn same(from: String, #[arg(rename = "from")] to: String) {}

/// Is not always the same.
#[tool(crate = "toolsmith_core")]
fn varying(#[cfg(unix)] mode: u32) {}

/// Has more than all.
#[tool(crate = "toolsmith_core")]
fn more(#[arg(whole)] point: Point, n: i64) {}

/// Says too much.
#[tool(crate = "toolsmith_core")]
fn too_much(
    /// Where it is.
    #[arg(whole, rename = "place")]
    point: Point,
) {
}

fn main() {}
