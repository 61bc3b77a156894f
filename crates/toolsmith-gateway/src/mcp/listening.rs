//! What changes, as clients hear of it that listen.

use std::{future::pending, time::Duration};

use serde_json::value::RawValue;
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolsmith_core::{Editions, Map, Rights, Value, json};

use super::{resources::Followed, wire};
use crate::Gateway;

/// How long changes are gathered before they are told: one reload is one message.
const GATHERING: Duration = Duration::from_millis(50);

/// Which changes a client wants to hear of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interest {
    /// Of the tools.
    pub(crate) tools: bool,
    /// Of the prompts.
    pub(crate) prompts: bool,
    /// Of the resources.
    pub(crate) resources: bool,
}

impl Interest {
    /// Everything that there is to hear.
    pub(crate) const ALL: Self = Self { tools: true, prompts: true, resources: true };
}

/// Hears what changes.
#[derive(Debug)]
pub(crate) struct Listening {
    tools: watch::Receiver<u64>,
    library: Option<watch::Receiver<Editions>>,
    known: Editions,
    interest: Interest,
    followed: Followed,
    rights: Rights,
    gateway: Gateway,
    /// The request that opened the stream, where messages repeat it.
    subscription: Option<Box<RawValue>>,
    ended: CancellationToken,
    /// Cancels that token: a session whose stream is gone is not in use for ever.
    _gone: DropGuard,
    waiting: Vec<Vec<u8>>,
}

impl Listening {
    /// Begins to listen, until a token ends it.
    pub(crate) fn new(
        gateway: &Gateway,
        rights: Rights,
        (interest, followed): (Interest, Followed),
        ended: CancellationToken,
    ) -> Self {
        let mut library = gateway.0.house.library().map(|library| library.changes());
        let known = library.as_ref().map(|library| *library.borrow()).unwrap_or_default();
        if let Some(library) = &mut library {
            // What is followed may have changed before anybody listened.
            library.mark_changed();
        }
        Self {
            tools: gateway.0.engine.registry().changes(),
            known,
            library,
            interest,
            followed,
            rights,
            gateway: gateway.clone(),
            subscription: None,
            _gone: ended.clone().drop_guard(),
            ended,
            waiting: Vec::new(),
        }
    }

    /// Repeats the request that opened the stream in every message; the first one tells what is heard.
    pub(crate) fn for_subscription(mut self, id: Box<RawValue>, accepted: &Value) -> Self {
        self.subscription = Some(id);
        let method = "notifications/subscriptions/acknowledged";
        let first = self.message(method, json!({ "notifications": accepted }));
        self.waiting.push(first);
        self
    }

    /// Waits for the next message; nothing once it has been ended.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(message) = self.waiting.pop() {
                return Some(message);
            }
            let has_tools = tokio::select! {
                () = self.ended.cancelled() => return None,
                changed = self.tools.changed() => changed.map(|()| true).ok()?,
                () = changed(&mut self.library) => false,
            };
            tokio::select! {
                () = self.ended.cancelled() => return None,
                () = sleep(GATHERING) => {}
            }
            self.gather(has_tools);
        }
    }

    /// Finds out what has changed, and what is to be told of it.
    fn gather(&mut self, mut has_tools: bool) {
        has_tools |= self.tools.has_changed().unwrap_or_default();
        self.tools.mark_unchanged();
        let editions = self.library.as_mut().map(|library| *library.borrow_and_update());
        let editions = editions.unwrap_or_default();
        let Interest { tools, prompts, resources } = self.interest;
        let known = std::mem::replace(&mut self.known, editions);
        let told = [
            (has_tools && tools, "notifications/tools/list_changed"),
            // What a group shows depends on its tools.
            (
                (has_tools || known.prompts != editions.prompts) && prompts,
                "notifications/prompts/list_changed",
            ),
            // Every tool has a page.
            (
                (has_tools || known.resources != editions.resources) && resources,
                "notifications/resources/list_changed",
            ),
        ];
        for uri in self.followed.changed(&self.gateway, &self.rights) {
            let message = self.message("notifications/resources/updated", json!({ "uri": uri }));
            self.waiting.push(message);
        }
        for (is_told, method) in told {
            if is_told {
                let message = self.message(method, json!({}));
                self.waiting.push(message);
            }
        }
    }

    fn message(&self, method: &str, params: Value) -> Vec<u8> {
        let mut members = match params {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        if let Some(id) = &self.subscription {
            let id: Value = serde_json::from_str(id.get()).unwrap_or_default();
            let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
            members.insert("_meta".to_owned(), meta);
        }
        wire::notification(method, &members)
    }
}

async fn changed(library: &mut Option<watch::Receiver<Editions>>) {
    let is_open = match library {
        Some(library) => library.changed().await.is_ok(),
        None => false,
    };
    if !is_open {
        pending::<()>().await;
    }
}
