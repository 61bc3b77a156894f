//! The handle over the definitions of some folders.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use parking_lot::{Mutex, RwLock};
use toolsmith_core::{EventKind, Group, Tool, ToolName, ToolRef, Vault, Version, json, to_millis};
use toolsmith_engine::Engine;

use crate::{
    Groups, Makers, Problem, Strictness, Switches,
    apply::{Applied, Changes},
    catalogue::{Catalogue, Reader},
    contents::{self, Workshop},
    plan::{self, Plan, Surroundings},
    walk::{self, Scan, Stamp},
};

/// The definitions of some folders; cheap to clone.
///
/// [`load`](Self::load) reads them once. [`attach`](Self::attach) puts them into an engine, and
/// [`reload`](Self::reload) brings the engine to what the files say by then. All of these read
/// files and so hold their thread for a while.
#[derive(Clone, Debug)]
pub struct Definitions(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folders: Vec<PathBuf>,
    workshop: Workshop,
    groups: Groups,
    reads: AtomicU64,
    /// Apart from the state, which a reload holds for its whole length.
    strictness: RwLock<Strictness>,
    switches: RwLock<Option<Switches>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    catalogue: Catalogue,
    applied: Applied,
    engine: Option<Engine>,
    /// The problems that were told, so that they are told once.
    told: HashSet<Problem>,
}

/// What the files define.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The tools of all files that are right.
    pub tools: Vec<Tool>,
    /// The groups.
    pub groups: Vec<Group>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What is worth a look.
    pub warnings: Vec<Problem>,
    /// The built-in tools whose place a definition takes.
    pub replaced: Vec<ToolName>,
}

/// What a reload has done.
#[derive(Clone, Debug, Default)]
pub struct Reloaded {
    /// The tools that were not there before.
    pub added: Vec<ToolName>,
    /// The tools whose definition is another one.
    pub updated: Vec<ToolName>,
    /// The tools that are gone.
    pub removed: Vec<ToolName>,
    /// The tools whose place a definition has taken; they come back when it goes.
    pub replaced: Vec<ToolName>,
    /// What is wrong with the files at present.
    pub problems: Vec<Problem>,
    /// What is worth a look at present.
    pub warnings: Vec<Problem>,
    /// How long it took.
    pub took: Duration,
}

/// Whether tools come with the start or change later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occasion {
    Start,
    Change,
}

impl Definitions {
    /// Takes folders, or single files; nothing is read yet, and they need not be there yet.
    pub fn open(folders: Vec<PathBuf>, makers: Makers, vault: Vault) -> Self {
        Self(Arc::new(Inner {
            folders,
            workshop: Workshop { makers, vault },
            groups: Groups::default(),
            reads: AtomicU64::new(0),
            strictness: RwLock::default(),
            switches: RwLock::default(),
            state: Mutex::default(),
        }))
    }

    /// Says what counts as an error; files are judged by it when they are next read.
    #[must_use]
    pub fn with_strictness(self, strictness: Strictness) -> Self {
        *self.0.strictness.write() = strictness;
        self
    }

    /// Says where it is remembered which tools were switched on and off by hand.
    #[must_use]
    pub fn with_switches(self, switches: Switches) -> Self {
        *self.0.switches.write() = Some(switches);
        self
    }

    /// Returns the folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.0.folders
    }

    /// Returns the groups in force; they follow every reload.
    pub fn groups(&self) -> &Groups {
        &self.0.groups
    }

    /// Returns how often a file was read.
    pub fn reads(&self) -> u64 {
        self.0.reads.load(Relaxed)
    }

    /// Reads every file once, for a look or a single run; nothing is remembered.
    pub fn load(&self) -> Loaded {
        let strictness = *self.0.strictness.read();
        let mut catalogue = Catalogue::default();
        self.refresh(&mut catalogue, self.scan(), strictness);
        let makers = &self.0.workshop.makers;
        let outside =
            |name: &ToolName| makers.handler(name.as_str()).map(needs_of).into_iter().collect();
        let nothing = Applied::default();
        let around =
            Surroundings { applied: &nothing.tools, outside: &outside, makers, strictness };
        let Plan { tools, groups, problems, warnings } = plan::plan(&catalogue, around);
        let mut replaced: Vec<ToolName> = tools.keys().map(|(name, _)| name.clone()).collect();
        replaced.retain(|name| makers.handler(name.as_str()).is_some());
        replaced.dedup();
        let tools = tools.values().map(plan::Wanted::tool).collect();
        Loaded { tools, groups, problems, warnings, replaced }
    }

    /// Reads a text as though it stood in that file.
    pub fn check(&self, file: &Path, text: &str) -> Loaded {
        let strictness = *self.0.strictness.read();
        let contents = contents::read(&file.into(), text, &self.0.workshop, strictness);
        let mut loaded = Loaded {
            problems: contents.problems,
            warnings: contents.warnings,
            ..Loaded::default()
        };
        if loaded.problems.is_empty() {
            loaded.tools = contents.tools.iter().map(|built| built.tool.clone()).collect();
            loaded.groups = contents.groups.into_iter().map(|written| written.group).collect();
        }
        loaded
    }

    /// Reads every file and puts the tools into an engine, which [`reload`](Self::reload) keeps up.
    ///
    /// A definition takes the place of the built-in tools of its name.
    pub fn attach(&self, engine: &Engine) -> Reloaded {
        let mut state = self.0.state.lock();
        *state = State { engine: Some(engine.clone()), ..State::default() };
        self.bring_up(&mut state, self.scan(), Occasion::Start)
    }

    /// Reads what has changed, and changes the engine's tools in one step.
    pub fn reload(&self) -> Reloaded {
        let mut state = self.0.state.lock();
        let scan = self.scan();
        self.bring_up(&mut state, scan, Occasion::Change)
    }

    /// The same, for files that were just looked at.
    pub(crate) fn reload_to(&self, scan: Scan) -> Reloaded {
        let mut state = self.0.state.lock();
        self.bring_up(&mut state, scan, Occasion::Change)
    }

    /// Looks which files there are.
    pub(crate) fn scan(&self) -> Scan {
        let switches = self.0.switches.read().clone();
        let switches = switches.and_then(|switches| Stamp::at(switches.path()));
        Scan { switches, ..walk::scan(&self.0.folders) }
    }

    /// Returns what is worth listening to: the folders, and the file of switches.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        let switches = self.0.switches.read().clone();
        let file = switches.map(|switches| switches.path().to_owned());
        self.0.folders.iter().cloned().chain(file).collect()
    }

    /// Tells whether there is a file of switches, which may or may not be there yet.
    pub(crate) fn has_switches(&self) -> bool {
        self.0.switches.read().is_some()
    }

    /// Tells whether somebody has used the switches since they were read.
    pub(crate) fn is_rung(&self) -> bool {
        let switches = self.0.switches.read().clone();
        let stamp = switches.and_then(|switches| Stamp::at(switches.path()));
        !self.0.state.lock().catalogue.has_read_switches(stamp)
    }

    /// Tells whether these files are those that were read.
    pub(crate) fn is_current(&self, scan: &Scan) -> bool {
        self.0.state.lock().catalogue.is_current(scan)
    }

    /// Tells whether a file is gone or empty that was not when it was read.
    pub(crate) fn is_less(&self, scan: &Scan) -> bool {
        self.0.state.lock().catalogue.is_less(scan)
    }

    /// Returns the last of three looks without the files that were not at rest, and whether there
    /// were any.
    pub(crate) fn settle(&self, looks: [&Scan; 2], last: Scan) -> (Scan, bool) {
        self.0.state.lock().catalogue.settle(looks, last)
    }

    /// Tells whether a file must be looked at again soon, though nothing happens to it.
    pub(crate) fn has_doubts(&self) -> bool {
        self.0.state.lock().catalogue.has_doubts()
    }

    fn refresh(&self, catalogue: &mut Catalogue, scan: Scan, strictness: Strictness) {
        let switches = self.0.switches.read().clone();
        let (workshop, reads) = (&self.0.workshop, &self.0.reads);
        let reader = Reader { workshop, strictness, reads, switches: switches.as_ref() };
        catalogue.refresh(scan, reader);
    }

    fn bring_up(&self, state: &mut State, scan: Scan, occasion: Occasion) -> Reloaded {
        let began = Instant::now();
        state.announce_start(occasion);
        let strictness = *self.0.strictness.read();
        self.refresh(&mut state.catalogue, scan, strictness);
        let Plan { tools, groups, mut problems, warnings } =
            state.plan(&self.0.workshop.makers, strictness);
        let changes = match &state.engine {
            None => Changes::default(),
            Some(engine) => {
                let makers = &self.0.workshop.makers;
                state.applied.change_to(tools, engine.registry(), makers).unwrap_or_else(|error| {
                    // Every tool was checked before, so this is somebody else's doing meanwhile.
                    let folder = self.0.folders.first().map_or(Path::new("."), PathBuf::as_path);
                    let message = format!("the change was refused: {}", error.message());
                    problems.push(Problem::whole(folder, message));
                    Changes::default()
                })
            }
        };
        self.0.groups.replace(&groups);
        let Changes { added, updated, removed, replaced } = changes;
        let took = began.elapsed();
        let reloaded = Reloaded { added, updated, removed, replaced, problems, warnings, took };
        state.announce_end(occasion, &reloaded);
        reloaded
    }
}

impl State {
    fn plan(&self, makers: &Makers, strictness: Strictness) -> Plan {
        let Applied { tools: applied, replaced } = &self.applied;
        let is_ours = |name: &ToolName, version: &Version| {
            applied.contains_key(&(name.clone(), version.clone()))
        };
        let outside = |name: &ToolName| -> Vec<(Version, Vec<ToolRef>)> {
            let handler = makers.handler(name.as_str());
            let Some(engine) = &self.engine else {
                return handler.map(needs_of).into_iter().collect();
            };
            let restored = handler.filter(|_| replaced.contains(name));
            let registered = engine.registry().versions(name.as_str()).into_iter();
            registered
                .filter(|entry| !is_ours(name, &entry.spec.version))
                .map(|entry| (entry.spec.version.clone(), entry.spec.depends_on.clone()))
                .chain(restored.map(needs_of))
                .collect()
        };
        plan::plan(&self.catalogue, Surroundings { applied, outside: &outside, makers, strictness })
    }

    fn announce_start(&self, occasion: Occasion) {
        if let (Occasion::Change, Some(engine)) = (occasion, &self.engine) {
            engine.announce(EventKind::ReloadStarted, None, json!({}));
        }
    }

    fn announce_end(&mut self, occasion: Occasion, reloaded: &Reloaded) {
        let told = std::mem::take(&mut self.told);
        for problem in reloaded.problems.iter().filter(|problem| !told.contains(problem)) {
            tracing::warn!("{problem}");
            if let Some(engine) = &self.engine {
                engine.announce(EventKind::LoadError, None, json!(problem));
            }
        }
        self.told = reloaded.problems.iter().cloned().collect();
        for name in &reloaded.replaced {
            tracing::info!(tool.name = %name, "a definition takes the place of a built-in tool");
        }
        let Some(engine) = &self.engine else { return };
        if occasion == Occasion::Start {
            for name in reloaded.added.iter().chain(&reloaded.updated) {
                engine.announce(EventKind::ToolLoaded, Some(name.text()), json!({}));
            }
            return;
        }
        let data = json!({
            "added": reloaded.added.len(),
            "updated": reloaded.updated.len(),
            "removed": reloaded.removed.len(),
            "errors": reloaded.problems.len(),
            "took_ms": to_millis(reloaded.took),
        });
        tracing::info!(%data, "definitions were reloaded");
        engine.announce(EventKind::ReloadCompleted, None, data);
    }
}

fn needs_of(tool: &Tool) -> (Version, Vec<ToolRef>) {
    (tool.spec.version.clone(), tool.spec.depends_on.clone())
}
