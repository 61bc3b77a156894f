//! Brings a registry from one set of defined tools to the next, in one step.

use std::collections::{BTreeMap, BTreeSet};

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) added: Vec<ToolName>,
    pub(crate) updated: Vec<ToolName>,
    pub(crate) removed: Vec<ToolName>,
    /// The tools that were not defined in files before, and are now.
    pub(crate) replaced: Vec<ToolName>,
}

/// The versions of one tool.
type Versions<'a> = BTreeMap<&'a Version, &'a Wanted>;

impl Applied {
    /// Registers, replaces and removes what differs; calls see all of it or nothing.
    pub(crate) fn change_to(
        &mut self,
        next: BTreeMap<Key, Wanted>,
        registry: &Registry,
        makers: &Makers,
    ) -> Result<Changes, ToolError> {
        let mut step = Step::default();
        let (old, new) = (by_name(&self.tools), by_name(&next));
        let names: BTreeSet<&ToolName> = old.keys().chain(new.keys()).copied().collect();
        let none = Versions::new();
        let mut replaced = self.replaced.clone();
        for name in names {
            let (old, new) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
            if is_same(old, new) {
                continue;
            }
            if old.is_empty() && registry.has(name.as_str()) {
                replaced.extend(makers.handler(name.as_str()).map(|_| name.clone()));
                step.changes.replaced.push(name.clone());
            }
            let restored = makers.handler(name.as_str()).filter(|_| replaced.contains(name));
            step.name(name, registry, (old, new), restored);
            if new.is_empty() {
                replaced.remove(name);
            }
        }
        let Step { tools, gone, changes } = step;
        if !tools.is_empty() || !gone.is_empty() {
            registry.reload(tools, &gone)?;
        }
        self.tools = next;
        self.replaced = replaced;
        Ok(changes)
    }
}

/// What the registry is asked to do.
#[derive(Default)]
struct Step {
    tools: Vec<Tool>,
    gone: Vec<Removal>,
    changes: Changes,
}

impl Step {
    fn name(
        &mut self,
        name: &ToolName,
        registry: &Registry,
        (old, new): (&Versions<'_>, &Versions<'_>),
        restored: Option<&Tool>,
    ) {
        let was_there = registry.has(name.as_str());
        let mut wanted: Vec<Tool> = new.values().map(|wanted| wanted.tool()).collect();
        let mut fresh: Vec<Tool> = new
            .iter()
            .filter(|(version, wanted)| old.get(*version).is_none_or(|old| !old.is_same(wanted)))
            .map(|(_, wanted)| wanted.tool())
            .collect();
        if new.is_empty() {
            wanted.extend(restored.cloned());
            fresh.extend(restored.cloned());
        }
        let list = match (was_there, wanted.is_empty()) {
            (_, true) => &mut self.changes.removed,
            (true, false) => &mut self.changes.updated,
            (false, false) => &mut self.changes.added,
        };
        list.push(name.clone());
        self.tools.append(&mut fresh);
        // A version may have to go: of a definition, or of the built-in tool that one replaces.
        let is_wanted = |version: &Version| wanted.iter().any(|tool| tool.spec.version == *version);
        let registered = registry.versions(name.as_str());
        let unwanted = registered.iter().filter(|entry| !is_wanted(&entry.spec.version));
        self.gone.extend(unwanted.map(|entry| Removal {
            name: name.clone(),
            version: Some(entry.spec.version.clone()),
        }));
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
