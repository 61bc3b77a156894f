//! Connectors against real servers, and against servers that misbehave.

mod bench;
mod calls;
mod hostile;
mod lists;
