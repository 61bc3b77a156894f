//! Functions that cannot be tools.

use toolsmith_core::IntoTool;
use toolsmith_macros::tool;

/// Is generic.
#[tool(crate = "toolsmith_core")]
async fn generic<T>(value: T) -> T {
    value
}

/// Is unsafe.
#[tool(crate = "toolsmith_core")]
unsafe fn dangerous() {}

/// Is foreign.
#[tool(crate = "toolsmith_core")]
extern "C" fn foreign() {}

/// Is const.
#[tool(crate = "toolsmith_core")]
const fn constant() -> i64 {
    1
}

/// Says two things.
#[tool(crate = "toolsmith_core", blocking)]
async fn slow() {}

#[tool(crate = "toolsmith_core")]
async fn undescribed(a: i64) -> i64 {
    a
}

///
#[tool(crate = "toolsmith_core")]
async fn described_by_nothing() {}

/// Has a name that no provider accepts.
#[tool(crate = "toolsmith_core")]
fn größe() {}

/// Is old.
#[tool(crate = "toolsmith_core")]
#[deprecated]
fn old() {}

fn main() {
    // Uses of a tool with a mistake are no mistakes of their own.
    let _ = undescribed.into_tool();
}
