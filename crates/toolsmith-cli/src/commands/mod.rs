//! The words of the command line, one file each.

pub(crate) mod approvals;
pub(crate) mod artifacts;
pub(crate) mod batch;
pub(crate) mod calls;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod keys;
pub(crate) mod mcp;
pub(crate) mod parse;
pub(crate) mod render;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod tools;
