//! What people agreed to: bound to caller, tool version and exact input, used once, expiring.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};
use toolsmith_core::{CallId, Context, ErrorKind, JsonText, Text, Timestamp, ToolError, json};

use crate::time::later;

/// More requests than this are refused, in all and of one caller: nobody could look at them, and a
/// caller could fill the memory or take the places of the others.
const MOST_OPEN: usize = 1_000;
const MOST_OF_ONE: usize = 500;

/// The longest input, in bytes: nobody agrees to what cannot be shown whole.
const LONGEST_INPUT: usize = 64 << 10;

/// The requests that wait for a person, and the grants that wait for their call.
#[derive(Clone, Debug, Default)]
pub struct Approvals(Arc<Table>);

#[derive(Debug, Default)]
struct Table {
    requests: Mutex<HashMap<CallId, Request>>,
    /// Wakes whoever waits for a decision.
    decided: Notify,
}

/// A call that a person is asked about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pending {
    /// The identifier to decide by.
    pub approval_id: CallId,
    /// The tool.
    pub tool_name: Text,
    /// Its version.
    pub version: Text,
    /// The input, without secrets and cut when it is long.
    pub input: JsonText,
    /// Who calls.
    pub caller_id: Option<Text>,
    /// The person behind the caller.
    pub user_id: Option<Text>,
    /// Why a person is asked.
    pub reason: Text,
    /// When the call was made.
    pub requested_at: Timestamp,
    /// Until when it can be decided, and the grant be used.
    pub expires_at: Timestamp,
}

#[derive(Debug)]
struct Request {
    pending: Pending,
    /// The exact input; what is shown to people is cleaned and cut.
    input: JsonText,
    scope: String,
    until: Instant,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Granted,
    Denied,
    /// A call has taken the grant and has not run yet.
    Taken,
}

/// What a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call may run once.
    Grant,
    /// The call may not run.
    Deny,
}

/// A call that needs a decision.
pub(crate) struct Question<'a> {
    pub(crate) call_id: CallId,
    pub(crate) tool_name: &'a Text,
    pub(crate) version: &'a Text,
    pub(crate) input: &'a JsonText,
    pub(crate) shown: JsonText,
    pub(crate) context: &'a Context,
    pub(crate) reason: Text,
    pub(crate) at: Timestamp,
    pub(crate) expires: Duration,
}

impl Approvals {
    /// Returns the requests that wait for a decision, the oldest first.
    pub fn pending(&self) -> Vec<Pending> {
        let now = Instant::now();
        let requests = self.0.requests.lock();
        let open = requests.values().filter(|r| r.state == State::Open && r.until > now);
        let mut pending: Vec<Pending> = open.map(|request| request.pending.clone()).collect();
        pending.sort_by_key(|pending| pending.approval_id);
        pending
    }

    /// Returns the request of that identifier, as long as it waits for a decision.
    pub fn get(&self, id: CallId) -> Option<Pending> {
        let requests = self.0.requests.lock();
        let request = requests.get(&id)?;
        let is_open = request.state == State::Open && request.until > Instant::now();
        is_open.then(|| request.pending.clone())
    }

    /// Waits until a request is decided; nothing when it is not there, or when its time is over.
    pub async fn decided(&self, id: CallId) -> Option<Decision> {
        loop {
            let news = self.0.decided.notified();
            tokio::pin!(news);
            // Enabled before the look: a decision that comes during it wakes as well.
            news.as_mut().enable();
            let until = {
                let requests = self.0.requests.lock();
                let request = requests.get(&id)?;
                match request.state {
                    State::Open => request.until,
                    State::Granted | State::Taken => return Some(Decision::Grant),
                    State::Denied => return Some(Decision::Deny),
                }
            };
            timeout_at(until, news).await.ok()?;
        }
    }

    /// Decides a request, and returns whose call it is; the caller cannot decide about its own.
    pub(crate) fn decide(
        &self,
        id: CallId,
        decision: Decision,
        by: &str,
    ) -> Result<Option<Text>, ToolError> {
        let mut requests = self.0.requests.lock();
        let request = requests
            .get_mut(&id)
            .filter(|request| request.state == State::Open && request.until > Instant::now())
            .ok_or_else(|| {
                ToolError::failed(format!(
                    "No open approval has the id {id}; it may be decided or expired already."
                ))
            })?;
        let asked = [&request.pending.caller_id, &request.pending.user_id];
        if asked.into_iter().flatten().any(|who| who == by) {
            return Err(ToolError::denied(
                "A caller cannot approve its own call; ask someone else.",
            ));
        }
        request.state = match decision {
            Decision::Grant => State::Granted,
            Decision::Deny => State::Denied,
        };
        self.0.decided.notify_waiters();
        Ok(request.pending.caller_id.clone())
    }

    /// Takes the grant for exactly this call, or says that a person must agree first.
    ///
    /// Whoever has none must be let ask: nothing is looked at for a caller that asks too often.
    pub(crate) fn take(
        &self,
        question: &Question<'_>,
        scope: String,
        may_ask: impl FnOnce() -> Result<(), ToolError>,
    ) -> Result<Grant, ToolError> {
        let now = Instant::now();
        let mut requests = self.0.requests.lock();
        requests.retain(|_, request| request.until > now);
        let found = requests.values_mut().find(|request| {
            request.scope == scope
                && request.pending.tool_name == *question.tool_name
                && request.pending.version == *question.version
                && request.input == *question.input
                && request.state != State::Taken
        });
        if let Some(request) = found {
            if request.state == State::Granted {
                request.state = State::Taken;
                let id = Some(request.pending.approval_id);
                return Ok(Grant { approvals: self.clone(), id });
            }
            may_ask()?;
            return Err(match request.state {
                State::Denied => ToolError::denied(
                    "A person looked at this call and denied it; do something else.",
                ),
                _ => required(request.pending.approval_id),
            });
        }
        may_ask()?;
        if question.input.as_str().len() > LONGEST_INPUT {
            return Err(ToolError::new(
                ErrorKind::ValidationError,
                format!(
                    "A person must agree to this call, and its input is too long to be looked at; \
                     send at most {LONGEST_INPUT} bytes."
                ),
            ));
        }
        let own = requests.values().filter(|request| request.scope == scope).count();
        if requests.len() >= MOST_OPEN || own >= MOST_OF_ONE {
            return Err(ToolError::new(
                ErrorKind::Rejected,
                "Too many calls wait for approval; try again when some are decided.",
            ));
        }
        requests.insert(question.call_id, question.open(scope, now));
        Err(required(question.call_id))
    }
}

impl Question<'_> {
    fn open(&self, scope: String, now: Instant) -> Request {
        Request {
            pending: Pending {
                approval_id: self.call_id,
                tool_name: self.tool_name.clone(),
                version: self.version.clone(),
                input: self.shown.clone(),
                caller_id: self.context.caller_id.clone(),
                user_id: self.context.user_id.clone(),
                reason: self.reason.clone(),
                requested_at: self.at,
                expires_at: self.at.plus(self.expires),
            },
            input: self.input.clone(),
            scope,
            until: later(now, self.expires),
            state: State::Open,
        }
    }
}

fn required(id: CallId) -> ToolError {
    ToolError::new(
        ErrorKind::ApprovalRequired,
        "A person must agree to this call first; repeat the same call once they have agreed.",
    )
    .with_details(json!({ "approval_id": id }))
}

/// A grant that was taken; given back unless the tool is run with it.
#[derive(Debug, Default)]
pub(crate) struct Grant {
    approvals: Approvals,
    id: Option<CallId>,
}

impl Grant {
    /// Uses the grant up: the tool is about to run.
    pub(crate) fn spend(mut self) {
        if let Some(id) = self.id.take() {
            self.approvals.0.requests.lock().remove(&id);
        }
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        if let Some(request) = self.approvals.0.requests.lock().get_mut(&id) {
            request.state = State::Granted;
        }
    }
}
