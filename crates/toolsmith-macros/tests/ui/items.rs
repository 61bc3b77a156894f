//! `#[tool]` on what is no function.

use toolsmith_macros::tool;

/// A struct.
#[tool(crate = "toolsmith_core")]
pub struct Search {
    query: String,
}

/// An implementation.
#[tool(crate = "toolsmith_core")]
impl Search {}

impl Search {
    /// A method.
    #[tool(crate = "toolsmith_core")]
    pub async fn run(&self, limit: u32) -> u32 {
        limit
    }
}

trait Named {
    /// No body.
    #[tool(crate = "toolsmith_core")]
    fn name() -> String;
}

fn main() {}
