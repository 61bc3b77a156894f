//! What wanted tools need: nothing unknown, nothing in a circle.

use std::collections::{BTreeMap, BTreeSet};

use toolsmith_core::{ToolName, ToolRef, Version};

/// The versions of a tool that is not among the wanted ones, each with its needs.
pub(crate) type Outside<'a> = &'a dyn Fn(&ToolName) -> Vec<(Version, Vec<ToolRef>)>;

/// The versions of each tool with their needs.
pub(crate) type Needs = BTreeMap<ToolName, Vec<(Version, Vec<ToolRef>)>>;

/// What is wrong with the needs of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unmet {
    /// The tools that it concerns: one, or all of a circle.
    pub(crate) tools: Vec<ToolName>,
    /// What is wrong.
    pub(crate) message: String,
}

/// Finds every unknown need and every circle among the wanted tools, in the order of names.
pub(crate) fn check(wanted: &Needs, outside: Outside<'_>) -> Vec<Unmet> {
    let mut search =
        Search { known: wanted.clone(), outside, done: BTreeSet::new(), unmet: Vec::new() };
    for (name, versions) in wanted {
        for need in versions.iter().flat_map(|(_, needs)| needs) {
            if !search.is_there(need) {
                let message = format!("`{name}` depends on `{need}`, which is not registered");
                search.unmet.push(Unmet { tools: vec![name.clone()], message });
            }
        }
    }
    for (name, versions) in wanted {
        if versions.iter().any(|(_, needs)| !needs.is_empty()) {
            search.visit_from(name);
        }
    }
    search.unmet
}

struct Search<'a> {
    known: Needs,
    outside: Outside<'a>,
    done: BTreeSet<ToolName>,
    unmet: Vec<Unmet>,
}

impl Search<'_> {
    fn versions(&mut self, name: &ToolName) -> &[(Version, Vec<ToolRef>)] {
        let outside = self.outside;
        self.known.entry(name.clone()).or_insert_with(|| outside(name))
    }

    fn is_there(&mut self, need: &ToolRef) -> bool {
        let range = need.version.as_ref();
        let mut versions = self.versions(&need.name).iter();
        versions.any(|(version, _)| range.is_none_or(|range| version.is_in(range)))
    }

    /// Walks depth first with a path of its own: a long chain must not end the stack.
    fn visit_from(&mut self, start: &ToolName) {
        let mut path: Vec<(ToolName, usize)> = vec![(start.clone(), 0)];
        while let Some((name, next)) = path.last_mut() {
            let (name, at) = (name.clone(), *next);
            *next += 1;
            let versions = self.versions(&name);
            let need = versions.iter().flat_map(|(_, needs)| needs).nth(at).cloned();
            let Some(need) = need.filter(|_| !self.done.contains(&name)) else {
                self.done.insert(name);
                path.pop();
                continue;
            };
            match path.iter().position(|(on_path, _)| *on_path == need.name) {
                Some(from) => self.unmet.push(circle(path.iter().skip(from))),
                None if !self.done.contains(&need.name) => path.push((need.name, 0)),
                None => {}
            }
        }
    }
}

fn circle<'a>(path: impl Iterator<Item = &'a (ToolName, usize)>) -> Unmet {
    let tools: Vec<ToolName> = path.map(|(name, _)| name.clone()).collect();
    let names: Vec<&str> = tools.iter().chain(tools.first()).map(ToolName::as_str).collect();
    let message = format!("tools depend on each other in a circle: {}", names.join(" → "));
    Unmet { tools, message }
}
