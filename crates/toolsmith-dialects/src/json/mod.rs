//! JSON as models write it: found in a stream, read, and repaired when it is nearly right.

mod arguments;
mod plain;
mod repair;
mod scanner;

pub(crate) use arguments::read_arguments;
pub(crate) use plain::read_plain;
pub use repair::{Fix, Repaired, repair};
pub use scanner::JsonScanner;
