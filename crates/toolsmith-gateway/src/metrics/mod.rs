//! What there is to measure: counted where it happens, summed up when somebody asks.

mod family;
mod gather;
mod process;
mod requests;
mod route;
mod text;

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use parking_lot::Mutex;
use toolsmith_core::Text;

pub(crate) use self::{
    family::{Amount, Family, Form, Sample},
    gather::gather,
    requests::{Requests, place_of},
    route::Route,
    text::write,
};

/// How many tools are counted under their own names; the others are counted together.
///
/// Each has about thirty lines, and a registry of 100,000 tools must not become three million.
const MOST_TOOLS: usize = 100;

/// Who may read `/metrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetricsDoor {
    /// Administrators, and whoever has the key for metrics.
    #[default]
    Admins,
    /// Everybody.
    Open,
    /// Nobody.
    Off,
}

/// What the doors count.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// The requests that were answered.
    pub(crate) requests: Requests,
    connections: AtomicUsize,
    accepted: AtomicU64,
    /// The tools that have names of their own: who has one keeps it, so that counters never fall.
    named: Mutex<BTreeSet<Text>>,
}

/// A connection, counted for as long as this is held.
#[derive(Debug)]
pub(crate) struct Connected<'a>(&'a Metrics);

impl Metrics {
    /// Counts a connection.
    pub(crate) fn connect(&self) -> Connected<'_> {
        self.connections.fetch_add(1, Relaxed);
        self.accepted.fetch_add(1, Relaxed);
        Connected(self)
    }
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Relaxed);
    }
}
