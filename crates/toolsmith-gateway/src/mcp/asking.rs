//! Asks the client what a running tool wants to know.
//!
//! In a session the question is a request on the stream of the call. Where requests stand for
//! themselves, the question is the result of the call, and the client calls again with the answers.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use toolsmith_core::{Answer, Askable, Asker, BoxFuture, Map, Question, ToolError, Value, json};

use super::{meta::Abilities, session::Session, wire};

/// Under which name a failure says what the client would have to be able to do.
pub(super) const REQUIRED: &str = "required_capabilities";

/// Asks a client.
pub(crate) struct Asking {
    abilities: Abilities,
    way: Way,
}

/// How questions reach the client.
enum Way {
    /// They do not.
    None,
    /// As requests on the stream of the call.
    Stream { session: Arc<Session>, sender: mpsc::Sender<Vec<u8>> },
    /// As the result of the call.
    Rounds {
        given: Mutex<Map<String, Value>>,
        posed: mpsc::UnboundedSender<Posed>,
        next: AtomicU32,
    },
}

/// A question that waits for the next round.
pub(crate) struct Posed {
    /// The name that the answer will have.
    pub(crate) name: String,
    /// The method and its parameters.
    pub(crate) request: Value,
    /// Where the answer goes.
    pub(crate) answer: oneshot::Sender<Value>,
}

impl Asking {
    /// Makes one for clients that cannot be asked anything.
    pub(crate) fn nobody() -> Self {
        Self { abilities: Abilities::default(), way: Way::None }
    }

    /// Asks on the stream of a call of a session.
    pub(crate) fn on_stream(session: Arc<Session>, sender: mpsc::Sender<Vec<u8>>) -> Self {
        Self { abilities: session.abilities, way: Way::Stream { session, sender } }
    }

    /// Asks by rounds; some answers may have come with the call already.
    pub(crate) fn in_rounds(
        abilities: Abilities,
        given: Map<String, Value>,
        posed: mpsc::UnboundedSender<Posed>,
    ) -> Self {
        let way = Way::Rounds { given: Mutex::new(given), posed, next: AtomicU32::new(1) };
        Self { abilities, way }
    }

    /// Takes answers that came with a later round.
    pub(crate) fn give(&self, more: Map<String, Value>) {
        if let Way::Rounds { given, .. } = &self.way {
            given.lock().extend(more);
        }
    }

    /// Takes the answer of that name, if it was given.
    pub(crate) fn take(&self, name: &str) -> Option<Value> {
        match &self.way {
            Way::Rounds { given, .. } => given.lock().remove(name),
            _ => None,
        }
    }

    /// Tells whether the answer of that name was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        matches!(&self.way, Way::Rounds { given, .. } if given.lock().contains_key(name))
    }

    /// Tells whether a person can be asked to fill in a form.
    pub(crate) fn takes_forms(&self) -> bool {
        self.abilities.form && !matches!(self.way, Way::None)
    }

    async fn put(&self, name: Option<&str>, method: &str, params: Value) -> Option<Value> {
        match &self.way {
            Way::None => None,
            Way::Stream { session, sender } => {
                let (asked, returned) = session.ask();
                let request = wire::request(asked.number, method, &params);
                sender.send(request).await.ok()?;
                returned.await.ok()?.ok()
            }
            Way::Rounds { posed, next, .. } => {
                let name = name.map_or_else(
                    || format!("question-{}", next.fetch_add(1, Relaxed)),
                    str::to_owned,
                );
                if let Some(answer) = self.take(&name) {
                    return Some(answer);
                }
                let (answer, answered) = oneshot::channel();
                let request = json!({ "method": method, "params": params });
                posed.send(Posed { name, request, answer }).ok()?;
                answered.await.ok()
            }
        }
    }

    async fn elicit(&self, name: Option<String>, question: Question) -> Answer {
        let (is_able, params) = match question {
            Question::Form { message, schema, .. } => {
                let params = json!({ "message": message, "requestedSchema": schema });
                (self.abilities.form, params)
            }
            Question::Visit { message, url, .. } => {
                let id = format!("visit-{:016x}", fastrand::u64(..));
                let params =
                    json!({ "mode": "url", "message": message, "url": url, "elicitationId": id });
                (self.abilities.visit, params)
            }
            _ => (false, Value::Null),
        };
        if !is_able {
            return Answer::Decline;
        }
        match self.put(name.as_deref(), "elicitation/create", params).await {
            Some(answer) => read(answer),
            None => Answer::Cancel,
        }
    }

    async fn request(
        &self,
        name: Option<String>,
        method: &'static str,
        params: Value,
    ) -> Result<Value, ToolError> {
        let answer = self.put(name.as_deref(), method, params).await;
        answer.ok_or_else(|| ToolError::failed("The client did not answer what it was asked."))
    }
}

/// Reads what came of a question.
fn read(mut answer: Value) -> Answer {
    match answer.get("action").and_then(Value::as_str) {
        Some("accept") => {
            Answer::Accept(answer.get_mut("content").map(Value::take).unwrap_or_default())
        }
        Some("decline") => Answer::Decline,
        _ => Answer::Cancel,
    }
}

/// The client did not declare what would be needed.
fn unable(capability: &str) -> ToolError {
    let message =
        format!("The client cannot be asked for this: it does not declare `{capability}`.");
    ToolError::failed(message).with_details(json!({ REQUIRED: { capability: {} } }))
}

impl Asker for Asking {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(self.elicit(None, question))
    }

    fn askable(&self) -> Askable {
        let Abilities { form, visit, sampling, roots, .. } = self.abilities;
        Askable { form, visit, sampling, roots }
    }

    fn sample(&self, request: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        if !self.abilities.sampling {
            return Box::pin(async { Err(unable("sampling")) });
        }
        Box::pin(self.request(None, "sampling/createMessage", request))
    }

    fn ask_as(&self, name: &str, question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(self.elicit(Some(name.to_owned()), question))
    }

    fn sample_as(&self, name: &str, request: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        if !self.abilities.sampling {
            return Box::pin(async { Err(unable("sampling")) });
        }
        Box::pin(self.request(Some(name.to_owned()), "sampling/createMessage", request))
    }

    fn roots_as(&self, name: &str) -> BoxFuture<'_, Result<Value, ToolError>> {
        if !self.abilities.roots {
            return Box::pin(async { Err(unable("roots")) });
        }
        Box::pin(self.request(Some(name.to_owned()), "roots/list", json!({})))
    }
}

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asking").field("abilities", &self.abilities).finish_non_exhaustive()
    }
}

impl fmt::Debug for Posed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Posed").field("name", &self.name).finish_non_exhaustive()
    }
}
