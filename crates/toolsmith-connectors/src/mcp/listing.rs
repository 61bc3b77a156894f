//! The tools that a server lists, within bounds.

use std::collections::{BTreeMap, HashSet};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool},
};
use serde::{Deserialize, Serialize};
use toolsmith_core::Value;

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
    /// Whether the server may say something while a tool runs.
    #[serde(default)]
    pub(super) logs: bool,
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
        let next = listed.take(ask(peer, params).await?)?;
        let Some(next) = next else { return Ok(listed.finish()) };
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

/// Asks for a page; the library's own question refuses a whole page for one wrong tool.
async fn ask(
    peer: &Peer<RoleClient>,
    params: PaginatedRequestParams,
) -> Result<ServerResult, ServiceError> {
    let request = ListToolsRequest { params: Some(params), ..ListToolsRequest::default() };
    peer.send_request(ClientRequest::ListToolsRequest(request)).await
}

/// Returns as much of a name as a message can show.
fn shown(name: &str) -> String {
    name.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl Listed {
    /// Takes a page; returns where the next one begins.
    ///
    /// A page that the library cannot read as one is read tool by tool.
    fn take(&mut self, page: ServerResult) -> Result<Option<String>, ServiceError> {
        let mut page = match page {
            ServerResult::ListToolsResult(page) => {
                self.add(page.tools);
                return Ok(page.next_cursor);
            }
            ServerResult::CustomResult(page) => page.0,
            _ => return Err(ServiceError::UnexpectedResponse),
        };
        let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
            return Err(ServiceError::UnexpectedResponse);
        };
        for tool in tools {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            let name = shown(name);
            match serde_json::from_value(tool) {
                Ok(tool) => self.add(vec![tool]),
                Err(error) => {
                    let why = shown(&error.to_string());
                    self.warn(format!("defines `{name}` wrongly ({why}); it is left out"));
                }
            }
        }
        Ok(page.get("nextCursor").and_then(Value::as_str).map(str::to_owned))
    }

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_that_is_none_is_left_out_alone_and_named() {
        let schema = json!({ "type": "object" });
        let good = |name: &str| json!({ "name": name, "inputSchema": schema });
        let bad = [json!({ "name": "bare" }), json!({ "inputSchema": schema }), json!(7)];
        let tools = [&[good("a")], &bad[..], &[good("b")]].concat();
        for kind in [json!(null), json!("complete")] {
            let mut page = json!({ "tools": tools, "nextCursor": "x" });
            if !kind.is_null() {
                page["resultType"] = kind;
            }
            let mut listed = Listed::default();
            let next = listed.take(serde_json::from_value(page).unwrap()).unwrap();
            assert_eq!(next.as_deref(), Some("x"));
            assert!(listed.listing.tools.keys().eq(["a", "b"]));
            let [bare, _, _] = &listed.warnings[..] else { panic!("{:?}", listed.warnings) };
            assert!(bare.contains("`bare`") && bare.contains("inputSchema"), "{bare}");
        }
    }

    #[test]
    fn an_answer_that_is_no_list_is_refused() {
        for page in [json!({ "tools": 5 }), json!({ "x": [] }), json!({})] {
            let page = serde_json::from_value(page).unwrap();
            assert!(Listed::default().take(page).is_err());
        }
    }
}
