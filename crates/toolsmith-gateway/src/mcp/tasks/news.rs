//! How tasks are, for clients that listen; nobody listens, nothing is told.

use std::{collections::HashMap, future::pending, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::broadcast::{self, Receiver, Sender, error::RecvError};
use toolsmith_core::Text;

use super::task::Task;

/// How many changes a client may be behind before it misses some; asking tells it all of them.
const BACKLOG: usize = 64;

/// Who listens, by caller.
#[derive(Debug, Default)]
pub(super) struct News(Mutex<HashMap<Text, Sender<Arc<Task>>>>);

/// Hears how the tasks of a caller are.
#[derive(Debug)]
pub(crate) struct Changes(Receiver<Arc<Task>>);

impl News {
    /// Hears of the tasks of a caller from now on.
    pub(super) fn listen(&self, owner: &Text) -> Changes {
        let mut listeners = self.0.lock();
        let sender =
            listeners.entry(owner.clone()).or_insert_with(|| broadcast::channel(BACKLOG).0);
        Changes(sender.subscribe())
    }

    /// Tells that a task has changed.
    pub(super) fn tell(&self, task: &Arc<Task>) {
        let mut listeners = self.0.lock();
        let Some(sender) = listeners.get(&task.owner) else { return };
        if sender.send(Arc::clone(task)).is_err() {
            listeners.remove(&task.owner);
        }
    }

    /// Forgets callers of whom nobody listens any longer.
    pub(super) fn sweep(&self) {
        self.0.lock().retain(|_, sender| sender.receiver_count() > 0);
    }
}

impl Changes {
    /// Waits for a task that has changed.
    pub(crate) async fn next(&mut self) -> Arc<Task> {
        loop {
            match self.0.recv().await {
                Ok(task) => return task,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return pending().await,
            }
        }
    }
}
