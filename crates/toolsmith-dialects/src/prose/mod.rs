//! Prose around calls: passes text on until a call begins; knows code and reasoning.

mod code;
mod reader;
mod starts;
mod thought;

pub(crate) use reader::Prose;
pub(crate) use starts::{Bytes, Starts};
