//! Which tools need which: nothing unknown, nothing in a circle.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use toolsmith_core::{ToolError, ToolName, ToolRef};

use super::Entry;

/// What is wrong with a dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DependencyProblem {
    /// A tool needs one that is not there.
    Unknown {
        /// The tool that needs it.
        tool: ToolName,
        /// What it needs, as it says.
        needs: String,
    },
    /// Tools need each other in a circle.
    Cycle(Vec<ToolName>),
}

impl fmt::Display for DependencyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { tool, needs } => {
                write!(f, "`{tool}` depends on `{needs}`, which is not registered")
            }
            Self::Cycle(tools) => {
                f.write_str("tools depend on each other in a circle: ")?;
                for tool in tools {
                    write!(f, "{tool} → ")?;
                }
                tools.first().map_or(Ok(()), |first| fmt::Display::fmt(first, f))
            }
        }
    }
}

/// The versions of each tool.
type ByName<'a> = BTreeMap<&'a ToolName, Vec<&'a Entry>>;

/// Finds every unknown dependency and every circle, in the order of names, over all versions.
pub(super) fn check(entries: &[Arc<Entry>]) -> Vec<DependencyProblem> {
    let mut by_name: ByName<'_> = BTreeMap::new();
    for entry in entries {
        by_name.entry(&entry.spec.name).or_default().push(entry);
    }
    let mut problems = unknown(entries, &by_name);
    let mut search = Search { by_name: &by_name, done: BTreeSet::new(), cycles: Vec::new() };
    for name in by_name.keys() {
        search.visit_from(name);
    }
    problems.extend(search.cycles.into_iter().map(DependencyProblem::Cycle));
    problems
}

/// Says all that is wrong with the needs of these tools at once.
pub(super) fn refuse(
    problems: &[DependencyProblem],
    tools: &BTreeSet<ToolName>,
) -> Result<(), ToolError> {
    let concerned = problems.iter().filter(|problem| match problem {
        DependencyProblem::Unknown { tool, .. } => tools.contains(tool),
        DependencyProblem::Cycle(circle) => circle.iter().any(|tool| tools.contains(tool)),
    });
    let texts: Vec<String> = concerned.map(DependencyProblem::to_string).collect();
    if texts.is_empty() { Ok(()) } else { Err(ToolError::validation(texts.join("; "))) }
}

fn unknown(entries: &[Arc<Entry>], by_name: &ByName<'_>) -> Vec<DependencyProblem> {
    let is_there = |need: &ToolRef| {
        let versions = by_name.get(&need.name).map_or(&[][..], Vec::as_slice);
        let fits = |entry: &&Entry| {
            need.version.as_ref().is_none_or(|range| entry.spec.version.is_in(range))
        };
        versions.iter().any(fits)
    };
    let needs = entries.iter().flat_map(|e| e.spec.depends_on.iter().map(move |need| (e, need)));
    needs
        .filter(|(_, need)| !is_there(need))
        .map(|(entry, need)| DependencyProblem::Unknown {
            tool: entry.spec.name.clone(),
            needs: need.to_string(),
        })
        .collect()
}

struct Search<'a> {
    by_name: &'a ByName<'a>,
    done: BTreeSet<&'a ToolName>,
    cycles: Vec<Vec<ToolName>>,
}

impl<'a> Search<'a> {
    /// Walks depth first with a path of its own: a chain of 100,000 tools must not end the stack.
    fn visit_from(&mut self, start: &'a ToolName) {
        let mut path: Vec<(&'a ToolName, usize)> = vec![(start, 0)];
        while let Some((name, next)) = path.last_mut() {
            if self.done.contains(name) {
                path.pop();
                continue;
            }
            let versions = self.by_name.get(*name).map_or(&[][..], Vec::as_slice);
            let mut needs = versions.iter().flat_map(|entry| &entry.spec.depends_on);
            let Some(need) = needs.nth(*next) else {
                self.done.insert(name);
                path.pop();
                continue;
            };
            *next += 1;
            match path.iter().position(|(on_path, _)| **on_path == need.name) {
                Some(at) => {
                    self.cycles.push(path[at..].iter().map(|(name, _)| (*name).clone()).collect());
                }
                None if !self.done.contains(&need.name) => path.push((&need.name, 0)),
                None => {}
            }
        }
    }
}
