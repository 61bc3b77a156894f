//! What servers are started and reached with.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use toolsmith_children::{Children, clean};
use toolsmith_core::{Clock, SystemClock, Vault};
use toolsmith_net::Client;

/// What every server needs from the program around it; cheap to clone.
#[derive(Clone)]
pub struct Surroundings {
    pub(super) children: Children,
    pub(super) environment: Arc<BTreeMap<String, String>>,
    pub(super) net: Client,
    pub(super) vault: Vault,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) memory: Option<PathBuf>,
    sampling: Arc<AtomicBool>,
}

/// Whether servers may ask for a model's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sampling {
    Offered,
    NotOffered,
}

impl Surroundings {
    /// Takes what starts children, our environment (of which they see a harmless part), what sends
    /// requests, and what fills in variables.
    pub fn new(
        children: Children,
        environment: &BTreeMap<String, String>,
        net: Client,
        vault: Vault,
    ) -> Self {
        let environment = Arc::new(clean(environment));
        let clock = Arc::new(SystemClock);
        Self { children, environment, net, vault, clock, memory: None, sampling: Arc::default() }
    }

    /// Remembers the tools of servers in a folder, from one run to the next.
    #[must_use]
    pub fn with_memory(mut self, folder: PathBuf) -> Self {
        self.memory = Some(folder);
        self
    }

    /// Tells servers that they may ask for a model's answer: some callers have one.
    #[must_use]
    pub fn with_sampling(self) -> Self {
        self.offer_sampling();
        self
    }

    /// Tells them from their next session on.
    pub(super) fn offer_sampling(&self) {
        self.sampling.store(true, Ordering::Relaxed);
    }

    pub(super) fn sampling(&self) -> Sampling {
        let is_offered = self.sampling.load(Ordering::Relaxed);
        if is_offered { Sampling::Offered } else { Sampling::NotOffered }
    }

    /// Takes the time from another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }
}

/// Values of variables may be secrets, so only their names are shown.
impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("environment", &self.environment.keys().collect::<Vec<_>>())
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}
