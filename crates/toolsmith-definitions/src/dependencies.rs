//! What wanted tools need: nothing unknown, nothing in a circle.
//!
//! What lacks something is refused, and what needs that in turn, through the reverse of the needs:
//! a file that breaks a chain of thousands must not hold up a reload.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use toolsmith_core::{ToolName, ToolRef, Version};
use toolsmith_engine::registry::{DependencyProblem, Needs, check_needs};

use crate::{
    contents::Key,
    plan::{Surroundings, Wanted},
    problem::Problem,
};

/// The versions of a tool that is not among the wanted ones, each with its needs.
pub(crate) type Outside<'a> = &'a dyn Fn(&ToolName) -> Vec<(Version, Vec<ToolRef>)>;

/// What came of looking at the needs.
#[derive(Debug, Default)]
pub(crate) struct Unmet {
    /// What is wrong.
    pub(crate) problems: Vec<Problem>,
    /// The tools in force that lack something; they stay as they are.
    pub(crate) kept: Vec<Key>,
}

/// Takes out what needs something that is not there, until the rest stands by itself.
///
/// What is in force already stays in force; what it needs is told.
pub(crate) fn refuse_unmet(tools: &mut BTreeMap<Key, Wanted>, around: Surroundings<'_>) -> Unmet {
    let mut refusing = Refusing {
        tools,
        around,
        told: HashSet::new(),
        lacking: BTreeSet::new(),
        problems: Vec::new(),
        refused: VecDeque::new(),
    };
    // A tool that goes back to what it was may close a circle that was open: hence more rounds.
    while refusing.round() {}
    let Refusing { lacking, problems, .. } = refusing;
    let kept = tools.keys().filter(|(name, _)| lacking.contains(name)).cloned().collect();
    Unmet { problems, kept }
}

struct Refusing<'a> {
    tools: &'a mut BTreeMap<Key, Wanted>,
    around: Surroundings<'a>,
    /// The messages that were told.
    told: HashSet<String>,
    /// The tools of these messages.
    lacking: BTreeSet<ToolName>,
    problems: Vec<Problem>,
    /// The tools that were refused and whose needers have not been looked at.
    refused: VecDeque<ToolName>,
}

/// The tools of each name, and those that need one of that name.
#[derive(Default)]
struct Index {
    versions: BTreeMap<ToolName, Vec<Key>>,
    needers: BTreeMap<ToolName, Vec<Key>>,
}

impl Refusing<'_> {
    /// Refuses what lacks something, with all that needs it; tells whether there was any.
    fn round(&mut self) -> bool {
        let index = Index::of(self.tools);
        for problem in check(self.tools, self.around.outside) {
            self.judge(&problem, &index);
        }
        let has_any = !self.refused.is_empty();
        while let Some(name) = self.refused.pop_front() {
            for problem in self.lacking(&name, &index) {
                self.judge(&problem, &index);
            }
        }
        has_any
    }

    /// Returns what is wrong with the tools that need one that was refused.
    fn lacking(&self, name: &ToolName, index: &Index) -> Vec<DependencyProblem> {
        let mut problems = Vec::new();
        for key in index.needers.get(name).into_iter().flatten() {
            let Some(wanted) = self.tools.get(key) else { continue };
            let needs = wanted.built.tool.spec.depends_on.iter();
            let unmet = needs.filter(|need| need.name == *name && !self.is_there(need, index));
            problems.extend(unmet.map(|need| DependencyProblem::Unknown {
                tool: key.0.clone(),
                needs: need.to_string(),
            }));
        }
        problems
    }

    fn is_there(&self, need: &ToolRef, index: &Index) -> bool {
        let fits = |version: &Version| need.version.as_ref().is_none_or(|r| version.is_in(r));
        let mut versions = self.present(&need.name, index).peekable();
        if versions.peek().is_none() {
            let outside = self.around.outside;
            return outside(&need.name).iter().any(|(version, _)| fits(version));
        }
        versions.any(|(_, version)| fits(version))
    }

    fn present<'i>(
        &self,
        name: &ToolName,
        index: &'i Index,
    ) -> impl Iterator<Item = &'i Key> + use<'_, 'i> {
        let keys = index.versions.get(name).into_iter().flatten();
        keys.filter(|key| self.tools.contains_key(*key))
    }

    /// Tells a problem once, and refuses the concerned tools that are not in force as they are.
    fn judge(&mut self, problem: &DependencyProblem, index: &Index) {
        let concerned = problem.tools().iter().flat_map(|name| self.present(name, index));
        let concerned: Vec<Key> = concerned.cloned().collect();
        let newcomer = concerned.iter().find(|key| self.is_newcomer(key));
        if let Some(wanted) = newcomer.or(concerned.first()).and_then(|key| self.tools.get(key)) {
            self.tell(problem, &wanted.clone());
        }
        for key in concerned.into_iter().filter(|key| self.is_newcomer(key)).collect::<Vec<_>>() {
            self.refused.push_back(key.0.clone());
            match self.around.applied.get(&key) {
                Some(old) => self.tools.insert(key, old.clone()),
                None => self.tools.remove(&key),
            };
        }
    }

    fn is_newcomer(&self, key: &Key) -> bool {
        let old = self.around.applied.get(key);
        self.tools.get(key).is_some_and(|wanted| {
            let is_new = old.is_none_or(|old| old.built.digest != wanted.built.digest);
            is_new && !wanted.built.tool.spec.depends_on.is_empty()
        })
    }

    fn tell(&mut self, problem: &DependencyProblem, wanted: &Wanted) {
        let message = problem.to_string();
        self.lacking.extend(problem.tools().iter().cloned());
        if self.told.insert(message.clone()) {
            let built = &wanted.built;
            let mut problem = Problem::at(&built.file, built.needs_place, message);
            problem.key.push_str("depends_on");
            self.problems.push(problem);
        }
    }
}

impl Index {
    fn of(tools: &BTreeMap<Key, Wanted>) -> Self {
        let mut index = Self::default();
        for (key, wanted) in tools {
            index.versions.entry(key.0.clone()).or_default().push(key.clone());
            let needs = wanted.built.tool.spec.depends_on.iter().map(|need| &need.name);
            for name in needs.collect::<BTreeSet<_>>() {
                index.needers.entry(name.clone()).or_default().push(key.clone());
            }
        }
        index
    }
}

/// Finds what is wrong with the needs of the wanted tools.
fn check(wanted: &BTreeMap<Key, Wanted>, outside: Outside<'_>) -> Vec<DependencyProblem> {
    let others = gather(wanted, outside);
    let own = wanted.iter().map(|((name, version), wanted)| Needs {
        name,
        version,
        depends_on: &wanted.built.tool.spec.depends_on,
    });
    let versions = others.iter().flat_map(|(name, versions)| {
        versions.iter().map(move |(version, depends_on)| Needs { name, version, depends_on })
    });
    let mut problems = check_needs(own.chain(versions));
    problems.retain(|problem| problem.tools().iter().any(|tool| !others.contains_key(tool)));
    problems
}

/// Fetches the tools that are not wanted but needed, and what those need.
fn gather(
    wanted: &BTreeMap<Key, Wanted>,
    outside: Outside<'_>,
) -> BTreeMap<ToolName, Vec<(Version, Vec<ToolRef>)>> {
    let own: HashSet<&ToolName> = wanted.keys().map(|(name, _)| name).collect();
    let mut others = BTreeMap::new();
    let needs = wanted.values().flat_map(|wanted| &wanted.built.tool.spec.depends_on);
    let mut open: Vec<ToolName> = needs.map(|need| need.name.clone()).collect();
    while let Some(name) = open.pop() {
        if own.contains(&name) || others.contains_key(&name) {
            continue;
        }
        let versions = outside(&name);
        open.extend(versions.iter().flat_map(|(_, needs)| needs).map(|need| need.name.clone()));
        others.insert(name, versions);
    }
    others
}
