//! The tasks that somebody may ask for.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use parking_lot::Mutex;
use toolsmith_core::{CallId, Text};

use super::{
    news::{Changes, News},
    task::Task,
};
use crate::Visitor;

/// How many tasks are remembered that have ended; older ones are forgotten before their time.
const MOST_ENDED: usize = 10_000;

/// The tasks that somebody may ask for.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    known: Mutex<Known>,
    news: News,
}

#[derive(Debug, Default)]
struct Known {
    by_id: HashMap<CallId, Arc<Task>>,
    /// The oldest first.
    ended: VecDeque<CallId>,
}

impl Tasks {
    /// Finds a task that a visitor may see.
    pub(super) fn find(&self, visitor: &Visitor, id: &str) -> Option<Arc<Task>> {
        let task = self.known.lock().by_id.get(&id.parse().ok()?).map(Arc::clone)?;
        visitor.may_see(Some(&task.owner)).then_some(task)
    }

    /// Remembers a task.
    pub(super) fn add(&self, task: Arc<Task>) {
        self.known.lock().by_id.insert(task.id, task);
    }

    /// Notes that a task has ended; too many of those make the oldest give way.
    pub(super) fn end(&self, id: CallId) {
        let mut known = self.known.lock();
        known.ended.push_back(id);
        if known.ended.len() > MOST_ENDED
            && let Some(oldest) = known.ended.pop_front()
        {
            known.by_id.remove(&oldest);
        }
    }

    /// Tells who listens that a task has changed.
    pub(super) fn tell(&self, task: &Arc<Task>) {
        self.news.tell(task);
    }

    /// Hears how the tasks of a caller are, from now on.
    pub(crate) fn listen(&self, owner: &Text) -> Changes {
        self.news.listen(owner)
    }

    /// Returns the tasks of a caller, the oldest first, behind one.
    pub(super) fn of(&self, owner: &Text, behind: Option<CallId>) -> Vec<Arc<Task>> {
        let known = self.known.lock();
        let is_wanted = |task: &&Arc<Task>| {
            task.owner == *owner && behind.is_none_or(|behind| task.id > behind)
        };
        let mut own: Vec<_> = known.by_id.values().filter(is_wanted).map(Arc::clone).collect();
        own.sort_unstable_by_key(|task| task.id);
        own
    }

    /// Forgets the tasks whose outcome is no longer kept.
    pub(crate) fn sweep(&self) {
        self.news.sweep();
        let mut known = self.known.lock();
        while let Some(oldest) = known.ended.front().copied() {
            if known.by_id.get(&oldest).is_some_and(|task| !task.is_forgotten()) {
                break;
            }
            known.ended.pop_front();
            known.by_id.remove(&oldest);
        }
        if known.by_id.capacity() > 4 * known.by_id.len() + 64 {
            known.by_id.shrink_to_fit();
            known.ended.shrink_to_fit();
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.known.lock().by_id.len()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use toolsmith_core::Timestamp;
    use toolsmith_engine::Engine;

    use super::*;
    use crate::mcp::{
        asking::Asking, following::Answering, revision::Revision, tools::content::Promise,
    };

    fn task(engine: &Engine) -> Arc<Task> {
        let (revision, promise) = (Revision::Jul2026, Promise::Nothing);
        let answering = Answering { id: "1".into(), revision, promise };
        let asking = Arc::new(Asking::nobody());
        let now = Timestamp::from_millis(1);
        Arc::new(Task::new((engine.new_call_id(), "a".into()), now, answering, asking))
    }

    #[tokio::test(start_paused = true)]
    async fn tasks_that_have_ended_are_remembered_within_bounds_of_count_and_age() {
        let (engine, tasks) = (Engine::builder().build().unwrap(), Tasks::default());
        let running = task(&engine);
        tasks.add(Arc::clone(&running));
        for _ in 0..MOST_ENDED + 5 {
            let task = task(&engine);
            tasks.add(Arc::clone(&task));
            task.end(Timestamp::from_millis(2), None);
            tasks.end(task.id);
        }
        assert_eq!(tasks.len(), MOST_ENDED + 1);
        tokio::time::advance(Duration::from_mins(11)).await;
        tasks.sweep();
        assert_eq!(tasks.len(), 1);
        assert!(tasks.find(&Visitor::local(), &running.id.to_string()).is_some());
    }
}
