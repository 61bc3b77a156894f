//! Keys and tokens that do not open the door, counted by where they come from.
//!
//! Whoever shows many is told to wait, at the price of a lookup. A good key from the same address
//! is let in all the same: many callers may come through one proxy.

use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroUsize,
    time::Duration,
};

use lru::LruCache;
use parking_lot::Mutex;
use tokio::time::Instant;

/// How many wrong keys an address may show at once, and how long until it may show another.
const AT_ONCE: u32 = 60;
const EACH: Duration = Duration::from_secs(1);

/// How many addresses are remembered; the one that was not seen for longest goes first.
const ADDRESSES: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

/// When the allowance of each address would be whole again.
#[derive(Debug)]
pub(super) struct Attempts(Mutex<LruCache<IpAddr, Instant>>);

impl Attempts {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::new(ADDRESSES)))
    }

    /// Notes a wrong key; returns how long to wait when there were too many.
    pub(super) fn note(&self, peer: IpAddr) -> Option<Duration> {
        let now = Instant::now();
        let mut whole_at = self.0.lock();
        let at = whole_at.get_or_insert_mut(network(peer), || now);
        let next = (*at).max(now) + EACH;
        let wait = next.duration_since(now).checked_sub(EACH * AT_ONCE);
        let wait = wait.filter(|wait| !wait.is_zero());
        if wait.is_none() {
            *at = next;
        }
        wait
    }

    /// Tells whether an address has shown too many wrong keys lately.
    pub(super) fn is_full(&self, peer: IpAddr) -> bool {
        let now = Instant::now();
        let at = self.0.lock().peek(&network(peer)).copied();
        at.is_some_and(|at| at.saturating_duration_since(now) > EACH * (AT_ONCE - 1))
    }
}

/// Who has one address of the newer kind has a network of them.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn many_wrong_keys_from_one_address_have_to_wait() {
        let attempts = Attempts::new();
        let peer: IpAddr = "192.0.2.1".parse().unwrap();
        for _ in 0..AT_ONCE {
            assert!(!attempts.is_full(peer));
            assert_eq!(attempts.note(peer), None);
        }
        assert!(attempts.is_full(peer));
        assert_eq!(attempts.note(peer), Some(EACH));
        assert_eq!(attempts.note("192.0.2.2".parse().unwrap()), None);
        tokio::time::advance(EACH).await;
        assert!(!attempts.is_full(peer));
        assert_eq!(attempts.note(peer), None);
        assert_eq!(attempts.note(peer), Some(EACH));
    }

    #[test]
    fn neighbours_of_one_network_are_one() {
        let network = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
