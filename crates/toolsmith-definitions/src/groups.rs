//! The groups in force: read without a lock, replaced as a whole.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use arc_swap::ArcSwap;
use toolsmith_core::{Group, Text, ToolName};

/// The groups of all definitions; cheap to clone, and clones see the same groups.
///
/// Defined and built-in tools carry the identifiers of their groups in their descriptions too, so
/// that a filter of the registry finds them. A member that the application registered by itself is
/// listed here only.
#[derive(Clone, Debug, Default)]
pub struct Groups(Arc<ArcSwap<BTreeMap<Text, Arc<Group>>>>);

impl Groups {
    /// Returns every group, by identifier.
    pub fn all(&self) -> Vec<Arc<Group>> {
        self.0.load().values().map(Arc::clone).collect()
    }

    /// Returns the group of an identifier.
    pub fn find(&self, group_id: &str) -> Option<Arc<Group>> {
        self.0.load().get(group_id).map(Arc::clone)
    }

    /// Returns the groups that a tool belongs to, by identifier.
    pub fn of(&self, tool: &str) -> Vec<Arc<Group>> {
        let has = |group: &&Arc<Group>| group.tool_ids.iter().any(|id| id.as_str() == tool);
        self.0.load().values().filter(has).map(Arc::clone).collect()
    }

    pub(crate) fn replace(&self, groups: &[Group]) {
        let by_id = groups.iter().map(|group| (group.group_id.clone(), Arc::new(group.clone())));
        self.0.store(Arc::new(by_id.collect()));
    }
}

/// Puts the tools that name a group themselves into it; groups nobody defined come into being.
pub(crate) fn merge<'a>(
    defined: impl IntoIterator<Item = Group>,
    tools: impl IntoIterator<Item = (&'a ToolName, &'a [Text])>,
) -> Vec<Group> {
    let mut groups: BTreeMap<Text, Group> =
        defined.into_iter().map(|group| (group.group_id.clone(), group)).collect();
    // A group may have thousands of members, too many to look through for each newcomer.
    let mut members: HashSet<(Text, ToolName)> = HashSet::new();
    for group in groups.values() {
        let id = &group.group_id;
        members.extend(group.tool_ids.iter().map(|tool| (id.clone(), tool.clone())));
    }
    for (tool, named) in tools {
        for id in named {
            if members.insert((id.clone(), tool.clone())) {
                let group = groups.entry(id.clone()).or_insert_with(|| Group::new(id.clone()));
                group.tool_ids.push(tool.clone());
            }
        }
    }
    groups.into_values().collect()
}
