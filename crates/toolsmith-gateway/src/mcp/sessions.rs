//! The sessions of clients that begin with `initialize`: bounded in number and in time.

use std::{
    cmp::Reverse,
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
    by_visitor: HashMap<Text, Share>,
}

/// The sessions of one visitor.
#[derive(Debug, Default)]
struct Share {
    open: usize,
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
    /// When there is no room, one that was not used for longest gives way: of the visitor itself
    /// when it has its share, else of the one that has most, so that nobody is crowded out.
    pub(crate) fn open(&self, session: Session) -> Result<String, Refusal> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| Refusal::internal("There is no randomness."))?;
        let (key, now) = (u128::from_le_bytes(bytes), self.now());
        session.used.store(now, Relaxed);
        let mut table = self.table.lock();
        let open = table.by_visitor.get(&session.visitor).map_or(0, |share| share.open);
        let gone = if open >= share_of(self.most) {
            Some(table.give_way_of(&session.visitor).ok_or_else(Refusal::full)?)
        } else if table.by_key.len() >= self.most {
            Some(table.give_way().ok_or_else(Refusal::full)?)
        } else {
            None
        };
        table.insert(key, Arc::new(session), now);
        drop(table);
        if let Some(gone) = gone {
            gone.end();
        }
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
        let ended = if is_theirs { table.remove(key) } else { None };
        table.forget_room();
        drop(table);
        ended.map(|session| session.end()).is_some()
    }

    /// Ends the sessions that were not used for too long, and gives their memory back.
    pub(crate) fn sweep(&self) {
        let (now, limit) = (self.now(), millis(self.idle));
        let mut table = self.table.lock();
        let is_over = |session: &Session| {
            now.saturating_sub(session.used.load(Relaxed)) > limit && !session.is_busy()
        };
        let over = table.by_key.iter().filter(|(_, session)| is_over(session));
        let over: Vec<u128> = over.map(|(key, _)| *key).collect();
        let ended: Vec<_> = over.into_iter().filter_map(|key| table.remove(key)).collect();
        table.forget_room();
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
    fn insert(&mut self, key: u128, session: Arc<Session>, now: u64) {
        let share = self.by_visitor.entry(session.visitor.clone()).or_default();
        share.open += 1;
        share.queue.push_back((key, now));
        self.by_key.insert(key, session);
    }

    fn remove(&mut self, key: u128) -> Option<Arc<Session>> {
        let session = self.by_key.remove(&key)?;
        let share = self.by_visitor.get_mut(&session.visitor)?;
        share.open -= 1;
        if share.open == 0 {
            self.by_visitor.remove(&session.visitor);
        } else if share.queue.len() > 2 * share.open + 64 {
            share.queue.retain(|(key, _)| self.by_key.contains_key(key));
            share.queue.shrink_to_fit();
        }
        Some(session)
    }

    /// Removes a session that does nothing of whoever has most.
    fn give_way(&mut self) -> Option<Arc<Session>> {
        let shares = self.by_visitor.iter().map(|(visitor, share)| (share.open, visitor));
        let most = shares.max().map(|(_, visitor)| visitor.clone())?;
        if let Some(gone) = self.give_way_of(&most) {
            return Some(gone);
        }
        let mut others: Vec<Text> = self.by_visitor.keys().cloned().collect();
        others.sort_by_key(|visitor| Reverse(self.by_visitor.get(visitor).map(|it| it.open)));
        others.iter().find_map(|visitor| self.give_way_of(visitor))
    }

    /// Removes the session of a visitor that was not used for longest and does nothing.
    fn give_way_of(&mut self, visitor: &Text) -> Option<Arc<Session>> {
        let share = self.by_visitor.get_mut(visitor)?;
        for _ in 0..=share.queue.len() {
            let (key, queued) = share.queue.pop_front()?;
            let Some(session) = self.by_key.get(&key) else { continue };
            let used = session.used.load(Relaxed);
            if used > queued || session.is_busy() {
                share.queue.push_back((key, used));
                continue;
            }
            return self.remove(key);
        }
        None
    }

    /// Drops room that is no longer needed.
    fn forget_room(&mut self) {
        if self.by_key.capacity() > 4 * self.by_key.len() + 1_024 {
            self.by_key.shrink_to_fit();
            self.by_visitor.shrink_to_fit();
        }
    }
}

/// Returns how many sessions one visitor may have: a quarter is left for others.
fn share_of(most: usize) -> usize {
    most - most / 4
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
    async fn who_opens_many_takes_none_away_from_others() {
        let sessions = Sessions::new(100, Duration::from_mins(1));
        let of = |name: &str| Session::new(name.into(), Revision::Nov2025, Abilities::default());
        let quiet: Vec<String> = (0..20).map(|_| sessions.open(of("quiet")).unwrap()).collect();
        tokio::time::advance(Duration::from_secs(1)).await;
        for _ in 0..10_000 {
            opened(&sessions);
        }
        assert_eq!(sessions.len(), 95);
        assert!(quiet.iter().all(|key| sessions.get(key, &"quiet".into()).is_some()));
        // There is room for who comes later, though what is busy does not give way.
        let keys: Vec<String> = (0..75).map(|_| opened(&sessions)).collect();
        let held: Vec<_> = keys.iter().filter_map(|key| sessions.get(key, &"me".into())).collect();
        let runs: Vec<_> = held.iter().map(|session| session.run(Id::from_json("1"))).collect();
        assert_eq!(runs.len(), 75);
        assert!(sessions.open(session()).is_err());
        for _ in 0..25 {
            sessions.open(of("late")).unwrap();
        }
        assert_eq!(sessions.len(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_opened_and_abandoned_leave_no_memory_behind() {
        let sessions = Sessions::new(1_000, Duration::from_mins(1));
        for number in 0..100_000 {
            let visitor = if number % 2 == 0 { "me" } else { "you" };
            let session = Session::new(visitor.into(), Revision::Nov2025, Abilities::default());
            sessions.open(session).unwrap();
        }
        assert_eq!(sessions.len(), 1_000);
        let queued = |table: &Table| -> usize {
            table.by_visitor.values().map(|share| share.queue.len()).sum()
        };
        assert!(queued(&sessions.table.lock()) <= 2_128);
        tokio::time::advance(Duration::from_secs(61)).await;
        sessions.sweep();
        let table = sessions.table.lock();
        assert_eq!((table.by_key.len(), table.by_visitor.len()), (0, 0));
        assert!(table.by_key.capacity() < 64 && table.by_visitor.capacity() < 64);
    }
}
