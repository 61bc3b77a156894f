//! Webhooks: what happens, posted to the addresses that an operator has configured.
//!
//! One task hears the engine and puts each event, written once, into the queue of every receiver
//! that wants it. Each receiver has a task that posts one message at a time, in order, and tries
//! again while the receiver cannot be reached. A queue is bounded: what finds no room is counted,
//! and the receiver is told of the gap where it is. No call ever waits for any of it.

mod message;
mod queue;
mod receiver;
mod signing;
mod webhook;

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;
use toolsmith_engine::{Engine, Heard, Subscription};
use toolsmith_net::Client;

use self::{message::Run, receiver::Receiver};
pub use self::{signing::WrongSecret, webhook::Webhook};
use crate::Health;

/// The receivers of events, at work; cheap to clone.
#[derive(Clone, Debug)]
pub struct Webhooks(Arc<Work>);

#[derive(Debug)]
struct Work {
    receivers: Vec<Arc<Receiver>>,
    tasks: Mutex<JoinSet<()>>,
    closing: CancellationToken,
}

impl Webhooks {
    /// Begins to tell receivers of what happens in an engine.
    pub fn start(
        engine: &Engine,
        client: &Client,
        webhooks: Vec<Webhook>,
    ) -> Result<Self, WrongSecret> {
        let (run, closing) = (Run::begun(engine.now()), CancellationToken::new());
        let receivers = webhooks.into_iter().map(|webhook| {
            Receiver::new(webhook, engine.clone(), client.clone(), run).map(Arc::new)
        });
        let receivers = receivers.collect::<Result<Vec<_>, _>>()?;
        let mut tasks = JoinSet::new();
        if !receivers.is_empty() {
            tasks.spawn(hear(engine.subscribe(), receivers.clone(), closing.clone()));
        }
        for receiver in &receivers {
            tasks.spawn(Arc::clone(receiver).deliver(closing.clone()));
        }
        Ok(Self(Arc::new(Work { receivers, tasks: Mutex::new(tasks), closing })))
    }

    /// Returns how the receivers are; nothing when there are none.
    pub fn health(&self) -> Option<Health> {
        if self.0.receivers.is_empty() {
            return None;
        }
        let troubles: Vec<String> =
            self.0.receivers.iter().filter_map(|receiver| receiver.trouble()).collect();
        Some(if troubles.is_empty() { Health::good() } else { Health::bad(troubles.join("; ")) })
    }

    /// Posts what still waits, within a limit, and returns how many events were not delivered.
    pub async fn close(&self, limit: Duration) -> u64 {
        self.0.closing.cancel();
        let mut tasks = std::mem::take(&mut *self.0.tasks.lock());
        timeout(limit, async { while tasks.join_next().await.is_some() {} }).await.ok();
        tasks.shutdown().await;
        let mut undelivered = 0;
        for receiver in &self.0.receivers {
            let left = receiver.left();
            if left > 0 {
                tracing::warn!(
                    webhook = receiver.name(),
                    events = left,
                    "events were not delivered"
                );
            }
            undelivered += left;
        }
        undelivered
    }
}

/// Puts what happens into the queues; at the end, what has happened until then.
async fn hear(mut engine: Subscription, receivers: Vec<Arc<Receiver>>, closing: CancellationToken) {
    while let Some(heard) = closing.run_until_cancelled(engine.next()).await {
        let Some(heard) = heard else { break };
        tell(&receivers, heard);
    }
    while let Some(heard) = engine.try_next() {
        tell(&receivers, heard);
    }
    for receiver in &receivers {
        receiver.end();
    }
}

fn tell(receivers: &[Arc<Receiver>], heard: Heard) {
    match heard {
        Heard::Event(event) => {
            let mut wanting = receivers.iter().filter(|receiver| receiver.wants(&event)).peekable();
            if wanting.peek().is_some() {
                let text: Arc<str> = serde_json::to_string(&*event).unwrap_or_default().into();
                wanting.for_each(|receiver| receiver.put(event.id, Arc::clone(&text)));
            }
        }
        Heard::Missed(count) => receivers.iter().for_each(|receiver| receiver.miss(count)),
    }
}
