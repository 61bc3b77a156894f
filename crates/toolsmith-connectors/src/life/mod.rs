//! The life of services: started by the first call, shared, watched, stopped when idle.

mod backend;
mod backoff;
mod executor;
mod keeper;
mod lease;
mod log;
mod service;
mod services;
mod shared;

#[cfg(test)]
mod tests;

pub use self::services::{Held, OnChange, Services};
pub(crate) use self::{
    backend::{Backend, End, Failure, Life, Line, Source, Started},
    backoff::Backoff,
    executor::Single,
    log::{Log, USUAL_LINES},
    service::{Rules, Service},
};
pub use toolsmith_core::{State, Status};
