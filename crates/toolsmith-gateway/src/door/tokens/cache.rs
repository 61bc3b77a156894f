//! Tokens that were found good, so that the next request with one costs a lookup.

use std::{num::NonZeroUsize, time::Duration};

use lru::LruCache;
use parking_lot::Mutex;
use ring::digest::{SHA256, digest};
use toolsmith_core::Timestamp;

use crate::Visitor;

/// How many tables there are, so that threads seldom meet at a lock.
const TABLES: usize = 16;

/// How many tokens each table remembers; the one that was not used for longest goes first.
const IN_EACH: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();

/// How long a token is remembered: a key that its issuer takes back counts no longer than this.
const LONGEST: Duration = Duration::from_mins(5);

/// What names a token without being it.
type Digest = [u8; 32];

/// The tokens that were found good.
#[derive(Debug)]
pub(super) struct Cache([Table; TABLES]);

#[derive(Debug)]
#[repr(align(128))]
struct Table(Mutex<LruCache<Digest, Good>>);

#[derive(Debug)]
struct Good {
    visitor: Visitor,
    until: Timestamp,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self(std::array::from_fn(|_| Table(Mutex::new(LruCache::new(IN_EACH)))))
    }

    /// Returns who holds a token that was found good and still is.
    pub(super) fn get(&self, token: &str, now: Timestamp) -> Option<Visitor> {
        let digest = digest_of(token)?;
        let mut table = self.table(digest).0.lock();
        let good = table.get(&digest)?;
        if now < good.until {
            return Some(good.visitor.clone());
        }
        table.pop(&digest);
        None
    }

    /// Remembers who holds a token, until it ends.
    pub(super) fn put(&self, token: &str, visitor: Visitor, end: Timestamp, now: Timestamp) {
        if let Some(digest) = digest_of(token) {
            let until = end.min(now.plus(LONGEST));
            self.table(digest).0.lock().put(digest, Good { visitor, until });
        }
    }

    fn table(&self, digest: Digest) -> &Table {
        &self.0[usize::from(digest[0]) % TABLES]
    }
}

fn digest_of(token: &str) -> Option<Digest> {
    digest(&SHA256, token.as_bytes()).as_ref().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_until_it_ends_and_never_for_long() {
        let (cache, now) = (Cache::new(), Timestamp::from_millis(1_000));
        let later = |seconds| now.plus(Duration::from_secs(seconds));
        cache.put("short", Visitor::local(), later(10), now);
        cache.put("long", Visitor::local(), later(100_000), now);
        assert!(cache.get("short", later(9)).is_some());
        assert!(cache.get("short", later(10)).is_none());
        assert!(cache.get("other", now).is_none());
        assert!(cache.get("long", later(299)).is_some());
        assert!(cache.get("long", later(300)).is_none());
    }

    #[test]
    fn only_so_many_are_remembered() {
        let (cache, now) = (Cache::new(), Timestamp::from_millis(0));
        for number in 0..40_000 {
            cache.put(&format!("{number}"), Visitor::local(), now.plus(LONGEST), now);
        }
        let kept: usize = cache.0.iter().map(|table| table.0.lock().len()).sum();
        assert_eq!(kept, TABLES * IN_EACH.get());
    }
}
