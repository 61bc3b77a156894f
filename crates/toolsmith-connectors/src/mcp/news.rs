//! What a server says has changed, until somebody looks.

use std::collections::BTreeSet;

use parking_lot::Mutex;
use rmcp::model::ServerNotification;
use tokio::sync::Notify;

/// How many changed resources are kept.
const MOST: usize = 1_000;

/// What a server says has changed.
#[derive(Debug, Default)]
pub(super) struct News {
    heard: Mutex<Heard>,
    bell: Notify,
}

/// What was heard since somebody last looked.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) tools: bool,
    pub(super) resources: bool,
    pub(super) prompts: bool,
    /// The addresses of resources that are others.
    pub(super) updated: BTreeSet<String>,
}

impl News {
    /// Notes that something may have changed.
    pub(super) fn note(&self, change: impl FnOnce(&mut Heard)) {
        change(&mut self.heard.lock());
        self.bell.notify_one();
    }

    /// Notes that a resource has changed.
    pub(super) fn updated(&self, uri: String) {
        self.note(|heard| {
            if heard.updated.len() < MOST {
                heard.updated.insert(uri);
            }
        });
    }

    /// Notes what a notification says.
    pub(super) fn hear(&self, notification: ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => {
                self.note(|heard| heard.tools = true);
            }
            ServerNotification::ResourceListChangedNotification(_) => {
                self.note(|heard| heard.resources = true);
            }
            ServerNotification::PromptListChangedNotification(_) => {
                self.note(|heard| heard.prompts = true);
            }
            ServerNotification::ResourceUpdatedNotification(update) => {
                self.updated(update.params.uri);
            }
            _ => {}
        }
    }

    /// Waits for news, and takes them.
    pub(super) async fn next(&self) -> Heard {
        self.bell.notified().await;
        std::mem::take(&mut self.heard.lock())
    }
}
