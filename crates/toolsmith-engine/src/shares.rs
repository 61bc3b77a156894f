//! How many calls one caller has under way, where that is bounded.
//!
//! Calls beyond the bound wait in a line of their caller's own. So one caller that makes many slow
//! calls at once neither takes every slot nor fills the queue that all callers share.

use std::collections::{HashMap, VecDeque};

use foldhash::quality::RandomState;
use parking_lot::Mutex;
use tokio::{
    sync::oneshot::{self, Receiver, Sender},
    time::{Instant, timeout_at},
};
use toolsmith_core::Text;

use crate::limiter::{LimiterConfig, Strategy};

/// How many tables the callers are spread over, so that they seldom meet at a lock.
const TABLES: usize = 16;

/// The callers that have calls under way.
#[derive(Debug)]
pub(crate) struct Shares {
    tables: [Table; TABLES],
    /// How many calls of one caller may wait.
    most_waiting: usize,
}

/// Why a call did not get a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShareRefusal {
    Timeout,
    QueueFull,
}

/// Each table stands in a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Table(Mutex<HashMap<Text, Line, RandomState>>);

#[derive(Debug, Default)]
struct Line {
    under_way: u32,
    waiting: VecDeque<Sender<()>>,
}

/// One call under way; the next one of its caller may go on when it is dropped.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    table: &'a Table,
    caller: Text,
}

/// One call that waits; a share that reaches it too late goes on to the next.
#[derive(Debug)]
struct Waiting<'a> {
    table: &'a Table,
    caller: Text,
    turn: Receiver<()>,
}

impl Shares {
    /// A caller may fill half of the queue, so that there is room for the others.
    pub(crate) fn new(limits: &LimiterConfig) -> Self {
        let most_waiting =
            if limits.strategy == Strategy::Reject { 0 } else { limits.queue_size.div_ceil(2) };
        Self { tables: Default::default(), most_waiting }
    }

    /// Takes a share, waiting in turn until the deadline when as many are taken as may be.
    pub(crate) async fn take(
        &self,
        caller: &Text,
        most: u32,
        deadline: Instant,
    ) -> Result<Share<'_>, ShareRefusal> {
        let table = self.table_of(caller);
        let Some(turn) = self.enter(table, caller, most)? else {
            return Ok(Share { table, caller: caller.clone() });
        };
        let mut waiting = Waiting { table, caller: caller.clone(), turn };
        match timeout_at(deadline, &mut waiting.turn).await {
            Ok(Ok(())) => Ok(Share { table, caller: caller.clone() }),
            Ok(Err(_)) | Err(_) => Err(ShareRefusal::Timeout),
        }
    }

    /// Takes a share at once, or a place in the line.
    fn enter(
        &self,
        table: &Table,
        caller: &Text,
        most: u32,
    ) -> Result<Option<Receiver<()>>, ShareRefusal> {
        let mut callers = table.0.lock();
        let line = callers.entry(caller.clone()).or_default();
        if line.under_way < most {
            line.under_way += 1;
            return Ok(None);
        }
        if line.waiting.len() >= self.most_waiting {
            // Those who gave up are still in the line.
            line.waiting.retain(|turn| !turn.is_closed());
        }
        if line.waiting.len() >= self.most_waiting {
            return Err(ShareRefusal::QueueFull);
        }
        let (sender, turn) = oneshot::channel();
        line.waiting.push_back(sender);
        Ok(Some(turn))
    }

    /// Spreads callers by the end of their names, where names of one maker differ.
    fn table_of(&self, caller: &Text) -> &Table {
        let end = caller.bytes().rev().take(8);
        let sum = end.fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        &self.tables[sum % TABLES]
    }
}

impl Table {
    /// Gives a share to the next in line who still wants it.
    fn give_back(&self, caller: &Text) {
        let mut callers = self.0.lock();
        let Some(line) = callers.get_mut(caller) else { return };
        while let Some(turn) = line.waiting.pop_front() {
            if turn.send(()).is_ok() {
                return;
            }
        }
        line.under_way = line.under_way.saturating_sub(1);
        if line.under_way == 0 {
            callers.remove(caller);
        }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.table.give_back(&self.caller);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.turn.close();
        if self.turn.try_recv().is_ok() {
            self.table.give_back(&self.caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn shares(queue_size: usize) -> Shares {
        Shares::new(&LimiterConfig { queue_size, ..LimiterConfig::default() })
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(1)
    }

    #[tokio::test(start_paused = true)]
    async fn calls_beyond_the_share_wait_in_turn_and_others_do_not() {
        let shares = shares(4);
        let (a, b) = (Text::from("a"), Text::from("b"));
        let first = shares.take(&a, 1, soon()).await.unwrap();
        let waiting = shares.take(&a, 1, soon());
        tokio::pin!(waiting);
        assert!(futures_util::poll!(&mut waiting).is_pending());
        let other = shares.take(&b, 1, soon()).await.unwrap();
        drop(first);
        let second = waiting.await.unwrap();
        drop((second, other));
        assert!(shares.tables.iter().all(|table| table.0.lock().is_empty()));
    }

    #[tokio::test(start_paused = true)]
    async fn half_of_the_queue_is_for_one_caller_and_those_who_gave_up_leave_it() {
        let shares = shares(2);
        let a = Text::from("a");
        let _first = shares.take(&a, 1, soon()).await.unwrap();
        let late = shares.take(&a, 1, soon()).await;
        assert_eq!(late.unwrap_err(), ShareRefusal::Timeout);
        let waiting = shares.take(&a, 1, soon());
        tokio::pin!(waiting);
        assert!(futures_util::poll!(&mut waiting).is_pending());
        let crowded = shares.take(&a, 1, soon()).await;
        assert_eq!(crowded.unwrap_err(), ShareRefusal::QueueFull);
    }

    #[tokio::test(start_paused = true)]
    async fn a_share_that_comes_to_somebody_who_has_left_goes_on() {
        let shares = shares(8);
        let a = Text::from("a");
        let first = shares.take(&a, 1, soon()).await.unwrap();
        let mut leaving = Box::pin(shares.take(&a, 1, soon()));
        let mut staying = Box::pin(shares.take(&a, 1, soon()));
        assert!(futures_util::poll!(&mut leaving).is_pending());
        assert!(futures_util::poll!(&mut staying).is_pending());
        drop(first);
        // It was given the share and leaves before it knows.
        drop(leaving);
        drop(staying.await.unwrap());
        assert!(shares.tables.iter().all(|table| table.0.lock().is_empty()));
    }
}
