//! The sessions of clients that begin with `initialize`: bounded in number and in time.

use std::{
    collections::{HashMap, VecDeque},
    fmt::Write as _,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::Instant;
use toolsmith_core::Text;

use super::{refusal::Refusal, session::Session};

/// The sessions that are open.
#[derive(Debug)]
pub(crate) struct Sessions {
    table: Mutex<Table>,
    begun: Instant,
    most: usize,
    idle: Duration,
}

#[derive(Debug, Default)]
struct Table {
    by_key: HashMap<u128, Arc<Session>>,
    /// In the order in which they were opened or last found in use, and when that was.
    queue: VecDeque<(u128, u64)>,
}

impl Sessions {
    /// Makes room for so many sessions, each of which ends when it is not used for that long.
    pub(crate) fn new(most: usize, idle: Duration) -> Self {
        Self { table: Mutex::default(), begun: Instant::now(), most: most.max(1), idle }
    }

    /// Opens a session, and returns what the client names it by.
    ///
    /// When there is no room, the one that was not used for longest gives way.
    pub(crate) fn open(&self, session: Session) -> Result<String, Refusal> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| Refusal::internal("There is no randomness."))?;
        let (key, now) = (u128::from_le_bytes(bytes), self.now());
        session.used.store(now, Relaxed);
        let mut table = self.table.lock();
        while table.by_key.len() >= self.most {
            let gone = table.give_way().ok_or_else(Refusal::full)?;
            gone.end();
        }
        table.by_key.insert(key, Arc::new(session));
        table.queue.push_back((key, now));
        table.forget_gone();
        Ok(written(key))
    }

    /// Returns how many are open.
    pub(crate) fn count(&self) -> usize {
        self.table.lock().by_key.len()
    }

    /// Finds the session of a visitor.
    pub(crate) fn get(&self, key: &str, visitor: &Text) -> Option<Arc<Session>> {
        let key = read(key)?;
        let session = self.table.lock().by_key.get(&key).map(Arc::clone)?;
        // To anyone else it does not exist.
        if session.visitor != *visitor {
            return None;
        }
        session.used.store(self.now(), Relaxed);
        Some(session)
    }

    /// Ends the session of a visitor; false when there is none.
    pub(crate) fn end(&self, key: &str, visitor: &Text) -> bool {
        let Some(key) = read(key) else { return false };
        let mut table = self.table.lock();
        let is_theirs = table.by_key.get(&key).is_some_and(|known| known.visitor == *visitor);
        let ended = if is_theirs { table.by_key.remove(&key) } else { None };
        table.forget_gone();
        drop(table);
        ended.map(|session| session.end()).is_some()
    }

    /// Ends the sessions that were not used for too long, and gives their memory back.
    pub(crate) fn sweep(&self) {
        let (now, limit) = (self.now(), millis(self.idle));
        let mut ended = Vec::new();
        let mut table = self.table.lock();
        table.by_key.retain(|_, session| {
            let is_idle = now.saturating_sub(session.used.load(Relaxed)) > limit;
            let stays = !is_idle || session.is_busy();
            if !stays {
                ended.push(Arc::clone(session));
            }
            stays
        });
        table.forget_gone();
        drop(table);
        for session in ended {
            session.end();
        }
    }

    /// Ends all of them.
    pub(crate) fn end_all(&self) {
        let table = std::mem::take(&mut *self.table.lock());
        for session in table.by_key.values() {
            session.end();
        }
    }

    /// Returns how many are open.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.table.lock().by_key.len()
    }

    fn now(&self) -> u64 {
        millis(self.begun.elapsed())
    }
}

impl Table {
    /// Removes the session that was not used for longest and does nothing.
    fn give_way(&mut self) -> Option<Arc<Session>> {
        for _ in 0..=self.queue.len() {
            let (key, queued) = self.queue.pop_front()?;
            let Some(session) = self.by_key.get(&key) else { continue };
            let used = session.used.load(Relaxed);
            if used > queued || session.is_busy() {
                self.queue.push_back((key, used));
                continue;
            }
            return self.by_key.remove(&key);
        }
        None
    }

    /// Drops what is queued of sessions that have ended, and room that is no longer needed.
    fn forget_gone(&mut self) {
        if self.queue.len() > 2 * self.by_key.len() + 64 {
            let by_key = &self.by_key;
            self.queue.retain(|(key, _)| by_key.contains_key(key));
        }
        if self.by_key.capacity() > 4 * self.by_key.len() + 1_024 {
            self.by_key.shrink_to_fit();
            self.queue.shrink_to_fit();
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn written(key: u128) -> String {
    let mut text = String::with_capacity(32);
    write!(text, "{key:032x}").ok();
    text
}

fn read(text: &str) -> Option<u128> {
    u128::from_str_radix(text, 16).ok().filter(|_| text.len() == 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::{meta::Abilities, revision::Revision, wire::Id};

    fn session() -> Session {
        Session::new("me".into(), Revision::Nov2025, Abilities::default())
    }

    fn opened(sessions: &Sessions) -> String {
        sessions.open(session()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_belongs_to_who_opened_it() {
        let sessions = Sessions::new(10, Duration::from_mins(1));
        let key = opened(&sessions);
        assert!(key.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(sessions.get(&key, &"me".into()).is_some());
        assert!(sessions.get(&key, &"you".into()).is_none());
        assert!(!sessions.end(&key, &"you".into()));
        assert!(sessions.end(&key, &"me".into()));
        assert!(sessions.get(&key, &"me".into()).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn the_one_that_was_not_used_for_longest_gives_way() {
        let sessions = Sessions::new(3, Duration::from_mins(1));
        let keys: Vec<String> = (0..3).map(|_| opened(&sessions)).collect();
        tokio::time::advance(Duration::from_secs(1)).await;
        sessions.get(&keys[0], &"me".into()).unwrap();
        opened(&sessions);
        assert_eq!(sessions.len(), 3);
        assert!(sessions.get(&keys[0], &"me".into()).is_some());
        assert!(sessions.get(&keys[1], &"me".into()).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_busy_stays() {
        let sessions = Sessions::new(1, Duration::from_mins(1));
        let key = opened(&sessions);
        let first = sessions.get(&key, &"me".into()).unwrap();
        let run = first.run(Id::from_json("1"));
        assert!(sessions.open(session()).is_err());
        tokio::time::advance(Duration::from_secs(90)).await;
        sessions.sweep();
        assert_eq!(sessions.len(), 1);
        drop(run);
        sessions.sweep();
        assert_eq!(sessions.len(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_opened_and_abandoned_leave_no_memory_behind() {
        let sessions = Sessions::new(1_000, Duration::from_mins(1));
        for _ in 0..100_000 {
            opened(&sessions);
        }
        assert_eq!(sessions.len(), 1_000);
        assert!(sessions.table.lock().queue.len() <= 2_064);
        tokio::time::advance(Duration::from_secs(61)).await;
        sessions.sweep();
        let table = sessions.table.lock();
        assert_eq!((table.by_key.len(), table.queue.len()), (0, 0));
        assert!(table.by_key.capacity() < 64 && table.queue.capacity() < 64);
    }
}
