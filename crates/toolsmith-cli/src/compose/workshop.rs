//! An engine with its store, ready for calls.

use std::{fs, io, path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use parking_lot::Mutex;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use toolsmith_core::{Call, Context, EventKind, Outcome, StreamItem, Tracer, json};
use toolsmith_definitions::Watching;
use toolsmith_engine::{Engine, Followed};
use toolsmith_gateway::House;
use toolsmith_store::{Durability, Health, Store, StoreConfig, StoreError};

use super::{
    house::Premises,
    services, settings,
    toolbox::{Toolbox, Wanted},
    unwritten::Unwritten,
};
use crate::{Session, config::Settings, files, wording::counted};

/// How long calls and objects may take to end when the program ends.
const ENDING: Duration = Duration::from_secs(5);

/// How much room a disk must have before a record is promised: a large record and its log.
const ROOM: usize = 512 << 10;

/// The engine, as the store reaches it; emptied at the end, because each holds the other.
pub(super) type Link = Arc<Mutex<Option<Engine>>>;

/// An engine with its store, ready for calls.
pub(crate) struct Workshop {
    engine: Engine,
    keeping: Keeping,
    link: Link,
    context: Context,
    toolbox: Toolbox,
    watching: Option<Watching>,
    /// Hears `toolsmith tools stop`.
    obeying: Option<AbortOnDropHandle<()>>,
    /// Asks MCP servers what they offer.
    asking: Option<AbortOnDropHandle<()>>,
}

/// Where records go.
enum Keeping {
    Store(Store),
    Nowhere(Arc<Unwritten>),
}

impl Workshop {
    /// Opens the store and makes an engine with the built-in and the defined tools.
    ///
    /// A store that cannot write is no error: `batched` answers and warns, `sync` refuses calls.
    pub(crate) async fn open(session: &Session, settings: &Settings) -> Result<Self> {
        Self::open_traced(session, settings, None).await
    }

    /// The same, with someone who writes traces of calls.
    pub(crate) async fn open_traced(
        session: &Session,
        settings: &Settings,
        tracer: Option<Arc<dyn Tracer>>,
    ) -> Result<Self> {
        let toolbox = Toolbox::open(session, settings)?;
        let link = Link::default();
        let mut config = settings::store_config(settings, &session.environment)?;
        listen(&mut config, &link);
        let keeping = Keeping::open(config).await?;
        let mut builder = super::builder(session, settings, toolbox.builtins());
        if let Some(tracer) = tracer {
            builder = builder.with_tracer(tracer);
        }
        let engine = match &keeping {
            Keeping::Store(store) => builder
                .with_records(Arc::new(store.clone()))
                .with_artifacts(Arc::new(store.clone())),
            Keeping::Nowhere(sink) => builder.with_records(Arc::<Unwritten>::clone(sink)),
        }
        .build()?;
        toolbox.fill(&engine);
        *link.lock() = Some(engine.clone());
        services::announce(toolbox.services(), &link);
        let context = settings::context(settings, &session.environment);
        Ok(Self {
            engine,
            keeping,
            link,
            context,
            toolbox,
            watching: None,
            obeying: None,
            asking: None,
        })
    }

    /// Follows changes of definition files, as the settings say, and starts MCP servers that start
    /// with the program or whose tools nobody knows; for words that run for long.
    pub(crate) fn watch(&mut self, settings: &Settings) {
        self.watching = Some(self.toolbox.watch(settings));
        self.obeying = Some(AbortOnDropHandle::new(tokio::spawn(self.toolbox.obey())));
        let servers = self.toolbox.servers().clone();
        // Before the first session: each is asked when it is opened.
        drop(servers.library());
        // Why one does not start is in the log and in its status; the others do not wait for it.
        let asking = async move { drop(servers.load().await) };
        self.asking = Some(AbortOnDropHandle::new(tokio::spawn(asking)));
    }

    /// Waits until those MCP servers have said what they offer, and no longer than so long.
    pub(crate) async fn gather(&mut self, limit: Duration) {
        if let Some(asking) = &mut self.asking
            && timeout(limit, asking).await.is_ok()
        {
            self.asking = None;
        }
    }

    /// Asks MCP servers for a tool that is not known; the error says why one did not start.
    pub(crate) async fn look_for(&self, tool: &str) -> Result<()> {
        let wanted = Wanted::One(tool);
        let failed = self.toolbox.ask(wanted).await;
        super::missing(&self.engine, wanted, failed)
    }

    /// Returns the program as its doors see it.
    pub(crate) fn house(&self) -> Arc<dyn House> {
        let builtins = self.toolbox.builtins().into_iter().map(|tool| tool.spec.name).collect();
        Arc::new(Premises {
            engine: self.engine.clone(),
            switches: self.toolbox.switches().clone(),
            builtins: Arc::new(builtins),
            asked: self.asking.as_ref().map(AbortOnDropHandle::abort_handle),
            held: Arc::default(),
            definitions: self.toolbox.definitions().clone(),
            servers: self.toolbox.servers().clone(),
            services: self.toolbox.services().clone(),
            library: self.toolbox.servers().library(),
            store: self.store().cloned().map_err(str::to_owned),
        })
    }

    /// Returns the store, unless records cannot be kept.
    pub(crate) fn store(&self) -> Result<&Store, &str> {
        match &self.keeping {
            Keeping::Store(store) => Ok(store),
            Keeping::Nowhere(sink) => Err(sink.reason()),
        }
    }

    /// Returns the engine.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns what every call has in common.
    pub(crate) fn context(&self) -> Context {
        self.context.clone()
    }

    /// Makes a call, and hands on what it sends while it runs.
    pub(crate) async fn follow(
        &self,
        call: Call,
        mut on_item: impl FnMut(StreamItem),
    ) -> Result<Outcome> {
        let mut stream = self.engine.stream(call);
        loop {
            match stream.next().await.context("the call ended without an outcome")? {
                Followed::Item(item) => on_item(item),
                Followed::Outcome(outcome) => return Ok(*outcome),
            }
        }
    }

    /// Makes many calls at once; outcomes come in the order of the calls.
    pub(crate) async fn batch(&self, calls: Vec<Call>) -> Vec<Outcome> {
        self.engine.batch(calls).await
    }

    /// Waits until the calls so far are on disk, if they can be.
    pub(crate) async fn flush(&self) {
        if let Keeping::Store(store) = &self.keeping {
            store.flush().await;
        }
    }

    /// Ends everything in order, and says what could not be kept.
    pub(crate) async fn close(self) {
        if let Some(watching) = self.watching {
            watching.stop().await;
        }
        drop((self.obeying, self.asking));
        self.engine.shutdown(ENDING).await;
        self.toolbox.servers().close().await;
        self.toolbox.services().close().await;
        self.link.lock().take();
        match &self.keeping {
            // The writer itself ends with the last handle, right after this.
            Keeping::Store(store) => {
                if let Health::Failing { unwritten, lost, reason } = store.flush().await {
                    warn(unwritten + lost, &reason);
                }
            }
            Keeping::Nowhere(sink) => warn(sink.count(), sink.reason()),
        }
    }
}

impl Keeping {
    async fn open(config: StoreConfig) -> Result<Self> {
        let (folder, durability) = (config.folder.clone(), config.durability);
        let reason = match Store::open(config).await {
            Ok(store) => match promise(&folder, durability) {
                Ok(()) => return Ok(Self::Store(store)),
                Err(error) => {
                    format!("cannot write to {}: {}", folder.display(), files::explain(&error))
                }
            },
            Err(error @ (StoreError::Folder { .. } | StoreError::CannotWrite { .. })) => {
                error.to_string()
            }
            // A file of a newer version or of another program wants a decision by a person.
            Err(error) => return Err(error.into()),
        };
        Ok(Self::Nowhere(Arc::new(Unwritten::new(reason, durability))))
    }
}

/// Makes sure that a record can be written before a call is made that promises it.
///
/// A full disk shows only when something is written, and then the tool has already run.
fn promise(folder: &Path, durability: Durability) -> io::Result<()> {
    if durability == Durability::Batched {
        return Ok(());
    }
    let path = folder.join(format!("room.{}", std::process::id()));
    let written = fs::write(&path, vec![0; ROOM]);
    fs::remove_file(&path).ok();
    written
}

/// Lets the store tell subscribers of the engine how it is.
fn listen(config: &mut StoreConfig, link: &Link) {
    let link = Arc::clone(link);
    config.on_health = Some(Arc::new(move |health| {
        let Some(engine) = link.lock().clone() else { return };
        match health {
            Health::Failing { unwritten, reason, .. } => {
                let told = json!({ "unwritten": unwritten, "reason": reason });
                engine.announce(EventKind::StoreFailing, None, told);
            }
            Health::Recovered { written } => {
                engine.announce(EventKind::StoreRecovered, None, json!({ "written": written }));
            }
            _ => {}
        }
    }));
}

fn warn(records: u64, reason: &str) {
    if records > 0 {
        tracing::warn!("{} not kept: {reason}", counted(records, "record"));
    }
}
