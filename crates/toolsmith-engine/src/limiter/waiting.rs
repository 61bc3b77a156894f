//! A call that stands in a queue.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::time::{Instant, timeout_at};

use super::{
    Limiter, Permit, Refusal,
    state::{Departure, Standing, Ticket},
};

/// A place in a queue, left on drop; a slot given to it and not picked up goes on to the next.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    limiter: &'a Limiter,
    ticket: Ticket,
    /// Whether the wait has ended, so that there is nothing to leave.
    settled: bool,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(limiter: &'a Limiter, ticket: Ticket) -> Self {
        Self { limiter, ticket, settled: false }
    }

    /// Waits for a slot until the deadline.
    pub(super) async fn until(mut self, deadline: Instant) -> Result<Permit<'a>, Refusal> {
        match timeout_at(deadline, &mut self).await {
            Ok(result) => result,
            Err(_elapsed) => self.give_up(),
        }
    }

    /// Leaves the queue because of the deadline, unless the slot came at the same moment.
    pub(super) fn give_up(&mut self) -> Result<Permit<'a>, Refusal> {
        let departure = self.limiter.state.lock().expire(self.ticket);
        self.settled = true;
        match departure {
            Departure::Granted => Ok(Permit::new(self.limiter, self.ticket.bucket)),
            Departure::Waiting(waker) => {
                drop(waker);
                Err(Refusal::Timeout)
            }
            Departure::Closed => Err(Refusal::Closed),
        }
    }
}

impl<'a> Future for Waiting<'a> {
    type Output = Result<Permit<'a>, Refusal>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // Cloned before the lock and, when swapped for an older one, dropped after it: a waker is
        // foreign code, and the last one of a task drops that task with all permits it holds.
        let mut waker = cx.waker().clone();
        let standing = self.limiter.state.lock().look(self.ticket, &mut waker);
        self.settled = standing != Standing::Waiting;
        match standing {
            Standing::Waiting => Poll::Pending,
            Standing::Granted => Poll::Ready(Ok(Permit::new(self.limiter, self.ticket.bucket))),
            Standing::Closed => Poll::Ready(Err(Refusal::Closed)),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let mut state = self.limiter.state.lock();
        let departure = state.leave(self.ticket);
        let next = match departure {
            Departure::Granted => state.vacate(self.ticket.bucket),
            Departure::Waiting(_) | Departure::Closed => None,
        };
        // Unlocked before any waker is woken or dropped, for the reason given in `poll`.
        drop(state);
        if let Some(waker) = next {
            waker.wake();
        }
    }
}
