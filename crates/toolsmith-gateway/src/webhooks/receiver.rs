//! One receiver: posts its messages in order, and tries again while it cannot be reached.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Event, EventKind, json};
use toolsmith_engine::Engine;
use toolsmith_net::{Client, NetError, Overflow, Request, Response, StatusCode};

use super::{
    Webhook, WrongSecret,
    message::{Message, Run},
    queue::Queue,
    signing::Signing,
};

/// The time between two tries: it doubles up to the longest, or what the receiver asks for.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
const LONGEST_ASKED: Duration = Duration::from_mins(10);

/// The longest pause once the program ends.
const LAST_PAUSE: Duration = Duration::from_millis(200);

/// How much of an answer is read; nothing in it matters.
const ANSWER: usize = 16 << 10;

/// One receiver.
#[derive(Debug)]
pub(super) struct Receiver {
    webhook: Webhook,
    signing: Signing,
    queue: Queue,
    run: Run,
    engine: Engine,
    client: Client,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Why the latest try failed.
    failing: Option<String>,
    /// Tries that failed since one succeeded.
    failures: u32,
    /// Messages that were given up or refused.
    given_up: u64,
    /// The receiver has said that it wants nothing more.
    is_gone: bool,
}

/// What came of a try.
enum Tried {
    /// The receiver has it.
    Delivered,
    /// The same try would fail again.
    Refused(String),
    /// Another try may succeed, after a while that the receiver may name.
    Failed(String, Option<Duration>),
    /// The receiver wants nothing more.
    Gone,
}

impl Receiver {
    pub(super) fn new(
        webhook: Webhook,
        engine: Engine,
        client: Client,
        run: Run,
    ) -> Result<Self, WrongSecret> {
        let signing = Signing::new(&webhook.name, &webhook.secrets)?;
        let queue = Queue::new(webhook.max_waiting);
        Ok(Self { webhook, signing, queue, run, engine, client, state: Mutex::default() })
    }

    pub(super) fn name(&self) -> &str {
        &self.webhook.name
    }

    /// Tells whether the receiver wants an event.
    pub(super) fn wants(&self, event: &Event) -> bool {
        let is_kind = match &self.webhook.kinds {
            Some(kinds) => kinds.contains(&event.kind),
            None => !matches!(event.kind, EventKind::OutputChunk | EventKind::Progress),
        };
        let is_tool = match (&self.webhook.tools, &event.tool_name) {
            (None, _) => true,
            (Some(tools), Some(name)) => tools.contains(name),
            (Some(_), None) => false,
        };
        is_kind && is_tool && !self.state.lock().is_gone
    }

    /// Puts an event behind those that wait.
    pub(super) fn put(&self, number: u64, text: Arc<str>) {
        let was_whole = self.queue.missed() == 0;
        if !self.queue.put(number, text) && was_whole {
            tracing::warn!(webhook = self.name(), "too many events wait; some are left out");
        }
    }

    /// Notes that events are lost to everybody.
    pub(super) fn miss(&self, count: u64) {
        tracing::warn!(webhook = self.name(), count, "events came faster than they were heard");
        self.queue.miss(count);
    }

    /// Says that nothing more comes.
    pub(super) fn end(&self) {
        self.queue.end();
    }

    /// Returns how many events have not been delivered.
    pub(super) fn left(&self) -> u64 {
        self.queue.events() + self.state.lock().given_up
    }

    /// Says what is wrong with the receiver.
    pub(super) fn trouble(&self) -> Option<String> {
        let state = self.state.lock();
        let name = self.name();
        if state.is_gone {
            return Some(format!("`{name}` answered 410 Gone and is told nothing more"));
        }
        let why = state.failing.as_ref()?;
        let (waiting, lost) = (self.queue.events(), self.queue.missed() + state.given_up);
        Some(format!("`{name}`: {why} ({waiting} events wait, {lost} are lost)"))
    }

    /// Posts what waits until nothing more comes.
    pub(super) async fn deliver(self: Arc<Self>, closing: CancellationToken) {
        while let Some(message) = self.queue.next().await {
            if !self.post(&message, &closing).await {
                self.queue.clear();
                return;
            }
            self.queue.take(&message);
        }
    }

    /// Posts a message as often as it needs; false when the receiver wants nothing more.
    async fn post(&self, message: &Message, closing: &CancellationToken) -> bool {
        for tries in 1.. {
            let (why, asked) = match self.try_once(message).await {
                Tried::Delivered => {
                    self.succeed();
                    return true;
                }
                Tried::Gone => {
                    self.state.lock().is_gone = true;
                    self.announce_failing("the receiver answered 410 Gone");
                    return false;
                }
                Tried::Refused(why) => {
                    self.fail(&why);
                    break;
                }
                Tried::Failed(why, asked) => (why, asked),
            };
            let pause = self.fail(&why).max(asked.unwrap_or_default().min(LONGEST_ASKED));
            if tries >= self.webhook.max_tries {
                break;
            }
            tokio::select! {
                () = sleep(pause) => {}
                () = closing.cancelled() => sleep(pause.min(LAST_PAUSE)).await,
            }
        }
        self.state.lock().given_up += message.events();
        tracing::warn!(webhook = self.name(), "an event is given up");
        true
    }

    async fn try_once(&self, message: &Message) -> Tried {
        let now = self.engine.now();
        let (id, seconds) = (message.id(self.run), now.as_millis().div_euclid(1_000));
        let body = message.body(now);
        let signature = self.signing.sign(&id, seconds, &body);
        let url = self.webhook.url.expose().clone();
        let mut request = Request::post(url, "application/json", body);
        request.guard = self.webhook.guard;
        request.max_redirects = Some(0);
        (request.max_bytes, request.overflow) = (Some(ANSWER), Overflow::Cut);
        let request = request
            .with_header("webhook-id", &id)
            .and_then(|request| request.with_header("webhook-timestamp", &seconds.to_string()))
            .and_then(|request| request.with_header("webhook-signature", &signature));
        let request = match request {
            Ok(request) => request,
            Err(error) => return Tried::Refused(error.to_string()),
        };
        match timeout(self.webhook.timeout, self.client.send(request)).await {
            Ok(Ok(response)) => judge(&response),
            Ok(Err(error)) => fault(&error),
            Err(_) => Tried::Failed("it did not answer in time".to_owned(), None),
        }
    }

    /// Remembers that a try failed, and returns how long to wait for the next one.
    fn fail(&self, why: &str) -> Duration {
        let mut state = self.state.lock();
        let is_news = state.failing.is_none();
        state.failing = Some(why.to_owned());
        state.failures = state.failures.saturating_add(1);
        let doublings = state.failures.saturating_sub(1).min(16);
        drop(state);
        if is_news {
            tracing::warn!(webhook = self.name(), why, "events cannot be delivered");
            self.announce_failing(why);
        }
        let pause = FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE);
        // Between half and all of it, so that many senders do not come back at once.
        pause.mul_f64(0.5 + fastrand::f64() / 2.0)
    }

    fn succeed(&self) {
        let mut state = self.state.lock();
        state.failures = 0;
        let was_failing = state.failing.take().is_some();
        let lost = state.given_up + self.queue.missed();
        drop(state);
        if was_failing {
            tracing::info!(webhook = self.name(), lost, "events are delivered again");
            let told = json!({ "webhook": self.name(), "lost": lost });
            self.engine.announce(EventKind::WebhookRecovered, None, told);
        }
    }

    fn announce_failing(&self, why: &str) {
        let told = json!({ "webhook": self.name(), "reason": why });
        self.engine.announce(EventKind::WebhookFailing, None, told);
    }
}

/// Says what an answer means.
fn judge(response: &Response) -> Tried {
    let status = response.status;
    let why = || format!("it answered {status}");
    if status.is_success() {
        Tried::Delivered
    } else if status == StatusCode::GONE {
        Tried::Gone
    } else if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        Tried::Failed(why(), response.retry_after())
    } else {
        Tried::Refused(why())
    }
}

/// Says what it means that no answer came.
fn fault(error: &NetError) -> Tried {
    match error {
        NetError::Denied(_) => Tried::Refused(format!(
            "{error}; `allow_private: true` of the webhook lets it be a private one"
        )),
        NetError::Invalid(_) => Tried::Refused(error.to_string()),
        NetError::Redirects { .. } | NetError::BodyElsewhere { .. } => {
            Tried::Refused("it leads to another address, which is not followed".to_owned())
        }
        _ => Tried::Failed(error.to_string(), None),
    }
}
