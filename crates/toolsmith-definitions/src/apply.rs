//! Brings a registry from one set of defined tools to the next, in one step.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use toolsmith_core::{Tool, ToolError, ToolName, Version};
use toolsmith_engine::registry::{Registry, Removal};

use crate::{Makers, contents::Key, plan::Wanted};

/// The defined tools in force.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) tools: BTreeMap<Key, Wanted>,
    /// The handlers that were registered under their own name before a definition took it.
    pub(crate) replaced: BTreeSet<ToolName>,
}

/// What a change did, by name.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) added: Vec<ToolName>,
    pub(crate) updated: Vec<ToolName>,
    pub(crate) removed: Vec<ToolName>,
    /// The tools that were not defined in files before, and are now.
    pub(crate) replaced: Vec<ToolName>,
    /// The tools that stay as they were, and why.
    pub(crate) refused: Vec<Refused>,
}

/// A tool that the registry did not take.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) name: ToolName,
    /// What was wanted; nothing when it should have gone.
    pub(crate) wanted: Option<Wanted>,
    pub(crate) error: ToolError,
}

/// The versions of one tool.
type Versions<'a> = BTreeMap<&'a Version, &'a Wanted>;

impl Applied {
    /// Registers, replaces and removes what differs; calls see all of it or nothing.
    ///
    /// Every tool was checked before. When the registry refuses one all the same, that one stays as
    /// it was, and the others change part by part.
    pub(crate) fn change_to(
        &mut self,
        next: BTreeMap<Key, Wanted>,
        registry: &Registry,
        makers: &Makers,
    ) -> Changes {
        let mut changes = Changes::default();
        let mut refused = Vec::new();
        let mut replaced = self.replaced.clone();
        for step in self.steps(&next, registry, makers).install(registry, &mut refused) {
            step.note(&mut changes, &mut replaced);
        }
        let refused: Vec<Refused> = refused
            .into_iter()
            .map(|(step, error)| Refused {
                name: step.name.clone(),
                wanted: step.fresh.first().copied().cloned(),
                error,
            })
            .collect();
        let names: BTreeSet<&ToolName> = refused.iter().map(|refused| &refused.name).collect();
        let old = mem::take(&mut self.tools);
        self.tools = next;
        self.tools.retain(|(name, _), _| !names.contains(name));
        self.tools.extend(old.into_iter().filter(|((name, _), _)| names.contains(name)));
        self.replaced = replaced;
        Changes { refused, ..changes }
    }

    fn steps<'a>(
        &'a self,
        next: &'a BTreeMap<Key, Wanted>,
        registry: &Registry,
        makers: &'a Makers,
    ) -> Steps<'a> {
        let (old, new) = (by_name(&self.tools), by_name(next));
        let names: BTreeSet<&ToolName> = old.keys().chain(new.keys()).copied().collect();
        let none = Versions::new();
        let mut steps = Vec::new();
        for name in names {
            let (old, new) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
            if !is_same(old, new) {
                let handler = makers.handler(name.as_str());
                let was_built_in = self.replaced.contains(name);
                steps.push(Step::new(name, (old, new), (handler, was_built_in), registry));
            }
        }
        Steps(steps)
    }
}

/// What the registry is asked to do, name by name.
struct Steps<'a>(Vec<Step<'a>>);

impl<'a> Steps<'a> {
    /// Changes the registry, in one step if it can be; returns the steps that were taken.
    fn install(
        self,
        registry: &Registry,
        refused: &mut Vec<(Step<'a>, ToolError)>,
    ) -> Vec<Step<'a>> {
        let mut taken = Vec::with_capacity(self.0.len());
        attempt(self.0, registry, &mut taken, refused);
        // What was refused may have needed something that was taken later.
        let mut last = 0;
        while !refused.is_empty() && last != taken.len() {
            last = taken.len();
            let again = mem::take(refused).into_iter().map(|(step, _)| step).collect();
            attempt(again, registry, &mut taken, refused);
        }
        taken
    }
}

/// Tries steps together, and when they are refused each half by itself.
fn attempt<'a>(
    mut steps: Vec<Step<'a>>,
    registry: &Registry,
    taken: &mut Vec<Step<'a>>,
    refused: &mut Vec<(Step<'a>, ToolError)>,
) {
    if steps.iter().all(Step::is_nothing) {
        return taken.append(&mut steps);
    }
    let gone: Vec<Removal> = steps.iter().flat_map(|step| step.gone.iter().cloned()).collect();
    let Err(error) = registry.reload(steps.iter().flat_map(Step::tools), &gone) else {
        return taken.append(&mut steps);
    };
    if steps.len() == 1 {
        return refused.extend(steps.pop().map(|step| (step, error)));
    }
    let rest = steps.split_off(steps.len() / 2);
    attempt(steps, registry, taken, refused);
    attempt(rest, registry, taken, refused);
}

/// What the registry is asked to do for one name.
struct Step<'a> {
    name: &'a ToolName,
    fresh: Vec<&'a Wanted>,
    /// The built-in tool that comes back.
    restored: Option<&'a Tool>,
    gone: Vec<Removal>,
    change: Change,
    takes: Takes,
}

/// What a step means for the name.
#[derive(Clone, Copy)]
enum Change {
    Added,
    Updated,
    Removed,
}

/// Whose place a step takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// That of a definition, or of nothing.
    Own,
    /// That of a built-in tool, which is the same tool still.
    BuiltIn,
    /// That of a built-in tool, with a definition.
    Replaces,
}

impl<'a> Step<'a> {
    fn new(
        name: &'a ToolName,
        (old, new): (&Versions<'a>, &Versions<'a>),
        (handler, was_built_in): (Option<&'a Tool>, bool),
        registry: &Registry,
    ) -> Self {
        let registered = registry.versions(name.as_str());
        let is_built_in = |versions: &Versions<'_>| versions.values().all(|w| w.is_built_in());
        let was_another = !registered.is_empty() && is_built_in(old) && !new.is_empty();
        let takes = match (was_another, is_built_in(new)) {
            (false, _) => Takes::Own,
            (true, true) => Takes::BuiltIn,
            (true, false) => Takes::Replaces,
        };
        let is_fresh = |(version, wanted): &(&&Version, &&'a Wanted)| {
            old.get(**version).is_none_or(|old| !old.is_same(wanted))
        };
        let fresh: Vec<&Wanted> = new.iter().filter(is_fresh).map(|(_, wanted)| *wanted).collect();
        let restored = handler.filter(|_| new.is_empty() && was_built_in);
        let change = match (registered.is_empty(), new.is_empty() && restored.is_none()) {
            (_, true) => Change::Removed,
            (false, false) => Change::Updated,
            (true, false) => Change::Added,
        };
        // A version may have to go: of a definition, or of the built-in tool that one replaces.
        // Versions that the application added by itself are its own.
        let is_ours = |version: &Version| {
            old.contains_key(version) || handler.is_some_and(|tool| tool.spec.version == *version)
        };
        let is_wanted = |version: &Version| {
            new.contains_key(version) || restored.is_some_and(|tool| tool.spec.version == *version)
        };
        let versions = registered.iter().map(|entry| &entry.spec.version);
        let gone = versions
            .filter(|version| is_ours(version) && !is_wanted(version))
            .map(|version| Removal { name: name.clone(), version: Some(version.clone()) })
            .collect();
        Self { name, fresh, restored, gone, change, takes }
    }

    fn is_nothing(&self) -> bool {
        self.fresh.is_empty() && self.restored.is_none() && self.gone.is_empty()
    }

    fn tools(&self) -> impl Iterator<Item = Tool> {
        self.fresh.iter().map(|wanted| wanted.tool()).chain(self.restored.cloned())
    }

    fn note(&self, changes: &mut Changes, replaced: &mut BTreeSet<ToolName>) {
        let name = self.name.clone();
        if self.takes != Takes::Own {
            replaced.insert(name.clone());
        }
        if self.takes == Takes::Replaces {
            changes.replaced.push(name.clone());
        }
        if self.restored.is_some() || matches!(self.change, Change::Removed) {
            replaced.remove(&name);
        }
        match self.change {
            Change::Added => changes.added.push(name),
            Change::Updated => changes.updated.push(name),
            Change::Removed => changes.removed.push(name),
        }
    }
}

fn by_name(tools: &BTreeMap<Key, Wanted>) -> BTreeMap<&ToolName, Versions<'_>> {
    let mut names: BTreeMap<&ToolName, Versions<'_>> = BTreeMap::new();
    for ((name, version), wanted) in tools {
        names.entry(name).or_default().insert(version, wanted);
    }
    names
}

fn is_same(old: &Versions<'_>, new: &Versions<'_>) -> bool {
    old.len() == new.len()
        && new.iter().all(|(version, wanted)| old.get(version).is_some_and(|o| o.is_same(wanted)))
}
