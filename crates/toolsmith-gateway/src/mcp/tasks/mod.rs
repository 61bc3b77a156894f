//! Long calls as tasks: the client is answered at once, and asks later what came of them.
//!
//! A task is a call of the table that `?async=true` uses, by the same identifier, place and bounds;
//! here is only what the protocol tells besides: when it was made, what it asks, how far it is. From
//! 2026-07-28 on the server makes tasks, of calls that take long; in 2025-11-25 the client wishes so.

mod answers;
mod driving;
mod news;
mod standing;
mod table;
mod task;

pub(crate) use self::{
    answers::{cancel, get, list, made, result, told, update},
    driving::drive,
    news::Changes,
    table::Tasks,
    task::Task,
};

/// The name of the extension.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";
