//! What a server offers besides tools: its lists of resources, templates and prompts, within bounds.

use std::{collections::HashSet, time::Duration};

use futures_util::future::join;
use rmcp::{
    ServiceError,
    model::{
        ClientRequest, ErrorCode, ListPromptsRequest, ListResourceTemplatesRequest,
        ListResourcesRequest, PaginatedRequestParams,
    },
};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use toolsmith_core::{Value, visible};

use super::{definition::make_visible, session::Session};

/// How many items of one list are taken.
const MOST_ITEMS: usize = 10_000;

/// How many pages are asked for.
const MOST_PAGES: usize = 1_000;

/// The largest item, in bytes of JSON.
const LARGEST_ITEM: usize = 64 * 1024;

/// The largest list, in bytes of JSON: it is handed on as a whole.
const LARGEST_LIST: usize = 4 * 1024 * 1024;

/// The longest address, template or name, in bytes.
const LONGEST_KEY: usize = 2_048;

/// How long a list may take; tools are offered without it.
const PATIENCE: Duration = Duration::from_secs(10);

/// The addresses that are ours.
const OURS: &str = "toolsmith:";

/// What a server offers besides tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Stock {
    pub(super) resources: Vec<Value>,
    pub(super) templates: Vec<Value>,
    pub(super) prompts: Vec<Value>,
    /// Whether it completes arguments.
    pub(super) completes: bool,
    /// Whether it tells when a resource changes.
    pub(super) tells: bool,
}

/// One of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Resources,
    Templates,
    Prompts,
}

impl Kind {
    fn request(self, cursor: Option<String>) -> ClientRequest {
        let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        match self {
            Self::Resources => ClientRequest::ListResourcesRequest(ListResourcesRequest {
                params,
                ..ListResourcesRequest::default()
            }),
            Self::Templates => {
                ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest {
                    params,
                    ..ListResourceTemplatesRequest::default()
                })
            }
            Self::Prompts => ClientRequest::ListPromptsRequest(ListPromptsRequest {
                params,
                ..ListPromptsRequest::default()
            }),
        }
    }

    fn member(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    /// Returns the member by which an item is known.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Resources => "uri",
            Self::Templates => "uriTemplate",
            Self::Prompts => "name",
        }
    }
}

impl Stock {
    /// Asks a server for its lists; one that cannot be had stays what it was.
    pub(super) async fn read(server: &str, session: &Session, before: Self) -> Self {
        let Some(about) = session.about() else { return before };
        let (resources, prompts) = (&about.capabilities.resources, &about.capabilities.prompts);
        let mut stock = Self {
            completes: about.capabilities.completions.is_some(),
            tells: resources.as_ref().is_some_and(|resources| resources.subscribe == Some(true)),
            ..Self::default()
        };
        if resources.is_some() {
            (stock.resources, stock.templates) = join(
                listed(server, session, Kind::Resources, before.resources),
                listed(server, session, Kind::Templates, before.templates),
            )
            .await;
        }
        if prompts.is_some() {
            stock.prompts = listed(server, session, Kind::Prompts, before.prompts).await;
        }
        stock
    }
}

/// Asks for a list, and says what is wrong with it.
async fn listed(server: &str, session: &Session, kind: Kind, before: Vec<Value>) -> Vec<Value> {
    let mut taken = Taken::of(kind);
    // Lists are read while a server starts, which must not fail for want of them.
    let patience = PATIENCE.min(session.settings.start_timeout / 4);
    let why = match timeout(patience, taken.all(session)).await {
        Ok(Ok(())) => None,
        // Many servers with resources know nothing of templates.
        Ok(Err(ServiceError::McpError(error))) if error.code == ErrorCode::METHOD_NOT_FOUND => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some(format!("no answer within {} s", patience.as_secs_f64())),
    };
    for warning in &taken.warnings {
        tracing::warn!("The MCP server `{server}` {warning}.");
    }
    let Some(why) = why else { return taken.items };
    let why: String = visible(&why).chars().take(500).collect();
    tracing::warn!("The MCP server `{server}` does not list its {}: {why}", kind.member());
    before
}

/// What was taken of a list.
#[derive(Debug)]
struct Taken {
    kind: Kind,
    items: Vec<Value>,
    size: usize,
    warnings: Vec<String>,
}

impl Taken {
    fn of(kind: Kind) -> Self {
        Self { kind, items: Vec::new(), size: 0, warnings: Vec::new() }
    }

    /// Asks for all pages.
    async fn all(&mut self, session: &Session) -> Result<(), ServiceError> {
        let (mut cursor, mut cursors) = (None, HashSet::new());
        for _ in 0..MOST_PAGES {
            let page = session.peer.send_request(self.kind.request(cursor.take())).await?;
            let page = serde_json::to_value(page).map_err(|_| ServiceError::UnexpectedResponse)?;
            let Some(next) = self.take(page)? else { return Ok(()) };
            if !cursors.insert(next.clone()) {
                self.warn(format!("lists its {} in a circle of pages", self.kind.member()));
                return Ok(());
            }
            cursor = Some(next);
        }
        self.warn(format!("lists its {} on too many pages", self.kind.member()));
        Ok(())
    }

    /// Takes a page; returns where the next one begins, while there is room for it.
    fn take(&mut self, mut page: Value) -> Result<Option<String>, ServiceError> {
        let Some(Value::Array(items)) = page.get_mut(self.kind.member()).map(Value::take) else {
            return Err(ServiceError::UnexpectedResponse);
        };
        for mut item in items {
            let size = match self.check(&mut item) {
                Ok(size) => size,
                Err(why) => {
                    self.warn(why);
                    continue;
                }
            };
            if self.items.len() >= MOST_ITEMS || self.size + size > LARGEST_LIST {
                self.warn(format!("lists too many {}; some are left out", self.kind.member()));
                return Ok(None);
            }
            self.size += size;
            self.items.push(item);
        }
        Ok(page.get("nextCursor").and_then(Value::as_str).map(str::to_owned))
    }

    /// Checks an item and makes its texts visible; returns its size.
    fn check(&self, item: &mut Value) -> Result<usize, String> {
        let what = self.kind.member();
        make_visible(item);
        if self.kind != Kind::Prompts
            && let Some(Value::String(name)) = item.get_mut("name")
        {
            *name = visible(name).into_owned();
        }
        let key = item.get(self.kind.key()).and_then(Value::as_str).unwrap_or_default();
        if !is_legal(self.kind, key) {
            let key: String = visible(key).chars().take(80).collect();
            return Err(format!("lists `{key}` among its {what}, which cannot be used"));
        }
        let arguments = item.get("arguments").and_then(Value::as_array).into_iter().flatten();
        let names = arguments.map(|argument| argument.get("name").and_then(Value::as_str));
        if names.into_iter().any(|name| name.is_none_or(is_hidden)) {
            return Err(format!("lists `{key}` with an argument that cannot be named"));
        }
        match serde_json::to_vec(&item).map_or(usize::MAX, |text| text.len()) {
            size @ ..=LARGEST_ITEM => Ok(size),
            size => Err(format!("lists `{key:.80}` with {size} bytes; it is left out")),
        }
    }

    fn warn(&mut self, what: String) {
        // A hostile list must not fill the log.
        if self.warnings.len() < 20 {
            self.warnings.push(what);
        }
    }
}

/// Tells whether somebody who reads a text does not see all of it.
fn is_hidden(text: &str) -> bool {
    text.contains(['\n', '\t']) || visible(text) != text
}

/// Tells whether an item can be asked for by its key, and is not one of ours.
fn is_legal(kind: Kind, key: &str) -> bool {
    let is_short = (1..=LONGEST_KEY).contains(&key.len());
    let is_ours = key.get(..OURS.len()).is_some_and(|start| start.eq_ignore_ascii_case(OURS));
    let has_scheme = || {
        let scheme = key.split_once(':').map(|(scheme, _)| scheme);
        let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        scheme.is_some_and(|scheme| !scheme.is_empty() && scheme.chars().all(is_letter))
    };
    is_short
        && !is_hidden(key)
        && match kind {
            Kind::Resources => has_scheme() && !is_ours,
            Kind::Templates => !is_ours,
            Kind::Prompts => true,
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn taken(kind: Kind, items: &Value) -> Taken {
        let mut taken = Taken::of(kind);
        taken.take(json!({ kind.member(): items })).unwrap();
        taken
    }

    #[test]
    fn what_cannot_be_asked_for_is_left_out_alone_and_named() {
        let items = json!([
            { "uri": "test://a", "name": "a\u{200b}b", "description": "x\u{202e}y" },
            { "uri": "no scheme", "name": "b" },
            { "uri": "test://\u{200b}c", "name": "c" },
            { "uri": "toolsmith://tools/echo", "name": "d" },
            { "name": "e" },
            7,
            { "uri": "test://big", "name": "f", "description": "x".repeat(LARGEST_ITEM) },
        ]);
        let taken = taken(Kind::Resources, &items);
        let kept = json!({ "uri": "test://a", "name": "ab", "description": "xy" });
        assert_eq!(taken.items, [kept]);
        assert_eq!(taken.warnings.len(), 6);
    }

    #[test]
    fn names_of_prompts_and_their_arguments_can_be_seen() {
        let named = |name: &str| json!({ "name": name, "arguments": [{ "name": "who" }] });
        let hidden = json!({ "name": "c", "arguments": [{ "name": "wh\u{200b}o" }] });
        let items = json!([named("a b"), named("a\nb"), named("b\u{e0041}"), hidden]);
        assert_eq!(taken(Kind::Prompts, &items).items, [named("a b")]);
    }

    #[test]
    fn a_list_ends_where_it_is_too_long() {
        let item = |n: usize| json!({ "uri": format!("test://{n}"), "name": "x".repeat(60_000) });
        let items: Vec<Value> = (0..100).map(item).collect();
        let taken = taken(Kind::Resources, &items.into());
        assert_eq!(taken.items.len(), LARGEST_LIST / 60_043);
        assert!(taken.warnings[0].contains("too many"));
    }
}
