//! What must hold for any bytes: the fuzz targets of `fuzz/`, also run over the kept corpus.
//!
//! Only the public API is used. The fuzz crate includes this module by its path, so that a find of
//! the fuzzer and a replay by `cargo test` are one piece of code.

mod bytes;
mod events;
mod parse;
mod repair;
mod round_trip;
mod scraps;

/// A check of one fuzz target.
pub(crate) type Check = fn(&[u8]);

/// The fuzz targets by name; each has a program and a folder of the corpus.
pub(crate) const TARGETS: [(&str, Check); 3] =
    [("parse", parse::check), ("repair", repair::check), ("round_trip", round_trip::check)];
