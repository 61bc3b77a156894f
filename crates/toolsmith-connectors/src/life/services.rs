//! What services are started with, and the list of those that there are.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use toolsmith_children::{Children, clean};
use toolsmith_core::{Clock, SystemClock, Timestamp, ToolError};
use toolsmith_net::Client;

use super::{State, Status, lease::Lease, shared::Shared};

/// How long closing waits for services that end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Hears of each change of a service.
pub type OnChange = Arc<dyn Fn(&Status) + Send + Sync>;

/// The services of a program; cheap to clone, shared by its clones.
///
/// Makers of processes, containers and sources take it, and list their services here.
#[derive(Clone)]
pub struct Services(Arc<Core>);

struct Core {
    children: Children,
    /// Our own environment: all of it, so that whoever starts something can choose.
    environment: BTreeMap<String, String>,
    client: Client,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    known: Mutex<Known>,
    /// The ports that services were told.
    ports: Mutex<BTreeSet<u16>>,
    listeners: Mutex<Vec<OnChange>>,
    is_closed: AtomicBool,
}

#[derive(Default)]
struct Known {
    next: u64,
    services: BTreeMap<u64, Weak<Shared>>,
}

/// Keeps a service running; it may stand idle again when this is dropped.
#[must_use = "the service may be stopped as soon as it is dropped"]
pub struct Held {
    _lease: Lease,
}

impl Services {
    /// Takes what starts children, our environment, and what sends requests.
    pub fn new(children: Children, environment: BTreeMap<String, String>, client: Client) -> Self {
        Self::with_clock(children, environment, client, Arc::new(SystemClock))
    }

    /// The same, with the time from another clock.
    pub fn with_clock(
        children: Children,
        environment: BTreeMap<String, String>,
        client: Client,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self(Arc::new(Core {
            children,
            environment,
            client,
            clock,
            tasks: TaskTracker::new(),
            known: Mutex::default(),
            ports: Mutex::default(),
            listeners: Mutex::default(),
            is_closed: AtomicBool::new(false),
        }))
    }

    /// Calls a function at each change of a service.
    pub fn on_change(&self, listener: OnChange) {
        self.0.listeners.lock().push(listener);
    }

    /// Returns how the service of a tool is; nothing when the tool has none.
    ///
    /// Of several sources, the one that is the most alive speaks.
    pub fn status(&self, tool: &str) -> Option<Status> {
        let found = self.of(tool).into_iter().map(|service| service.status());
        found.max_by_key(|status| liveliness(status.state))
    }

    /// Returns how every service is.
    pub fn all(&self) -> Vec<Status> {
        self.list().iter().map(|service| service.status()).collect()
    }

    /// Starts the service of a tool and keeps it running; nothing when the tool has none.
    pub async fn start(&self, tool: &str) -> Option<Result<Held, ToolError>> {
        let service = self.of(tool).into_iter().next()?;
        let lease = service.lease().await;
        Some(lease.map(|lease| Held { _lease: lease.into_hold() }))
    }

    /// Stops the services of a tool, and waits; the next call starts them again.
    pub async fn stop(&self, tool: &str) {
        for service in self.of(tool) {
            service.stop().await;
        }
    }

    /// Stops everything for good, and waits until it has ended.
    pub async fn close(&self) {
        self.0.is_closed.store(true, Ordering::Relaxed);
        self.list().iter().for_each(|service| service.close());
        self.0.tasks.close();
        if timeout(PATIENCE, self.0.tasks.wait()).await.is_err() {
            tracing::warn!("some services of tools did not end in time");
        }
    }

    pub(super) fn register(&self, make: impl FnOnce(u64) -> Shared) -> Arc<Shared> {
        let mut known = self.0.known.lock();
        known.next += 1;
        let id = known.next;
        let service = Arc::new(make(id));
        known.services.insert(id, Arc::downgrade(&service));
        service
    }

    pub(super) fn forget(&self, id: u64) {
        self.0.known.lock().services.remove(&id);
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.tasks.spawn(task);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed.load(Ordering::Relaxed)
    }

    pub(super) fn tell(&self, status: &Status) {
        let listeners = self.0.listeners.lock().clone();
        for listener in &listeners {
            listener(status);
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(crate) fn children(&self) -> &Children {
        &self.0.children
    }

    pub(crate) fn ports(&self) -> &Mutex<BTreeSet<u16>> {
        &self.0.ports
    }

    pub(crate) fn client(&self) -> &Client {
        &self.0.client
    }

    /// Returns what every process may see of our environment.
    pub(crate) fn clean_environment(&self) -> BTreeMap<String, String> {
        clean(&self.0.environment)
    }

    /// Returns what a process started by uv may see: also how uv finds packages.
    pub(crate) fn uv_environment(&self) -> BTreeMap<String, String> {
        let is_needed = |name: &str| {
            let upper = name.to_ascii_uppercase();
            name.starts_with("UV_")
                || name.starts_with("SSL_CERT_")
                || ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"].contains(&&*upper)
        };
        let mut environment = self.clean_environment();
        let own = self.0.environment.iter().filter(|(name, _)| is_needed(name));
        environment.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        environment
    }

    fn of(&self, tool: &str) -> Vec<Arc<Shared>> {
        self.list().into_iter().filter(|service| service.parts.tool == *tool).collect()
    }

    fn list(&self) -> Vec<Arc<Shared>> {
        self.0.known.lock().services.values().filter_map(Weak::upgrade).collect()
    }
}

fn liveliness(state: State) -> u8 {
    match state {
        State::Stopped => 0,
        State::Failed => 1,
        State::Stopping => 2,
        State::Starting => 3,
        State::Unhealthy => 4,
        State::Running => 5,
    }
}

/// Values of variables may be secrets, so nothing of them is shown.
impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all().iter().map(|status| &status.tool_name)).finish()
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}
