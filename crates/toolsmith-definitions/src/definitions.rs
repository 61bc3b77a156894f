//! The handle over the definitions of some folders.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    ptr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use parking_lot::{Mutex, RwLock};
use toolsmith_core::{
    EventKind, Group, Tool, ToolName, ToolRef, Value, Vault, Version, json, to_millis,
};
use toolsmith_engine::Engine;

use crate::{
    Groups, Makers, Problem, Strictness, Switches,
    apply::{Applied, Changes, Refused},
    catalogue::{self, Catalogue, Reader},
    contents::{self, Workshop},
    plan::{self, Plan, Surroundings},
    toml_registry::{self, Migration},
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
    /// How often it was looked which files there are.
    looks: AtomicU64,
    /// How much was wrong with the files when they were read last.
    problems: AtomicU64,
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
    /// The number of the look that was read last.
    look: u64,
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
            looks: AtomicU64::new(0),
            problems: AtomicU64::new(0),
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
        let around = Surroundings {
            applied: &nothing.tools,
            outside: &outside,
            is_taken: &|_| false,
            makers,
            strictness,
        };
        let Plan { mut tools, groups, problems, warnings } = plan::plan(&catalogue, around);
        let groups = plan::all_groups(groups, &tools);
        tools.retain(|_, wanted| !wanted.is_built_in());
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

    /// Reads an old registry in TOML, its folder or its file, as definitions to be written.
    pub fn migrate(&self, path: &Path) -> Migration {
        toml_registry::migrate(path, &self.0.workshop.makers)
    }

    /// Returns the definitions as they are written, each with its file; what is wrong is left out.
    ///
    /// Variables are not filled in, so there are no secrets in them but those that stand there.
    pub fn written(&self) -> Vec<(PathBuf, Value)> {
        let scan = self.scan();
        let files = scan.files.into_keys().filter(|file| !contents::is_groups_file(file));
        let read = |file: PathBuf| {
            let text = catalogue::read_text(&file).unwrap_or_default();
            let documents = contents::documents(&file, &text, &self.0.workshop.makers);
            documents.into_iter().map(move |document| (file.clone(), document))
        };
        files.flat_map(read).collect()
    }

    /// Returns how much was wrong with the files when they were read last.
    pub fn problems(&self) -> u64 {
        self.0.problems.load(Relaxed)
    }

    /// Reads every file and puts the tools into an engine, which [`reload`](Self::reload) keeps up.
    ///
    /// A definition takes the place of the built-in tool of its name. A name under which the
    /// application registered a tool of its own is refused: the tool could not come back.
    pub fn attach(&self, engine: &Engine) -> Reloaded {
        let mut state = self.0.state.lock();
        let before = std::mem::take(&mut *state);
        let is_same = |old: &Engine| ptr::eq(old.registry(), engine.registry());
        let applied = if before.engine.as_ref().is_some_and(is_same) {
            before.applied
        } else {
            Applied::default()
        };
        *state = State { engine: Some(engine.clone()), applied, ..State::default() };
        self.bring_up(&mut state, self.scan(), Occasion::Start)
    }

    /// Reads what has changed, and changes the engine's tools in one step.
    pub fn reload(&self) -> Reloaded {
        let mut state = self.0.state.lock();
        let scan = self.scan();
        self.bring_up(&mut state, scan, Occasion::Change)
    }

    /// The same, for files that were just looked at; nothing when a later look was read meanwhile.
    pub(crate) fn reload_to(&self, scan: Scan) -> Option<Reloaded> {
        let mut state = self.0.state.lock();
        let is_late = scan.number < state.look;
        (!is_late).then(|| self.bring_up(&mut state, scan, Occasion::Change))
    }

    /// Looks which files there are.
    pub(crate) fn scan(&self) -> Scan {
        // Taken before the walk: what changes while it goes on belongs to the next one.
        let number = self.0.looks.fetch_add(1, Relaxed) + 1;
        let switches = self.0.switches.read().clone();
        let switches = switches.and_then(|switches| Stamp::at(switches.path()));
        Scan { number, switches, ..walk::scan(&self.0.folders) }
    }

    /// Returns what is worth listening to: the folders, and the file of switches.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        self.0.folders.iter().cloned().chain(self.switches_file()).collect()
    }

    /// Returns the file of switches, which may or may not be there yet.
    pub(crate) fn switches_file(&self) -> Option<PathBuf> {
        self.0.switches.read().as_ref().map(|switches| switches.path().to_owned())
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
        state.look = scan.number;
        self.refresh(&mut state.catalogue, scan, strictness);
        let makers = &self.0.workshop.makers;
        let Plan { tools, groups, mut problems, warnings } = state.plan(makers, strictness);
        let (changes, groups) = match &state.engine {
            None => (Changes::default(), plan::all_groups(groups, &tools)),
            Some(engine) => {
                let changes = state.applied.change_to(tools, engine.registry(), makers);
                (changes, plan::all_groups(groups, &state.applied.tools))
            }
        };
        self.0.groups.replace(&groups);
        let Changes { added, updated, removed, replaced, refused } = changes;
        problems.extend(refused.iter().map(|refused| self.problem_of(refused)));
        self.0.problems.store(problems.len() as u64, Relaxed);
        let took = began.elapsed();
        let reloaded = Reloaded { added, updated, removed, replaced, problems, warnings, took };
        state.announce_end(occasion, &reloaded);
        reloaded
    }

    fn problem_of(&self, Refused { name, wanted, error }: &Refused) -> Problem {
        let message = format!("`{name}` was refused: {}", error.message().trim_end_matches('.'));
        match wanted.as_ref().filter(|wanted| !wanted.is_built_in()) {
            Some(wanted) => Problem::at(&wanted.built.file, wanted.built.place, message),
            None => {
                let folder = self.0.folders.first().map_or(Path::new("."), PathBuf::as_path);
                Problem::whole(folder, message)
            }
        }
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
        let defined: HashSet<&ToolName> = applied.keys().map(|(name, _)| name).collect();
        let is_taken = |name: &ToolName| {
            let Some(engine) = self.engine.as_ref().filter(|_| !defined.contains(name)) else {
                return false;
            };
            let own = makers.handler(name.as_str()).map(|tool| &tool.spec.version);
            let registered = engine.registry().versions(name.as_str());
            registered.iter().any(|entry| Some(&entry.spec.version) != own)
        };
        let around =
            Surroundings { applied, outside: &outside, is_taken: &is_taken, makers, strictness };
        plan::plan(&self.catalogue, around)
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

#[cfg(test)]
mod tests {
    use std::fs;

    use toolsmith_core::Redactor;

    use super::*;

    #[test]
    fn an_old_look_does_not_undo_a_newer_reload() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            fs::write(folder.path().join(format!("{name}.yaml")), format!("name: {name}\n"))
                .unwrap();
        };
        let vault = Vault::with_values([("NONE", "")], Redactor::default());
        let definitions = Definitions::open(vec![folder.path().to_owned()], Makers::new(), vault);
        let engine = Engine::builder().build().unwrap();
        write("a");
        definitions.attach(&engine);
        let old = definitions.scan();
        write("b");
        assert_eq!(definitions.reload().added.len(), 1);
        assert!(definitions.reload_to(old).is_none());
        assert!(engine.registry().has("b"));
        write("c");
        let new = definitions.scan();
        assert_eq!(definitions.reload_to(new).unwrap().added.len(), 1);
    }
}
