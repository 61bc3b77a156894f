//! Which tools need which: nothing unknown, nothing in a circle.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
    sync::Arc,
    vec,
};

use toolsmith_core::{ToolError, ToolName, ToolRef, Version};

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

impl DependencyProblem {
    /// Returns the tools that it concerns: one, or all of a circle.
    pub fn tools(&self) -> &[ToolName] {
        match self {
            Self::Unknown { tool, .. } => std::slice::from_ref(tool),
            Self::Cycle(circle) => circle,
        }
    }
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

/// One version of a tool, and what it needs.
#[derive(Clone, Copy, Debug)]
pub struct Needs<'a> {
    /// The tool.
    pub name: &'a ToolName,
    /// Its version.
    pub version: &'a Version,
    /// The tools that it needs.
    pub depends_on: &'a [ToolRef],
}

/// Finds every unknown dependency and every circle, in the order of names, over all versions.
///
/// ```
/// use toolsmith_core::{ToolName, Version};
/// use toolsmith_engine::registry::{Needs, check_needs};
///
/// let (name, version) = (ToolName::new("report")?, Version::default());
/// let depends_on = ["search@^2".parse()?];
/// let problems = check_needs([Needs { name: &name, version: &version, depends_on: &depends_on }]);
/// let told = "`report` depends on `search@^2`, which is not registered";
/// assert_eq!(problems[0].to_string(), told);
/// # Ok::<(), toolsmith_core::ToolError>(())
/// ```
pub fn check_needs<'a>(tools: impl IntoIterator<Item = Needs<'a>>) -> Vec<DependencyProblem> {
    let mut by_name: ByName<'a> = BTreeMap::new();
    for needs in tools {
        by_name.entry(needs.name).or_default().push(needs);
    }
    let mut problems = unknown(&by_name);
    let mut search = Search::new(&by_name);
    for name in by_name.keys() {
        search.visit_from(name);
    }
    problems.extend(search.cycles.into_iter().map(DependencyProblem::Cycle));
    problems
}

/// Checks the needs of registered tools.
pub(super) fn check(entries: &[Arc<Entry>]) -> Vec<DependencyProblem> {
    check_needs(entries.iter().map(|entry| Needs {
        name: &entry.spec.name,
        version: &entry.spec.version,
        depends_on: &entry.spec.depends_on,
    }))
}

/// Says all that is wrong with the needs of these tools at once.
pub(super) fn refuse(
    problems: &[DependencyProblem],
    tools: &BTreeSet<ToolName>,
) -> Result<(), ToolError> {
    let is_concerned = |problem: &&DependencyProblem| {
        let mut names = problem.tools().iter();
        names.any(|name| tools.contains(name))
    };
    let concerned = problems.iter().filter(is_concerned);
    let texts: Vec<String> = concerned.map(DependencyProblem::to_string).collect();
    if texts.is_empty() { Ok(()) } else { Err(ToolError::validation(texts.join("; "))) }
}

/// The versions of each tool.
type ByName<'a> = BTreeMap<&'a ToolName, Vec<Needs<'a>>>;

fn unknown(by_name: &ByName<'_>) -> Vec<DependencyProblem> {
    let is_there = |need: &ToolRef| {
        let versions = by_name.get(&need.name).map_or(&[][..], Vec::as_slice);
        let range = need.version.as_ref();
        versions.iter().any(|tool| range.is_none_or(|range| tool.version.is_in(range)))
    };
    let tools = by_name.values().flatten();
    let needs = tools.flat_map(|tool| tool.depends_on.iter().map(|need| (tool.name, need)));
    needs
        .filter(|(_, need)| !is_there(need))
        .map(|(name, need)| DependencyProblem::Unknown {
            tool: name.clone(),
            needs: need.to_string(),
        })
        .collect()
}

struct Search<'a> {
    by_name: &'a ByName<'a>,
    done: HashSet<&'a ToolName>,
    /// Where each tool of the path stands on it: to look through a long path at each step would
    /// take the square of its length.
    places: HashMap<&'a ToolName, usize>,
    cycles: Vec<Vec<ToolName>>,
}

/// A tool on the path, and what it needs that was not looked at yet.
type Step<'a> = (&'a ToolName, vec::IntoIter<&'a ToolName>);

impl<'a> Search<'a> {
    fn new(by_name: &'a ByName<'a>) -> Self {
        Self { by_name, done: HashSet::new(), places: HashMap::new(), cycles: Vec::new() }
    }

    /// Walks depth first with a path of its own: a chain of 100,000 tools must not end the stack.
    fn visit_from(&mut self, start: &'a ToolName) {
        if self.done.contains(start) {
            return;
        }
        let mut path = vec![self.enter(start, 0)];
        while let Some((name, rest)) = path.last_mut() {
            let name = *name;
            let Some(need) = rest.next() else {
                self.places.remove(name);
                self.done.insert(name);
                path.pop();
                continue;
            };
            if self.done.contains(need) {
                continue;
            }
            if let Some(at) = self.places.get(need) {
                let circle = path.iter().skip(*at).map(|(name, _)| (*name).clone());
                self.cycles.push(circle.collect());
            } else {
                path.push(self.enter(need, path.len()));
            }
        }
    }

    fn enter(&mut self, name: &'a ToolName, place: usize) -> Step<'a> {
        self.places.insert(name, place);
        let versions = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let needs = versions.iter().flat_map(|tool| tool.depends_on).map(|need| &need.name);
        (name, needs.collect::<Vec<_>>().into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(length: usize, last: &str) -> Vec<(ToolName, Vec<ToolRef>)> {
        let name = |n: usize| format!("t{n}");
        let need = |n: usize| if n + 1 == length { last.to_owned() } else { name(n + 1) };
        let tool = |n| (ToolName::new(&name(n)).unwrap(), vec![need(n).parse().unwrap()]);
        (0..length).map(tool).collect()
    }

    fn problems(tools: &[(ToolName, Vec<ToolRef>)]) -> Vec<DependencyProblem> {
        let version = Version::default();
        let needs =
            tools.iter().map(|(name, depends_on)| Needs { name, version: &version, depends_on });
        check_needs(needs)
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_is_walked_once() {
        const LONG: usize = 100_000;
        let began = std::time::Instant::now();
        let unknown = problems(&chain(LONG, "nothing"));
        assert_eq!(unknown.len(), 1);
        assert_eq!(unknown[0].tools()[0].as_str(), "t99999");
        let circle = problems(&chain(LONG, "t0"));
        assert_eq!((circle.len(), circle[0].tools().len()), (1, LONG));
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
    }
}
