//! Old registries in TOML: `__registry__.toml` beside folders of tools, read as they are.
//!
//! A file of TOML becomes the tree that YAML gives (`text.rs`); keys that a table swallowed are put
//! back (`repair.rs`), and what the file says is said in the words of a definition (`tool.rs`,
//! `entry.rs`), so that everything behind it is shared with YAML. Which files count is the
//! registry's word (`registry.rs`, `choose.rs`). A [`Migration`] is the same as values to be
//! written.

mod choose;
mod entry;
mod migrate;
mod registry;
mod repair;
mod text;
mod tool;

use std::path::Path;

pub use self::migrate::{Migrated, Migration, Unmapped};
pub(crate) use self::{
    choose::{Chosen, Standing, choose},
    migrate::{choose_all, migrate},
    registry::Registry,
    text::parse,
    tool::adapt,
};

/// The file that says which files of its folder are tools.
pub const FILE_NAME: &str = "__registry__.toml";

/// Tells whether a file is a registry.
pub(crate) fn is_registry(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == FILE_NAME)
}

/// Tells whether a file is TOML.
pub(crate) fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "toml")
}
