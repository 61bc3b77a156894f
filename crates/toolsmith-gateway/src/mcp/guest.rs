//! Who speaks MCP with us: through which opening, and with which group of tools.

use toolsmith_core::{AllowList, Rights, Text, ToolName};

use super::refusal::Refusal;
use crate::{Gateway, Visitor};

/// The tools that find and call others within a group as well.
const PAIR: [&str; 2] = ["search_tools", "call_tool"];

/// Where a client speaks with us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Over HTTP, from wherever.
    Http,
    /// On the standard streams of a program that it has started itself.
    Streams,
}

/// Who speaks with us, and what is left to them of what they may use.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    /// Who they are, with the rights that the address leaves them.
    pub(crate) visitor: Visitor,
    /// Where they speak with us.
    pub(crate) opening: Opening,
    /// The group that they chose.
    pub(crate) group: Option<Chosen>,
}

/// One group of tools, as if there were no others.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    name: Text,
    /// What the visitor may use besides.
    whole: Rights,
}

impl Guest {
    /// Lets a visitor in, to all that they may use or to what is in a group of it.
    pub(crate) fn enter(
        gateway: &Gateway,
        mut visitor: Visitor,
        group: Option<&str>,
        opening: Opening,
    ) -> Result<Self, Refusal> {
        let Some(name) = group else { return Ok(Self { visitor, opening, group: None }) };
        let chosen = Chosen { name: name.into(), whole: visitor.rights.clone() };
        visitor.rights = chosen.rights(gateway).ok_or_else(Refusal::no_group)?;
        Ok(Self { visitor, opening, group: Some(chosen) })
    }
}

impl Chosen {
    /// Returns what is left of the rights; a group of which nothing may be seen is no group.
    pub(crate) fn rights(&self, gateway: &Gateway) -> Option<Rights> {
        let groups = gateway.0.house.groups();
        let found = groups.iter().find(|known| known.group_id == *self.name)?;
        let names = found.tool_ids.iter().map(ToolName::as_str).chain(PAIR);
        let allowed: Vec<&str> = names.filter(|name| self.whole.allows(name)).collect();
        if allowed.iter().all(|name| PAIR.contains(name)) {
            return None;
        }
        Some(Rights { tools: Some(AllowList::new(allowed)), ..self.whole.clone() })
    }
}
