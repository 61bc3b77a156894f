//! What changes, as clients hear of it that listen.

use std::{future::pending, sync::Arc, time::Duration};

use serde_json::value::RawValue;
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolsmith_core::{AllowList, Editions, Map, Rights, Value, json};

use super::{
    guest::Chosen,
    resources::Followed,
    revision::Revision,
    session::Session,
    tasks::{self, Changes, Task},
    wire,
};
use crate::{Gateway, by_sight::mark};

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

/// What a client may see, and what it has seen of it.
#[derive(Debug)]
pub(crate) struct View {
    rights: Rights,
    group: Option<Chosen>,
    /// Of the tools that are seen; none for who sees all of them.
    mark: Option<u64>,
}

impl View {
    /// Looks at what there is now.
    pub(crate) fn new(gateway: &Gateway, rights: Rights, group: Option<Chosen>) -> Self {
        let mut view = Self { rights, group, mark: None };
        view.has_changed(gateway);
        view
    }

    /// Looks again; true when the tools are others than those that were seen before.
    fn has_changed(&mut self, gateway: &Gateway) -> bool {
        if let Some(group) = &self.group {
            // Which tools are in a group can change as well; none are left in one that is gone.
            let none = || Rights { tools: Some(AllowList::new([""; 0])), ..self.rights.clone() };
            self.rights = group.rights(gateway).unwrap_or_else(none);
        }
        if !self.is_narrow() {
            return true;
        }
        let now = Some(gateway.0.marks.of(gateway.0.engine.registry(), &self.rights, mark));
        std::mem::replace(&mut self.mark, now) != now
    }

    /// Tells whether there may be tools that are not seen.
    fn is_narrow(&self) -> bool {
        self.rights.tools.is_some() || self.rights.namespace.is_some()
    }
}

/// Hears what changes.
#[derive(Debug)]
pub(crate) struct Listening {
    tools: watch::Receiver<u64>,
    library: Option<watch::Receiver<Editions>>,
    known: Editions,
    interest: Interest,
    followed: Followed,
    view: View,
    /// How the client's tasks are, where it is told.
    tasks: Option<Changes>,
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
        view: View,
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
            view,
            tasks: None,
            gateway: gateway.clone(),
            subscription: None,
            _gone: ended.clone().drop_guard(),
            ended,
            waiting: Vec::new(),
        }
    }

    /// Tells how the tasks of a caller are, in revisions in which that belongs to a session.
    pub(crate) fn with_tasks_of(mut self, session: &Session) -> Self {
        let tasks = &self.gateway.0.mcp.tasks;
        self.tasks = session.revision.has_tasks().then(|| tasks.listen(&session.visitor));
        self
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
                task = changed_task(&mut self.tasks) => {
                    let told = tasks::told(&self.gateway, &task, Revision::Nov2025).await;
                    self.waiting.extend(told.map(|task| {
                        wire::notification("notifications/tasks/status", &task)
                    }));
                    continue;
                }
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
        let has_tools = has_tools && self.view.has_changed(&self.gateway);
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
        for uri in self.followed.changed(&self.gateway, &self.view.rights) {
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

async fn changed_task(tasks: &mut Option<Changes>) -> Arc<Task> {
    match tasks {
        Some(tasks) => tasks.next().await,
        None => pending().await,
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
