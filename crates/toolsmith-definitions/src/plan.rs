//! Which tools and groups should be there, by what the files say.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use toolsmith_core::{Group, Text, Tool, ToolName};

use crate::{
    Makers,
    catalogue::{Catalogue, Kept},
    contents::{Built, Key, Written},
    dependencies::{self, Outside, Unmet},
    groups,
    problem::{Problem, Strictness},
    toml_registry::{self, Chosen, Registry, Standing},
};

/// What should be there.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) tools: BTreeMap<Key, Wanted>,
    /// The groups of files, without the tools that name them themselves.
    pub(crate) groups: Vec<Group>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
}

/// Puts the groups of files and the groups that tools are in together.
pub(crate) fn all_groups(written: Vec<Group>, tools: &BTreeMap<Key, Wanted>) -> Vec<Group> {
    let own = tools.iter().map(|((name, _), wanted)| (name, wanted.groups.as_slice()));
    groups::merge(written, own)
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
    /// Wants a tool as it is made.
    fn new(built: Arc<Built>) -> Self {
        Self { groups: built.tool.spec.groups.clone(), enabled: None, built }
    }

    /// Tells whether no file defines it: a built-in tool that was switched or put in a group.
    pub(crate) fn is_built_in(&self) -> bool {
        self.built.is_built_in()
    }

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
    /// Whether a name belongs to a tool that is neither built in nor from files.
    pub(crate) is_taken: &'a dyn Fn(&ToolName) -> bool,
    pub(crate) makers: &'a Makers,
    pub(crate) strictness: Strictness,
}

/// Decides what should be there.
pub(crate) fn plan(catalogue: &Catalogue, around: Surroundings<'_>) -> Plan {
    let mut plan = Plan::default();
    plan.problems.extend(catalogue.other_problems().cloned());
    let mut written: BTreeMap<Text, &Written> = BTreeMap::new();
    let chosen = plan.choose(catalogue);
    for (path, kept) in &catalogue.files {
        let standing = standing(path, &chosen);
        let Some(standing) = standing else { continue };
        plan.problems.extend(kept.problems.iter().cloned());
        plan.warnings.extend(kept.warnings.iter().cloned());
        for built in &kept.good.tools {
            plan.want(built, standing, around.is_taken);
        }
        for group in &kept.good.groups {
            plan.want_group(group, &mut written);
        }
    }
    let Unmet { problems, kept } = dependencies::refuse_unmet(&mut plan.tools, around);
    plan.problems.extend(problems);
    plan.join_groups(&written, around);
    plan.switch(&catalogue.switched, around.makers);
    // The registry would refuse to take these again, in whatever groups they are.
    for key in kept {
        if let Some(old) = around.applied.get(&key) {
            plan.tools.insert(key, old.clone());
        }
    }
    if around.strictness == Strictness::Strict {
        plan.problems.append(&mut plan.warnings);
    }
    plan
}

/// Tells whether a file counts, and how; files of TOML do so by the word of their registry.
fn standing(path: &Path, chosen: &Chosen) -> Option<Standing> {
    if !toml_registry::is_toml(path) || toml_registry::is_registry(path) {
        return Some(Standing::Own);
    }
    chosen.files.get(path).copied()
}

impl Plan {
    /// Chooses the files that old registries want.
    fn choose(&mut self, catalogue: &Catalogue) -> Chosen {
        let registry = |(path, kept): (&PathBuf, &Kept)| {
            let registry = Arc::clone(kept.good.registry.as_ref()?);
            Some((Arc::from(path.as_path()), registry))
        };
        let registries: BTreeMap<Arc<Path>, Arc<Registry>> =
            catalogue.files.iter().filter_map(registry).collect();
        if registries.is_empty() {
            return Chosen::default();
        }
        let files: Vec<&Path> = catalogue.files.keys().map(PathBuf::as_path).collect();
        let mut chosen = toml_registry::choose_all(&registries, &files);
        self.warnings.append(&mut chosen.warnings);
        chosen
    }

    /// Wants a tool; of two with one name and version the first by path wins.
    fn want(
        &mut self,
        built: &Arc<Built>,
        standing: Standing,
        is_taken: &dyn Fn(&ToolName) -> bool,
    ) {
        let name = &built.tool.spec.name;
        // Nobody could put the other tool back when the file goes.
        if is_taken(name) {
            let message = format!("`{name}` is registered by the application; choose another name");
            self.problems.push(Problem::at(&built.file, built.place, message));
            return;
        }
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
        let mut wanted = Wanted::new(Arc::clone(built));
        wanted.enabled = (standing == Standing::Disabled).then_some(false);
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
                self.want_built_in(tool).enabled = Some(*enabled);
            }
        }
    }

    /// Wants a built-in tool as though a file defined it, so that it can be changed.
    fn want_built_in(&mut self, tool: &Tool) -> &mut Wanted {
        let built = Arc::new(Built::of_handler(tool));
        self.tools.entry(built.key()).or_insert(Wanted::new(built))
    }

    /// Puts each tool into the groups whose files name it; members that are not there are told.
    fn join_groups(&mut self, written: &BTreeMap<Text, &Written>, around: Surroundings<'_>) {
        let names: BTreeSet<ToolName> = self.tools.keys().map(|(name, _)| name.clone()).collect();
        let mut of: BTreeMap<&ToolName, Vec<Text>> = BTreeMap::new();
        for Written { group, file, place } in written.values().copied() {
            let id = &group.group_id;
            for member in &group.tool_ids {
                of.entry(member).or_default().push(id.clone());
                if names.contains(member) {
                    continue;
                }
                if (around.outside)(member).is_empty() {
                    let message =
                        format!("the group `{id}` has a member `{member}`, which is not there");
                    self.warnings.push(Problem::at(file, *place, message));
                } else if let Some(tool) = around.makers.handler(member.as_str()) {
                    self.want_built_in(tool);
                }
            }
        }
        for ((name, _), wanted) in &mut self.tools {
            let more = of.get(name).into_iter().flatten();
            let more: Vec<Text> = more.filter(|id| !wanted.groups.contains(id)).cloned().collect();
            wanted.groups.extend(more);
        }
        self.groups = written.values().map(|written| written.group.clone()).collect();
    }
}
