//! A request that may say something before it is answered.
//!
//! It is worked on in place for as long as it says nothing, so that most calls need no task of
//! their own. From its first word on it runs by itself: its deadline must hold however slowly the
//! client reads.

use std::{future::pending, sync::Arc};

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::task::AbortOnDropHandle;
use toolsmith_core::{BoxFuture, Outcome, StreamItem, Text, ToolError, Value, json};

use super::{
    asking::{Asking, Posed},
    meta::Level,
    refusal::Refusal,
    revision::Revision,
    rounds::Subject,
    session::Run,
    tasks,
    tools::content::{self, Promise},
    wire::{self, Id},
    writing::{Freshness, Writing},
};
use crate::{Gateway, telemetry, underway::Enrolled};

/// What a request says.
#[derive(Debug)]
pub(crate) enum Said {
    /// A message before the answer.
    More(Vec<u8>),
    /// The answer.
    Last(Vec<u8>),
    /// It is refused.
    Refused(Refusal),
    /// The client took the request back, and waits for no answer.
    Nothing,
}

/// What happens to a request that nobody waits for.
pub(crate) enum Heard {
    /// It has sent something.
    Item(StreamItem),
    /// It asks something.
    Posed(Posed),
    /// It has ended.
    Done(Done),
}

/// When a call becomes a task.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Due {
    /// When it does not end at once.
    Soon,
    /// When it takes that long.
    At(Instant),
}

/// What came of the work.
pub(crate) enum Done {
    /// A call has its outcome.
    Call(Box<Outcome>),
    /// A prompt or a resource is there, or cannot be had.
    Item(Result<Value, ToolError>),
    /// There is no such prompt or resource.
    Missing,
}

/// The work itself.
pub(crate) type Work = BoxFuture<'static, Done>;

enum Working {
    InPlace(Work),
    Alone(AbortOnDropHandle<Done>),
    /// Its result has been taken.
    Over,
}

/// Where the words of a request come from; those that cannot come are absent.
#[derive(Debug, Default)]
pub(crate) struct Channels {
    /// Chunks and progress of a call.
    pub(crate) items: Option<mpsc::Receiver<StreamItem>>,
    /// Requests to the client.
    pub(crate) requests: Option<mpsc::Receiver<Vec<u8>>>,
    /// Questions for the next round.
    pub(crate) posed: Option<mpsc::UnboundedReceiver<Posed>>,
}

/// What the client wants to hear while it waits.
#[derive(Debug)]
pub(crate) struct Telling {
    /// The token by which it hears how far the call is.
    pub(crate) token: Option<Box<RawValue>>,
    /// From which level on it hears messages.
    pub(crate) level: Option<Level>,
    /// The tool, as the source of messages.
    pub(crate) tool: Text,
    /// How far the call was; the protocol wants it to grow.
    pub(crate) done: f64,
}

/// How the answer is written.
#[derive(Clone, Debug)]
pub(crate) struct Answering {
    /// The JSON text of the identifier.
    pub(crate) id: Box<str>,
    /// What is spoken.
    pub(crate) revision: Revision,
    /// What a tool has promised.
    pub(crate) promise: Promise,
}

/// A request under way.
pub(crate) struct Following {
    pub(super) gateway: Gateway,
    pub(super) asking: Arc<Asking>,
    pub(super) telling: Telling,
    pub(super) answering: Answering,
    pub(super) subject: Subject,
    /// Questions of an earlier round that are still open.
    pub(super) open: Vec<Posed>,
    working: Working,
    channels: Channels,
    run: Option<Run>,
    done: Option<Done>,
    /// The call in the table of those under way, where it may become a task.
    enrolled: Option<Enrolled>,
    due: Option<Due>,
}

impl Following {
    /// Begins to follow a work.
    pub(crate) fn new(
        gateway: Gateway,
        (subject, answering, telling): (Subject, Answering, Telling),
        (work, channels): (Work, Channels),
        asking: Arc<Asking>,
        run: Option<Run>,
    ) -> Self {
        Self {
            gateway,
            asking,
            telling,
            answering,
            subject,
            open: Vec::new(),
            working: Working::InPlace(work),
            channels,
            run,
            done: None,
            enrolled: None,
            due: None,
        }
    }

    /// Lets a call become a task.
    pub(crate) fn due(mut self, due: Due, enrolled: Enrolled) -> Self {
        (self.due, self.enrolled) = (Some(due), Some(enrolled));
        self
    }

    /// Waits for the next word; after `Last`, `Refused` and `Nothing` there is none.
    pub(crate) async fn next(mut self: Box<Self>) -> (Said, Option<Box<Self>>) {
        if !self.open.is_empty() {
            return (self.wait_for_answers(), None);
        }
        loop {
            tokio::select! {
                biased;
                Some(item) = receive(&mut self.channels.items) => {
                    if let Some(text) = self.telling.tell(item) {
                        self.run_alone();
                        return (Said::More(text), Some(self));
                    }
                }
                Some(text) = receive(&mut self.channels.requests) => {
                    self.run_alone();
                    return (Said::More(text), Some(self));
                }
                Some(first) = receive_posed(&mut self.channels.posed) => {
                    self.open.push(first);
                    return (self.pose(), None);
                }
                done = self.working.wait(), if self.done.is_none() => {
                    // What was said before the end is heard before it.
                    self.done = Some(done);
                    if let Some(items) = &mut self.channels.items {
                        items.close();
                    }
                }
                () = std::future::ready(()), if self.done.is_some() => {
                    return (self.answer(), None);
                }
                () = is_due(self.due) => {
                    // What is asked at once is asked before there is a task.
                    if self.next_posed() {
                        return (self.pose(), None);
                    }
                    self = match self.become_task() {
                        Ok(said) => return (said, None),
                        Err(following) => following,
                    };
                }
            }
        }
    }

    /// Waits for what happens next, when nobody waits for the answer.
    pub(super) async fn hear(&mut self) -> Heard {
        tokio::select! {
            biased;
            Some(item) = receive(&mut self.channels.items) => Heard::Item(item),
            Some(posed) = receive_posed(&mut self.channels.posed) => Heard::Posed(posed),
            done = self.working.wait() => Heard::Done(done),
        }
    }

    /// Takes up a question that waits, if there is one.
    fn next_posed(&mut self) -> bool {
        let posed = self.channels.posed.as_mut().and_then(|posed| posed.try_recv().ok());
        let is_there = posed.is_some();
        self.open.extend(posed);
        is_there
    }

    /// Asks what is open, with everything that is asked besides.
    fn pose(mut self: Box<Self>) -> Said {
        self.run_alone();
        while self.next_posed() {}
        self.wait_for_answers()
    }

    /// Lets the call go on as a task; not when its caller has too many of them.
    fn become_task(mut self: Box<Self>) -> Result<Said, Box<Self>> {
        self.due = None;
        let place = self.gateway.0.underway.place_for(&self.subject.visitor);
        let (Some(enrolled), Some(place)) = (self.enrolled.take(), place) else {
            return Err(self);
        };
        self.run_alone();
        let answering = self.answering.clone();
        let task = tasks::drive(self, enrolled, place);
        Ok(Said::Last(tasks::made(&task, &answering)))
    }

    /// Tells whether the work has ended while nobody followed it.
    pub(super) fn is_over(&self) -> bool {
        match &self.working {
            Working::Alone(task) => task.is_finished(),
            Working::InPlace(_) => false,
            Working::Over => true,
        }
    }

    fn run_alone(&mut self) {
        self.working = match std::mem::replace(&mut self.working, Working::Over) {
            Working::InPlace(work) => Working::Alone(AbortOnDropHandle::new(tokio::spawn(work))),
            other => other,
        };
    }

    /// Answers that more must be known first, and keeps the work for when it is.
    fn wait_for_answers(self: Box<Self>) -> Said {
        let requests: Value = self
            .open
            .iter()
            .filter(|posed| !self.asking.has(&posed.name))
            .map(|posed| (posed.name.clone(), posed.request.clone()))
            .collect::<toolsmith_core::Map<_, _>>()
            .into();
        let mut writing = self.answering.begin();
        let gateway = self.gateway.clone();
        match gateway.0.mcp.rounds.keep(self) {
            Ok(state) => {
                writing.put("inputRequests", &requests);
                writing.put("requestState", &state);
                Said::Last(writing.end_as("input_required"))
            }
            Err(refusal) => Said::Refused(refusal),
        }
    }

    fn answer(self: Box<Self>) -> Said {
        if self.run.as_ref().is_some_and(|run| run.token.is_cancelled()) {
            return Said::Nothing;
        }
        let mut writing = self.answering.begin();
        let written = match self.done {
            Some(Done::Call(outcome)) => {
                let Answering { promise, revision, .. } = self.answering;
                telemetry::note(outcome.call_id);
                content::write(&mut writing, &outcome, promise, revision)
            }
            Some(Done::Item(item)) => {
                item.map_err(|error| refused(&error, self.answering.revision)).map(|mut item| {
                    // What others made may hold secrets that were sent to them.
                    self.gateway.0.engine.redactor().value(&mut item);
                    self.subject.write(&mut writing, item);
                })
            }
            Some(Done::Missing) => Err(self.subject.missing(self.answering.revision)),
            None => Err(Refusal::internal("The work ended without a result.")),
        };
        match written {
            Ok(()) => Said::Last(writing.end()),
            Err(refusal) => Said::Refused(refusal),
        }
    }
}

/// Says why there is no prompt or resource.
pub(super) fn refused(error: &ToolError, revision: Revision) -> Refusal {
    let required = error.details().get(super::asking::REQUIRED);
    match required.filter(|_| revision.is_stateless()) {
        Some(required) => Refusal::missing_ability(required),
        None if error.kind() == toolsmith_core::ErrorKind::ValidationError => {
            Refusal::invalid_params(error.message().to_owned())
        }
        None => Refusal::internal(error.message().to_owned()),
    }
}

impl Working {
    async fn wait(&mut self) -> Done {
        let done = match self {
            Self::InPlace(work) => work.await,
            Self::Alone(task) => task.await.unwrap_or_else(|error| {
                tracing::error!(%error, "a request ended without a result");
                Done::Item(Err(ToolError::failed("The request was ended from outside.")))
            }),
            Self::Over => pending().await,
        };
        *self = Self::Over;
        done
    }
}

impl Answering {
    /// Begins the answer.
    pub(super) fn begin(&self) -> Writing {
        Writing::to(Id::from_json(&self.id), self.revision)
    }
}

impl Telling {
    /// Tells nothing.
    pub(crate) fn nothing() -> Self {
        Self { token: None, level: None, tool: Text::default(), done: f64::NEG_INFINITY }
    }

    /// Writes what a call has sent; nothing when the client does not want to hear it.
    fn tell(&mut self, item: StreamItem) -> Option<Vec<u8>> {
        match item {
            StreamItem::Progress { done, total, message } => {
                let token = self.token.as_deref()?;
                if done <= self.done {
                    return None;
                }
                self.done = done;
                let message = Some(message).filter(|message| !message.is_empty());
                let params = HowFar { progress_token: token, progress: done, total, message };
                Some(wire::notification("notifications/progress", &params))
            }
            StreamItem::Chunk(chunk) => {
                self.level.filter(|level| *level <= Level::Info)?;
                let params = json!({ "level": "info", "logger": self.tool, "data": chunk });
                Some(wire::notification("notifications/message", &params))
            }
            StreamItem::Log { level, logger, data } => {
                self.level.filter(|least| *least <= level)?;
                let logger = logger.as_deref().unwrap_or(&self.tool);
                let params = json!({ "level": level, "logger": logger, "data": data });
                Some(wire::notification("notifications/message", &params))
            }
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HowFar<'a> {
    progress_token: &'a RawValue,
    progress: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Subject {
    /// Says that there is no such thing.
    pub(super) fn missing(&self, revision: Revision) -> Refusal {
        if self.is_resource() {
            Refusal::no_resource(&self.name, revision)
        } else {
            Refusal::no_prompt(&self.name)
        }
    }

    /// Writes what was found.
    fn write(&self, writing: &mut Writing, item: Value) {
        if let Value::Object(members) = item {
            writing.put_all(members);
        }
        if self.is_resource() {
            writing.holds(Freshness::Now);
        }
    }
}

async fn is_due(due: Option<Due>) {
    match due {
        Some(Due::Soon) => {}
        Some(Due::At(moment)) => sleep_until(moment).await,
        None => pending().await,
    }
}

async fn receive<T>(channel: &mut Option<mpsc::Receiver<T>>) -> Option<T> {
    match channel {
        Some(channel) => channel.recv().await,
        None => pending().await,
    }
}

async fn receive_posed(channel: &mut Option<mpsc::UnboundedReceiver<Posed>>) -> Option<Posed> {
    match channel {
        Some(channel) => channel.recv().await,
        None => pending().await,
    }
}

impl std::fmt::Debug for Following {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Following").field("answering", &self.answering).finish_non_exhaustive()
    }
}
