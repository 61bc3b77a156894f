//! Which tools and groups should be there, by what the files say.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use toolsmith_core::{Group, Text, Tool, ToolName};

use crate::{
    Makers,
    catalogue::Catalogue,
    contents::{Built, Key, Written},
    dependencies::{self, Needs, Outside, Unmet},
    groups,
    problem::{Problem, Strictness},
};

/// What should be there.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) tools: BTreeMap<Key, Wanted>,
    pub(crate) groups: Vec<Group>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
}

/// A tool that should be there.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) built: Arc<Built>,
    /// The groups that it belongs to, by its own word and by the files of groups.
    pub(crate) groups: Vec<Text>,
    /// Whether it can be called, when that was switched by hand.
    pub(crate) enabled: Option<bool>,
}

impl Wanted {
    /// Tells whether the other one is the same definition in the same groups.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.built.digest == other.built.digest
            && self.groups == other.groups
            && self.enabled == other.enabled
    }

    /// Returns the tool to register.
    pub(crate) fn tool(&self) -> Tool {
        let mut tool = self.built.tool.clone();
        tool.spec.groups.clone_from(&self.groups);
        tool.spec.enabled = self.enabled.unwrap_or(tool.spec.enabled);
        tool
    }
}

/// What there is besides the files.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// The tools in force that came from files.
    pub(crate) applied: &'a BTreeMap<Key, Wanted>,
    /// The tools that did not come from files.
    pub(crate) outside: Outside<'a>,
    pub(crate) makers: &'a Makers,
    pub(crate) strictness: Strictness,
}

/// Decides what should be there.
pub(crate) fn plan(catalogue: &Catalogue, around: Surroundings<'_>) -> Plan {
    let mut plan = Plan::default();
    plan.problems.extend(catalogue.other_problems().cloned());
    let mut written: BTreeMap<Text, &Written> = BTreeMap::new();
    for kept in catalogue.files.values() {
        plan.problems.extend(kept.problems.iter().cloned());
        plan.warnings.extend(kept.warnings.iter().cloned());
        for built in &kept.good.tools {
            plan.want(built);
        }
        for group in &kept.good.groups {
            plan.want_group(group, &mut written);
        }
    }
    let unmet = plan.refuse_unmet(around);
    plan.join_groups(&written, around.outside);
    plan.switch(&catalogue.switched, around.makers);
    // The registry would refuse to take these again, in whatever groups they are.
    for key in unmet {
        if let Some(old) = around.applied.get(&key) {
            plan.tools.insert(key, old.clone());
        }
    }
    if around.strictness == Strictness::Strict {
        plan.problems.append(&mut plan.warnings);
    }
    plan
}

impl Plan {
    /// Wants a tool; of two with one name and version the first by path wins.
    fn want(&mut self, built: &Arc<Built>) {
        if let Some(first) = self.tools.get(&built.key()) {
            let first = &first.built;
            let spec = &built.tool.spec;
            let message = format!(
                "`{}` version {} is defined in {}:{}:{} already; choose another name or version",
                spec.name,
                spec.version,
                first.file.display(),
                first.place.0,
                first.place.1,
            );
            self.problems.push(Problem::at(&built.file, built.place, message));
            return;
        }
        let groups = built.tool.spec.groups.clone();
        let wanted = Wanted { built: Arc::clone(built), groups, enabled: None };
        self.tools.insert(built.key(), wanted);
    }

    fn want_group<'a>(&mut self, group: &'a Written, written: &mut BTreeMap<Text, &'a Written>) {
        let id = &group.group.group_id;
        if let Some(first) = written.get(id) {
            let (file, (line, column)) = (first.file.display(), first.place);
            let message = format!("the group `{id}` is defined in {file}:{line}:{column} already");
            self.problems.push(Problem::at(&group.file, group.place, message));
            return;
        }
        written.insert(id.clone(), group);
    }

    /// Takes out what needs something that is not there, until the rest stands by itself.
    ///
    /// What is in force already stays in force; what it needs is told. Returns those.
    fn refuse_unmet(&mut self, around: Surroundings<'_>) -> Vec<Key> {
        let mut told: Vec<Unmet> = Vec::new();
        loop {
            let unmet = dependencies::check(&self.needs(), around.outside);
            let mut is_stable = true;
            for unmet in unmet {
                let refused = self.newcomers(&unmet, around.applied);
                is_stable &= refused.is_empty();
                if !told.contains(&unmet) {
                    self.tell(&unmet, &refused);
                    told.push(unmet);
                }
                for key in refused {
                    match around.applied.get(&key) {
                        Some(old) => self.tools.insert(key, old.clone()),
                        None => self.tools.remove(&key),
                    };
                }
            }
            if is_stable {
                let is_told =
                    |(name, _): &&Key| told.iter().any(|unmet| unmet.tools.contains(name));
                return self.tools.keys().filter(is_told).cloned().collect();
            }
        }
    }

    fn needs(&self) -> Needs {
        let mut needs = Needs::new();
        for ((name, version), wanted) in &self.tools {
            let own = wanted.built.tool.spec.depends_on.clone();
            needs.entry(name.clone()).or_default().push((version.clone(), own));
        }
        needs
    }

    /// Returns the concerned tools that are not in force as they are.
    fn newcomers(&self, unmet: &Unmet, applied: &BTreeMap<Key, Wanted>) -> Vec<Key> {
        let is_concerned = |(name, _): &Key| unmet.tools.contains(name);
        let is_new = |key: &Key, wanted: &Wanted| {
            let old = applied.get(key);
            old.is_none_or(|old| old.built.digest != wanted.built.digest)
        };
        let has_needs = |wanted: &Wanted| !wanted.built.tool.spec.depends_on.is_empty();
        self.tools
            .iter()
            .filter(|(key, wanted)| is_concerned(key) && is_new(key, wanted) && has_needs(wanted))
            .map(|(key, _)| key.clone())
            .collect()
    }

    fn tell(&mut self, unmet: &Unmet, refused: &[Key]) {
        let first = unmet.tools.first();
        let any = || self.tools.keys().find(|(name, _)| Some(name) == first);
        let wanted = refused.first().or_else(any).and_then(|key| self.tools.get(key));
        let Some(wanted) = wanted else { return };
        let built = &wanted.built;
        let mut problem = Problem::at(&built.file, built.needs_place, unmet.message.clone());
        problem.key.push_str("depends_on");
        self.problems.push(problem);
    }

    /// Switches tools on and off; a built-in one is then wanted as though a file defined it.
    fn switch(&mut self, switched: &BTreeMap<String, bool>, makers: &Makers) {
        for (name, enabled) in switched {
            let mut is_defined = false;
            for (_, wanted) in self.tools.iter_mut().filter(|((own, _), _)| own.as_str() == name) {
                wanted.enabled = Some(*enabled);
                is_defined = true;
            }
            let handler = makers.handler(name);
            let handler = handler.filter(|tool| !is_defined && tool.spec.enabled != *enabled);
            if let Some(tool) = handler {
                let built = Arc::new(Built::of_handler(tool));
                let groups = tool.spec.groups.clone();
                let wanted = Wanted { groups, enabled: Some(*enabled), built };
                self.tools.insert(wanted.built.key(), wanted);
            }
        }
    }

    /// Puts the files of groups and the tools' own words together.
    fn join_groups(&mut self, written: &BTreeMap<Text, &Written>, outside: Outside<'_>) {
        let names: BTreeSet<&ToolName> = self.tools.keys().map(|(name, _)| name).collect();
        for group in written.values() {
            for member in &group.group.tool_ids {
                if !names.contains(member) && outside(member).is_empty() {
                    let id = &group.group.group_id;
                    let message =
                        format!("the group `{id}` has a member `{member}`, which is not there");
                    self.warnings.push(Problem::at(&group.file, group.place, message));
                }
            }
        }
        let own = self.tools.iter().map(|((name, _), wanted)| (name, wanted.groups.as_slice()));
        self.groups = groups::merge(written.values().map(|w| w.group.clone()), own);
        let mut of: BTreeMap<&ToolName, Vec<Text>> = BTreeMap::new();
        for group in &self.groups {
            for member in &group.tool_ids {
                of.entry(member).or_default().push(group.group_id.clone());
            }
        }
        for ((name, _), wanted) in &mut self.tools {
            let more = of.get(name).into_iter().flatten();
            let more: Vec<Text> = more.filter(|id| !wanted.groups.contains(id)).cloned().collect();
            wanted.groups.extend(more);
        }
    }
}
