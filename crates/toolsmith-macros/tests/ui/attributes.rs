//! Attributes with mistakes.

use toolsmith_macros::tool;

/// Has three mistakes, all of them told.
#[tool(crate = "toolsmith_core", timout = 5.0, retries(3), name = "no spaces")]
fn unknown() {}

/// Has a mistake in a parameter.
#[tool(crate = "toolsmith_core")]
fn parameter(#[arg(defualt = 1)] n: i64, #[arg(min = 3)] m: i64) {}

/// Has a wrong version.
#[tool(crate = "toolsmith_core", version = "latest")]
fn version() {}

/// Has no name at all.
#[tool(crate = "toolsmith_core", name = "")]
fn nameless() {}

/// Has wrong values.
#[tool(crate = "toolsmith_core", timeout = "5s", parallel = "yes", title = " ")]
fn values() {}

/// Ends at once.
#[tool(crate = "toolsmith_core", timeout = 0)]
fn at_once() {}

/// Has tags of another form.
#[tool(crate = "toolsmith_core", tags = ["a", "b"])]
fn tagged() {}

/// Says a thing twice.
#[tool(crate = "toolsmith_core", read_only, read_only)]
fn twice() {}

/// Contradicts itself.
#[tool(crate = "toolsmith_core", read_only, destructive)]
fn contradiction() {}

/// Is somewhere else.
#[tool(crate = "not a path")]
fn elsewhere() {}

fn main() {}
