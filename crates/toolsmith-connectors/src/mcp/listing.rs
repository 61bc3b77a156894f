//! The tools that a server lists, within bounds.

use std::collections::{BTreeMap, HashSet};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{PaginatedRequestParams, Tool},
};
use serde::{Deserialize, Serialize};

/// How many tools of one server are taken.
const MOST_TOOLS: usize = 10_000;

/// How many pages are asked for.
const MOST_PAGES: usize = 1_000;

/// The largest definition of a tool, in bytes of JSON.
const LARGEST_TOOL: usize = 256 * 1024;

/// The tools of a server by their own names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Listing {
    pub(super) tools: BTreeMap<String, Tool>,
}

/// A listing, and what is to be said about it.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) listing: Listing,
    pub(super) warnings: Vec<String>,
}

/// Asks for all pages.
pub(super) async fn list(peer: &Peer<RoleClient>) -> Result<Listed, ServiceError> {
    let mut listed = Listed::default();
    let mut cursors = HashSet::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor.take());
        let page = peer.list_tools(Some(params)).await?;
        listed.add(page.tools);
        let Some(next) = page.next_cursor else { return Ok(listed.finish()) };
        if listed.listing.tools.len() >= MOST_TOOLS {
            listed.warn(format!("lists more than {MOST_TOOLS} tools; the others are left out"));
            return Ok(listed);
        }
        if !cursors.insert(next.clone()) {
            listed.warn("lists its tools in a circle of pages; what came first is used".to_owned());
            return Ok(listed);
        }
        cursor = Some(next);
    }
    listed
        .warn(format!("lists its tools on more than {MOST_PAGES} pages; the others are left out"));
    Ok(listed)
}

/// Returns as much of a name as a message can show.
fn shown(name: &str) -> String {
    name.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl Listed {
    fn add(&mut self, tools: Vec<Tool>) {
        for tool in tools {
            let size = serde_json::to_vec(&tool).map_or(usize::MAX, |text| text.len());
            if size > LARGEST_TOOL {
                let name = shown(&tool.name);
                self.warn(format!("defines `{name}` with {size} bytes; it is left out"));
                continue;
            }
            if self.listing.tools.len() >= MOST_TOOLS {
                return;
            }
            let name = tool.name.to_string();
            if self.listing.tools.contains_key(&name) {
                let name = shown(&name);
                self.warn(format!("lists `{name}` twice; the first one is used"));
                continue;
            }
            self.listing.tools.insert(name, tool);
        }
    }

    fn finish(mut self) -> Self {
        if self.listing.tools.is_empty() {
            self.warn("lists no tools".to_owned());
        }
        self
    }

    fn warn(&mut self, what: String) {
        // A hostile list must not fill the log.
        if self.warnings.len() < 20 {
            self.warnings.push(what);
        }
    }
}
