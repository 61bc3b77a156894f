//! Tool definitions in files: read, checked, watched and reloaded.
//!
//! A file becomes a tree that knows its lines ([`yaml`]); `parse/` reads the keys of a definition;
//! `entry.rs` hands the `entry` to the [`Makers`]; `catalogue.rs` keeps what each file defined, so
//! that only changed files are read again; `plan.rs` decides which tools should be there, and
//! `apply.rs` brings a registry there in one step. [`Definitions`] is the handle over all of it,
//! [`Watcher`] calls it when files change.
//!
//! # Example
//!
//! ```
//! use std::path::Path;
//! use toolsmith_core::{Redactor, Vault};
//! use toolsmith_definitions::{Definitions, Makers};
//!
//! let vault = Vault::with_values([("HOST", "localhost")], Redactor::default());
//! let definitions = Definitions::open(Vec::new(), Makers::new(), vault);
//! let loaded = definitions.check(Path::new("tools/greet.yaml"), "name: greet\nparamters: []\n");
//! assert_eq!(
//!     loaded.problems[0].to_string(),
//!     "tools/greet.yaml:2:1: unknown key `paramters`. Did you mean `parameters`?"
//! );
//! ```

mod apply;
mod catalogue;
mod contents;
mod definitions;
mod dependencies;
mod entry;
mod groups;
mod groups_file;
mod inherit;
pub mod json_registry;
mod locate;
mod makers;
mod parse;
mod plan;
mod problem;
pub mod scaffold;
mod switches;
pub mod toml_registry;
mod variables;
mod walk;
mod watch;
pub mod yaml;

pub use definitions::{Definitions, Loaded, Reloaded};
pub use groups::Groups;
pub use makers::Makers;
pub use problem::{Problem, Strictness};
pub use switches::{Positions, Switches};
pub use watch::{Watcher, Watching};
