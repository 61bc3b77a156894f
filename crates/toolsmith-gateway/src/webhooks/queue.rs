//! What waits for a receiver, within bounds of count and size.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::message::Message;

/// How many bytes of events wait for one receiver.
const MOST_BYTES: usize = 32 << 20;

/// What waits for a receiver.
#[derive(Debug)]
pub(super) struct Queue {
    most: usize,
    waiting: Mutex<Waiting>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    messages: VecDeque<Message>,
    bytes: usize,
    /// The number of the latest event that was put in or left out.
    latest: u64,
    /// Events that were left out, in all.
    missed: u64,
    is_ended: bool,
}

impl Queue {
    pub(super) fn new(most: usize) -> Self {
        Self { most, waiting: Mutex::default(), news: Notify::new() }
    }

    /// Puts an event in; false when there is no room, and the gap is noted in its place.
    pub(super) fn put(&self, number: u64, text: Arc<str>) -> bool {
        let mut waiting = self.waiting.lock();
        waiting.latest = number;
        let message = Message::Event(number, text);
        let has_room =
            waiting.messages.len() < self.most && waiting.bytes + message.bytes() <= MOST_BYTES;
        if has_room {
            waiting.bytes += message.bytes();
            waiting.messages.push_back(message);
        } else {
            waiting.miss(1);
        }
        drop(waiting);
        self.news.notify_one();
        has_room
    }

    /// Notes that events are lost.
    pub(super) fn miss(&self, count: u64) {
        self.waiting.lock().miss(count);
        self.news.notify_one();
    }

    /// Says that nothing more comes.
    pub(super) fn end(&self) {
        self.waiting.lock().is_ended = true;
        self.news.notify_one();
    }

    /// Waits for the message that is next, which stays in; nothing once all have been taken.
    pub(super) async fn next(&self) -> Option<Message> {
        loop {
            {
                let waiting = self.waiting.lock();
                if let Some(message) = waiting.messages.front() {
                    return Some(message.clone());
                }
                if waiting.is_ended {
                    return None;
                }
            }
            self.news.notified().await;
        }
    }

    /// Takes the message out that is next.
    pub(super) fn take(&self, message: &Message) {
        let mut waiting = self.waiting.lock();
        match (waiting.messages.front_mut(), message) {
            // A gap may have grown while it was told.
            (Some(Message::Gap { missed, .. }), Message::Gap { missed: told, .. })
                if *missed > *told =>
            {
                *missed -= told;
            }
            _ => {
                let bytes = waiting.messages.pop_front().map_or(0, |message| message.bytes());
                waiting.bytes -= bytes;
            }
        }
    }

    /// Returns how many events wait, with those of gaps that the receiver does not know of.
    pub(super) fn events(&self) -> u64 {
        self.waiting.lock().messages.iter().map(Message::events).sum()
    }

    /// Returns how many events were left out, in all.
    pub(super) fn missed(&self) -> u64 {
        self.waiting.lock().missed
    }

    /// Forgets what waits, for a receiver that wants nothing more.
    pub(super) fn clear(&self) {
        let mut waiting = self.waiting.lock();
        waiting.messages.clear();
        waiting.bytes = 0;
    }
}

impl Waiting {
    fn miss(&mut self, count: u64) {
        self.missed += count;
        if let Some(Message::Gap { missed, .. }) = self.messages.back_mut() {
            *missed += count;
            return;
        }
        self.messages.push_back(Message::Gap { behind: self.latest, missed: count });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_gap_stands_where_events_are_missing() {
        let queue = Queue::new(2);
        let put = |number| queue.put(number, "x".into());
        assert!(put(1) && put(2) && !put(3) && !put(4));
        let mut seen = Vec::new();
        for _ in 0..2 {
            let message = queue.next().await.unwrap();
            seen.push(message.clone());
            queue.take(&message);
        }
        assert!(put(5));
        queue.end();
        while let Some(message) = queue.next().await {
            seen.push(message.clone());
            queue.take(&message);
        }
        let event = |number| Message::Event(number, "x".into());
        assert_eq!(seen, [event(1), event(2), Message::Gap { behind: 3, missed: 2 }, event(5)]);
        assert_eq!((queue.events(), queue.missed()), (0, 2));
    }

    #[tokio::test]
    async fn a_gap_that_grows_while_it_is_told_is_told_again() {
        let queue = Queue::new(0);
        queue.miss(2);
        let gap = queue.next().await.unwrap();
        queue.miss(3);
        queue.take(&gap);
        assert_eq!(queue.next().await.unwrap().events(), 3);
        assert_eq!(queue.events(), 3);
    }
}
