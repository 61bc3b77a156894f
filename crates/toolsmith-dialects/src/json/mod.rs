//! JSON as models write it: found in a stream, read, and repaired when it is nearly right.

mod arguments;
mod repair;
mod scanner;

#[expect(unused_imports, reason = "the dialects with JSON arguments use it")]
pub(crate) use arguments::read_arguments;
pub use repair::{Fix, Repaired, repair};
pub use scanner::JsonScanner;
