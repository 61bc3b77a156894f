//! The table of tools: found without a lock, changed as a whole.
//!
//! Readers load a snapshot and never wait. Writers build the next snapshot beside it, sharing all
//! that stays, and swap it in: a call sees the set of before or the set of after, and registering
//! one tool among 100,000 copies a path of the tree, not the tools.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::watch;
use toolsmith_core::{
    Exposure, Rights, Text, Tool, ToolError, ToolName, ToolRef, Version, suggestion,
};

use super::{
    CalledTool, DependencyProblem, Entry, Filter, Hit, Totals, dependencies,
    differences::differences,
    family::Family,
    finder::Finder,
    snapshot::Snapshot,
    view::{View, is_public, private_name},
};

/// What to do when a tool of that name and version is already there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnClash {
    /// Refuse the new one.
    #[default]
    Refuse,
    /// Put the new one in the place of the old one.
    Replace,
}

/// How a change came out for one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The tool was not there before.
    Added(ToolName),
    /// The tool took the place of another definition.
    Updated(ToolName),
    /// The tool is gone.
    Removed(ToolName),
}

impl Change {
    /// Returns the tool that changed.
    pub fn name(&self) -> &ToolName {
        match self {
            Self::Added(name) | Self::Updated(name) | Self::Removed(name) => name,
        }
    }
}

/// What is to go: a tool, or one version of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The tool.
    pub name: ToolName,
    /// The version; all of them when it is not said.
    pub version: Option<Version>,
}

impl From<ToolName> for Removal {
    fn from(name: ToolName) -> Self {
        Self { name, version: None }
    }
}

impl Removal {
    /// Takes it out of a snapshot; nothing when it was not there.
    fn apply(&self, next: &mut Snapshot) -> Option<Change> {
        let name = &self.name;
        let rest = match &self.version {
            None => None,
            Some(version) => Some(next.get(name.as_str())?.without(version)?),
        };
        match rest.filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                next.insert(name.text().clone(), rest);
                Some(Change::Updated(name.clone()))
            }
            None => next.remove(name.as_str()).then(|| Change::Removed(name.clone())),
        }
    }
}

/// Turns a tool into an entry; the engine hands in how code is run.
pub(crate) type Lower = Box<dyn Fn(Tool, Option<Text>) -> Result<Entry, ToolError> + Send + Sync>;

/// Hears of every change, with the parts in which an updated tool differs from what it was.
pub(crate) type OnChange = Box<dyn Fn(&Change, &[&'static str]) + Send + Sync>;

/// The tools that can be called.
pub struct Registry {
    snapshot: ArcSwap<Snapshot>,
    finder: Finder,
    writing: Mutex<()>,
    /// Counted up with every snapshot, for who waits for the next one.
    changes: watch::Sender<u64>,
    lower: Lower,
    on_change: OnChange,
}

impl Registry {
    pub(crate) fn new(lower: Lower, on_change: OnChange) -> Self {
        let snapshot = ArcSwap::from_pointee(Snapshot::default());
        Self {
            snapshot,
            finder: Finder::default(),
            writing: Mutex::new(()),
            changes: watch::Sender::default(),
            lower,
            on_change,
        }
    }

    /// Lets somebody wait for changes; calls never see that anybody does.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Registers a tool that must not be there yet.
    pub fn register(&self, tool: Tool) -> Result<(), ToolError> {
        self.change([tool], &[], OnClash::Refuse, None).map(drop)
    }

    /// Registers many tools at once: all of them or, when one is wrong, none.
    pub fn register_many(
        &self,
        tools: impl IntoIterator<Item = Tool>,
        on_clash: OnClash,
    ) -> Result<Vec<Change>, ToolError> {
        self.change(tools, &[], on_clash, None)
    }

    /// Registers a tool that only callers of a namespace see.
    pub fn register_private(&self, namespace: &Text, tool: Tool) -> Result<(), ToolError> {
        self.change([tool], &[], OnClash::Replace, Some(namespace)).map(drop)
    }

    /// Replaces and removes tools in one step; calls see all of it or nothing.
    pub fn reload(
        &self,
        tools: impl IntoIterator<Item = Tool>,
        removed: &[Removal],
    ) -> Result<Vec<Change>, ToolError> {
        self.change(tools, removed, OnClash::Replace, None)
    }

    /// Removes all versions of a tool; tells whether it was there.
    pub fn unregister(&self, name: &str) -> bool {
        let Ok(name) = ToolName::new(name) else { return false };
        let removed = [Removal::from(name)];
        self.change([], &removed, OnClash::Refuse, None).is_ok_and(|changes| !changes.is_empty())
    }

    /// Removes a tool of a namespace; tells whether it was there.
    pub fn unregister_private(&self, namespace: &str, name: &ToolName) -> bool {
        let writing = self.writing.lock();
        let mut next = Snapshot::clone(&self.snapshot.load());
        let key = Text::from(private_name(namespace, name.as_str()));
        let was_there = next.remove(&key);
        self.install(next, [&key]);
        drop(writing);
        was_there
    }

    /// Removes one version of a tool; tells whether it was there.
    pub fn unregister_version(&self, name: &ToolName, version: &Version) -> bool {
        let removed = [Removal { name: name.clone(), version: Some(version.clone()) }];
        self.change([], &removed, OnClash::Refuse, None).is_ok_and(|changes| !changes.is_empty())
    }

    /// Returns the tool that a reference such as `name`, `name@1.2.0` or `name@^1` means.
    pub fn get(&self, tool: &str) -> Option<Arc<Entry>> {
        self.view().find_ref(tool, None).ok().map(Arc::clone)
    }

    /// Returns the tool that a reference means to a caller; nothing when it may not see it.
    pub fn visible(&self, tool: &str, rights: &Rights) -> Option<Arc<Entry>> {
        let view = self.view();
        let found = view.find_ref(tool, rights.namespace.as_ref()).ok();
        found.filter(|_| rights.allows(ToolRef::split(tool).0)).map(Arc::clone)
    }

    /// Tells whether there is a tool of that name.
    pub fn has(&self, name: &str) -> bool {
        is_public(name) && self.snapshot.load().get(name).is_some()
    }

    /// Returns a number that grows with every change: what was worked out from the tools is good
    /// for as long as it stays.
    pub fn generation(&self) -> u64 {
        *self.changes.borrow()
    }

    /// Returns how many names there are.
    pub fn len(&self) -> usize {
        self.snapshot.load().len()
    }

    /// Tells whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the default version of every tool that is not private, by name.
    pub fn list(&self) -> Vec<Arc<Entry>> {
        self.find(&Filter::default())
    }

    /// Returns the names of all tools that are not private, in order.
    pub fn names(&self) -> Vec<ToolName> {
        self.list().iter().map(|entry| entry.spec.name.clone()).collect()
    }

    /// Returns the default versions that pass a filter, by name.
    pub fn find(&self, filter: &Filter) -> Vec<Arc<Entry>> {
        self.page(filter, None, usize::MAX)
    }

    /// Returns a page of the same list: at most `limit` tools, from behind a name on.
    pub fn page(&self, filter: &Filter, after: Option<&str>, limit: usize) -> Vec<Arc<Entry>> {
        self.snapshot.load().page(filter, after, limit)
    }

    /// Returns the tools that answer a question best, the best first, of those the filter accepts.
    ///
    /// A tool whose name is the question comes first. Hidden tools are never found, and disabled
    /// ones only by a filter that asks for them.
    pub fn search(&self, question: &str, filter: &Filter, limit: usize) -> Vec<Hit> {
        self.finder.search(&self.snapshot, (question, filter), limit)
    }

    /// Returns all versions of a tool, the newest first.
    pub fn versions(&self, name: &str) -> Vec<Arc<Entry>> {
        let snapshot = self.snapshot.load();
        let family = snapshot.get(name).filter(|_| is_public(name));
        family.map(|family| family.versions().to_vec()).unwrap_or_default()
    }

    /// Checks that every dependency is there and that none goes in a circle.
    pub fn check_dependencies(&self) -> Vec<DependencyProblem> {
        dependencies::check(&self.snapshot.load().public())
    }

    /// Returns how many tools there are, by category, and how their calls went.
    pub fn stats(&self) -> Totals {
        Totals::of(&self.snapshot.load().public())
    }

    /// Returns how the calls of each tool went that was called.
    pub fn called(&self) -> Vec<CalledTool> {
        CalledTool::all(&self.snapshot.load().public())
    }

    /// Returns the tools as they are now, to be looked at for as long as a call takes.
    pub(crate) fn view(&self) -> View {
        View(self.snapshot.load())
    }

    /// Returns `Did you mean …?` for names that the caller can see.
    pub(crate) fn suggest(&self, name: &str, visible: impl Fn(&str) -> bool) -> Option<String> {
        let snapshot = self.snapshot.load();
        let shown = snapshot.defaults().filter(|entry| {
            let spec = &entry.spec;
            entry.namespace.is_none() && spec.enabled && spec.exposure != Exposure::Hidden
        });
        let names = shown.map(|entry| entry.spec.name.as_str());
        suggestion(name, names.filter(|name| visible(name)))
    }

    fn change(
        &self,
        tools: impl IntoIterator<Item = Tool>,
        removed: &[Removal],
        on_clash: OnClash,
        namespace: Option<&Text>,
    ) -> Result<Vec<Change>, ToolError> {
        // Lowering checks schemas, which takes the time: it is done before anyone else has to wait.
        let entries: Vec<Entry> = tools
            .into_iter()
            .map(|tool| (self.lower)(tool, namespace.cloned()))
            .collect::<Result<_, _>>()?;
        let writing = self.writing.lock();
        let mut next = Snapshot::clone(&self.snapshot.load());
        let mut changes = Vec::with_capacity(entries.len() + removed.len());
        let (versions, whole): (Vec<_>, Vec<_>) =
            removed.iter().partition(|removal| removal.version.is_some());
        changes.extend(whole.iter().filter_map(|removal| removal.apply(&mut next)));
        let needy = |entry: &&Entry| !entry.spec.depends_on.is_empty() && namespace.is_none();
        let needy: BTreeSet<ToolName> =
            entries.iter().filter(needy).map(|entry| entry.spec.name.clone()).collect();
        let mut keys: Vec<Text> =
            removed.iter().map(|removal| removal.name.text().clone()).collect();
        let mut parts: HashMap<ToolName, Vec<&'static str>> = HashMap::new();
        for entry in entries {
            let name = entry.spec.name.clone();
            let (key, change, differing) = insert(&mut next, entry, on_clash)?;
            keys.push(key);
            changes.push(change);
            parts.insert(name, differing);
        }
        // After the additions: a tool that changes its version is updated, not gone and back.
        for change in versions.iter().filter_map(|removal| removal.apply(&mut next)) {
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
        // Only what is new can be refused for what it needs; needs of private tools are looked up
        // when they are called.
        if !needy.is_empty() {
            dependencies::refuse(&dependencies::check(&next.public()), &needy)?;
        }
        self.install(next, &keys);
        drop(writing);
        for change in &changes {
            let differing = parts.get(change.name()).map(Vec::as_slice);
            (self.on_change)(change, differing.unwrap_or_default());
        }
        Ok(changes)
    }

    /// Makes a snapshot the current one, and lets the search know what is different.
    fn install<'a>(&self, next: Snapshot, keys: impl IntoIterator<Item = &'a Text>) {
        let next = Arc::new(next);
        self.snapshot.store(Arc::clone(&next));
        // After the tools: whoever reads the number first never takes old tools for new ones.
        self.changes.send_modify(|count| *count += 1);
        self.finder.update(&next, keys);
    }
}

/// Adds an entry; returns the name it stands under, what that changed, and in which parts.
fn insert(
    next: &mut Snapshot,
    entry: Entry,
    on_clash: OnClash,
) -> Result<(Text, Change, Vec<&'static str>), ToolError> {
    let name = entry.spec.name.clone();
    let key: Text = match &entry.namespace {
        Some(space) => private_name(space, name.as_str()).into(),
        None => name.text().clone(),
    };
    let family = next.get(&key);
    let old = family.and_then(|family| family.exactly(&entry.spec.version));
    if old.is_some() && on_clash == OnClash::Refuse {
        return Err(ToolError::validation(format!(
            "`{name}` version {} is registered already; choose another name or version, or ask to \
             replace it",
            entry.spec.version
        )));
    }
    let parts = old.map(|old| differences(&old.spec, &entry.spec)).unwrap_or_default();
    let change = if family.is_some() { Change::Updated(name) } else { Change::Added(name) };
    let entry = Arc::new(match old {
        Some(old) => entry.succeeding(old),
        None => entry,
    });
    let next_family = match family {
        Some(family) => family.with(entry),
        None => Family::single(entry),
    };
    next.insert(key.clone(), next_family);
    Ok((key, change, parts))
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registry({} tools)", self.len())
    }
}
