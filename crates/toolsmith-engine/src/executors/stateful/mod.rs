//! Stateful tools: an object for each thread of a conversation.

mod closings;
mod executor;
mod instances;
mod slot;

pub(crate) use executor::StatefulExecutor;
pub(crate) use instances::{Ending, Instances};
