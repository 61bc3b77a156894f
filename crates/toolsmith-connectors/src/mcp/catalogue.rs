//! Which tools of which servers stand in the registry, under which names.
//!
//! Everything here works on values: what servers list goes in, a plan of the registry comes out.
//! The order of the settings decides who gets a name, never the order in which servers start.

use std::collections::{BTreeMap, BTreeSet};

use rmcp::model::Tool;
use serde::{Deserialize, Serialize};
use toolsmith_core::ToolName;

use super::{
    definition::differences,
    listing::Listing,
    naming,
    settings::{OnChange, Prefix, ServerSettings},
};

/// What is known of the tools of one server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Shelf {
    /// The definitions in force.
    pub(super) accepted: Listing,
    /// Definitions that a person has to accept first.
    #[serde(default)]
    pub(super) waiting: BTreeMap<String, Tool>,
}

/// A definition that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) tool: String,
    /// The parts that differ; `new` for a tool that was not there.
    pub(super) parts: Vec<&'static str>,
}

impl Shelf {
    /// Takes what a server lists; returns what has to wait.
    ///
    /// The first list is taken as it is: there is nothing that it could differ from.
    pub(super) fn update(
        before: Option<&Self>,
        listing: Listing,
        on_change: OnChange,
    ) -> (Self, Vec<Changed>) {
        let (Some(before), OnChange::Approve) = (before, on_change) else {
            return (Self { accepted: listing, waiting: BTreeMap::new() }, Vec::new());
        };
        let mut shelf = Self::default();
        shelf.accepted.logs = listing.logs;
        let mut news = Vec::new();
        for (name, tool) in listing.tools {
            let old = before.accepted.tools.get(&name);
            let parts = old.map_or_else(|| vec!["new"], |old| differences(old, &tool));
            if let (Some(old), true) = (old, parts.is_empty()) {
                shelf.accepted.tools.insert(name, old.clone());
                continue;
            }
            if let Some(old) = old {
                shelf.accepted.tools.insert(name.clone(), old.clone());
            }
            if before.waiting.get(&name) != Some(&tool) {
                news.push(Changed { tool: name.clone(), parts });
            }
            shelf.waiting.insert(name, tool);
        }
        (shelf, news)
    }

    /// Accepts what waits.
    pub(super) fn accept(&mut self, tool: &str) -> bool {
        let Some(definition) = self.waiting.remove(tool) else { return false };
        self.accepted.tools.insert(tool.to_owned(), definition);
        true
    }
}

/// A tool as it stands in the registry.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Planned {
    pub(super) server: String,
    /// The server's own name for it.
    pub(super) own_name: String,
    pub(super) definition: Definition,
    /// Whether the server may say something while the tool runs.
    pub(super) logs: bool,
}

impl Planned {
    /// Tells whether a definition has to be accepted.
    pub(super) fn waits(&self) -> bool {
        !matches!(self.definition, Definition::InForce(_))
    }
}

/// Which definition of a tool is in force.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Definition {
    /// This one.
    InForce(Tool),
    /// This one is shown, and calls wait until its successor is accepted.
    Waiting(Tool),
    /// None: the tool is new and has to be accepted.
    Unseen,
}

/// What the registry should hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) tools: BTreeMap<ToolName, Planned>,
    pub(super) warnings: BTreeSet<String>,
}

/// Plans the registry; names that others hold are not taken from them.
pub(super) fn plan<'a>(
    shelves: impl IntoIterator<Item = (&'a ServerSettings, &'a Shelf)>,
    is_taken: impl Fn(&ToolName) -> bool,
) -> Plan {
    let mut plan = Plan::default();
    for (settings, shelf) in shelves {
        // Names that are legal as they are come first, so that nobody else takes them.
        let (plain, other): (Vec<_>, Vec<_>) =
            tools_of(shelf).into_iter().partition(|(name, _)| ToolName::new(name).is_ok());
        for (own_name, definition) in plain.into_iter().chain(other) {
            if !settings.selection.offers(&own_name) {
                continue;
            }
            let is_free =
                |plan: &Plan, name: &ToolName| !plan.tools.contains_key(name) && !is_taken(name);
            let names = candidates(settings, &own_name);
            let Some(name) = names.into_iter().find(|name| is_free(&plan, name)) else {
                plan.warnings.insert(format!(
                    "The tool `{own_name}` of the MCP server `{}` is left out: its name is taken. Give \
                     the server another `prefix`.",
                    settings.name
                ));
                continue;
            };
            let server = settings.name.clone();
            let logs = shelf.accepted.logs;
            plan.tools.insert(name, Planned { server, own_name, definition, logs });
        }
    }
    plan
}

fn tools_of(shelf: &Shelf) -> BTreeMap<String, Definition> {
    let accepted = shelf.accepted.tools.iter().map(|(name, tool)| {
        let definition = if shelf.waiting.contains_key(name) {
            Definition::Waiting(tool.clone())
        } else {
            Definition::InForce(tool.clone())
        };
        (name.clone(), definition)
    });
    let mut tools: BTreeMap<String, Definition> = accepted.collect();
    for name in shelf.waiting.keys() {
        tools.entry(name.clone()).or_insert(Definition::Unseen);
    }
    tools
}

/// Returns the names that a tool may get, the wanted one first.
fn candidates(settings: &ServerSettings, own_name: &str) -> Vec<ToolName> {
    let prefix = settings.prefix();
    let mut names: Vec<ToolName> = naming::name(&prefix, own_name).into_iter().collect();
    let is_plain = ToolName::new(&format!("{prefix}{own_name}")).is_ok();
    if settings.prefix != Prefix::Name {
        names.extend(naming::name(&format!("{}__", settings.name), own_name));
    }
    // A legal name means one tool only; one that was made legal may be that of several.
    if !is_plain {
        names.extend(naming::distinct(&prefix, own_name));
    }
    names
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolsmith_core::Template;

    use super::*;
    use crate::mcp::{Link, Program};

    fn settings(name: &str, prefix: Prefix) -> ServerSettings {
        let program = Program::new(Template::literal("x"));
        ServerSettings { prefix, ..ServerSettings::new(name, Link::Stdio(program)) }
    }

    fn listing(tools: &[(&'static str, &'static str)]) -> Listing {
        let tools = tools
            .iter()
            .map(|(name, about)| ((*name).to_owned(), Tool::new(*name, *about, Arc::default())));
        Listing { tools: tools.collect(), logs: false }
    }

    fn shelf(tools: &[(&'static str, &'static str)]) -> Shelf {
        Shelf { accepted: listing(tools), waiting: BTreeMap::new() }
    }

    fn names(plan: &Plan) -> Vec<(&str, &str)> {
        let tools = plan.tools.iter();
        tools.map(|(name, planned)| (name.as_str(), planned.server.as_str())).collect()
    }

    #[test]
    fn the_order_of_the_settings_decides_who_gets_a_name() {
        let (one, two) = (settings("one", Prefix::None), settings("two", Prefix::None));
        let (first, second) = (shelf(&[("a", ""), ("b", "")]), shelf(&[("a", ""), ("c", "")]));
        let both = plan([(&one, &first), (&two, &second)], |name| name.as_str() == "c");
        let expected = [("a", "one"), ("b", "one"), ("two__a", "two"), ("two__c", "two")];
        assert_eq!(names(&both), expected);
        assert!(both.warnings.is_empty());
    }

    #[test]
    fn a_name_that_is_legal_as_it_is_belongs_to_its_tool() {
        let one = settings("one", Prefix::Text("x_".to_owned()));
        let tools = shelf(&[("a b", ""), ("a_b", "")]);
        let plan = plan([(&one, &tools)], |_| false);
        assert_eq!(plan.tools[&ToolName::new("x_a_b").unwrap()].own_name, "a_b");
        assert_eq!(plan.tools.len(), 2);
    }

    #[test]
    fn with_approval_changes_and_newcomers_wait() {
        let old = shelf(&[("a", "old"), ("b", "same"), ("gone", "")]);
        let next = listing(&[("a", "new"), ("b", "same"), ("c", "fresh")]);
        let (shelf, news) = Shelf::update(Some(&old), next.clone(), OnChange::Approve);
        let told: Vec<(&str, &[&str])> =
            news.iter().map(|news| (news.tool.as_str(), news.parts.as_slice())).collect();
        assert_eq!(told, [("a", &["description"][..]), ("c", &["new"])]);
        assert_eq!(shelf.accepted.tools["a"].description.as_deref(), Some("old"));
        // The same list again is no news.
        let (again, news) = Shelf::update(Some(&shelf), next.clone(), OnChange::Approve);
        assert_eq!((again, news.len()), (shelf.clone(), 0));
        let mut accepted = shelf;
        assert!(accepted.accept("a") && accepted.accept("c") && !accepted.accept("b"));
        assert_eq!(accepted.accepted, next);
        let (taken, news) = Shelf::update(Some(&old), next.clone(), OnChange::Accept);
        assert_eq!((taken.accepted, news.len()), (next, 0));
    }
}
