//! Where a tool's own code runs: on the caller's task, on a thread, on an object that remembers.

mod blocking;
mod stateful;

pub(crate) use blocking::BlockingExecutor;
pub(crate) use stateful::{Ending, Instances, StatefulExecutor};
