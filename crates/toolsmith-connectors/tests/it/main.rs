//! Connectors against real servers, and against servers that misbehave.

mod bench;
mod bound;
mod calls;
mod hostile;
mod http;
mod lists;
mod real;
