//! The words of the command line, one file each.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod init;
