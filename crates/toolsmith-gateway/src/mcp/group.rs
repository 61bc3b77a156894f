//! One group of tools, as if there were no others.

use toolsmith_core::{AllowList, ToolName};

use super::refusal::Refusal;
use crate::{Gateway, Visitor};

/// The tools that find and call others within a group as well.
const PAIR: [&str; 2] = ["search_tools", "call_tool"];

/// Leaves a visitor what is in a group of what they may use.
pub(crate) fn narrowed(
    gateway: &Gateway,
    mut visitor: Visitor,
    group: &str,
) -> Result<Visitor, Refusal> {
    let groups = gateway.0.house.groups();
    let found = groups.iter().find(|known| known.group_id == group);
    let listed = found.map(|group| group.tool_ids.as_slice()).unwrap_or_default();
    let names = listed.iter().map(ToolName::as_str).chain(PAIR);
    let allowed: Vec<&str> = names.filter(|name| visitor.rights.allows(name)).collect();
    let is_known = found.is_some() && allowed.iter().any(|name| !PAIR.contains(name));
    // A group of which nothing may be seen is no group to this visitor.
    if !is_known {
        return Err(Refusal::no_group());
    }
    visitor.rights.tools = Some(AllowList::new(allowed));
    Ok(visitor)
}
