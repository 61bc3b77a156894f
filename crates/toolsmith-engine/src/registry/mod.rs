//! The tools: found without a lock, changed as a whole.

mod dependencies;
mod differences;
mod entry;
mod family;
mod filter;
mod finder;
mod shelves;
mod snapshot;
mod stats;
mod table;
mod view;

pub use dependencies::{DependencyProblem, Needs, check_needs};
pub use entry::Entry;
pub use filter::Filter;
pub use finder::Hit;
pub use stats::{CalledTool, ToolStats, Totals};
pub use table::{Change, OnClash, Registry, Removal};

pub(crate) use view::{NotFound, View};
