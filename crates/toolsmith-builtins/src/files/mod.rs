//! Tools for files, which stay inside the folders that they are allowed.
//!
//! A path is never compared with where it really leads: an allowed folder is opened once for each
//! call, and everything is opened beneath that handle, by the kernel where it can. So there is no
//! moment between a check and a use at which a link could be swapped in.
//!
//! What a hard link shares with a file outside is that file, and is read; it is never changed,
//! because writing puts a file of its own in the place of the old one.

pub mod delete_file;
pub mod edit_file;
pub mod get_file_info;
pub mod glob_files;
pub mod list_files;
pub mod move_file;
pub mod read_file;
pub mod search_files;
pub mod write_file;

mod encoding;
mod failure;
mod fence;
mod lines;
mod place;
mod replace;
mod walk;

use toolsmith_core::{Tool, ToolError};

use crate::Settings;

/// The most bytes of one file that are held at once.
const MOST_BYTES: u64 = 8 * 1024 * 1024;

/// Returns every tool for files.
pub fn all(settings: &Settings) -> Result<Vec<Tool>, ToolError> {
    Ok(vec![
        read_file::tool(settings)?,
        write_file::tool(settings)?,
        edit_file::tool(settings)?,
        list_files::tool(settings)?,
        glob_files::tool(settings)?,
        search_files::tool(settings)?,
        get_file_info::tool(settings)?,
        move_file::tool(settings)?,
        delete_file::tool(settings)?,
    ])
}
