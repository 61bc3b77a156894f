//! How a task is, in the words of each revision.

use std::time::Duration;

use toolsmith_core::{ErrorKind, Map, Outcome, Value, json};

use super::task::Task;
use crate::{
    Gateway,
    mcp::{refusal::Refusal, revision::Revision, tools::content, wire::Id, writing::Writing},
    underway::Progress,
};

/// How often a client should ask.
const POLL: Duration = Duration::from_millis(500);

/// How a task is.
pub(super) enum Standing {
    /// It goes on.
    Working,
    /// It asks something.
    Asking(Value),
    /// It has a result.
    Completed(Map<String, Value>),
    /// It could not even be a call.
    Failed(Refusal),
    /// It was taken back.
    Cancelled,
}

impl Standing {
    fn name(&self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Asking(_) => "input_required",
            Self::Completed(_) => "completed",
            Self::Failed(_) => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Task {
    /// Returns how it is; nothing when what came of it is no longer known.
    pub(super) async fn standing(&self, gateway: &Gateway) -> Option<Standing> {
        {
            let state = self.state.lock();
            if let Some(broken) = &state.broken {
                return Some(Standing::Failed(broken.clone()));
            }
            if !state.open.is_empty() {
                let asked = state.open.iter();
                let asked = asked.map(|posed| (posed.name.clone(), posed.request.clone()));
                return Some(Standing::Asking(asked.collect::<Map<_, _>>().into()));
            }
        }
        match gateway.0.underway.look_up(self.id) {
            Some((_, Progress::Running)) => Some(Standing::Working),
            Some((_, Progress::Finished(outcome))) => Some(self.settled(&outcome)),
            // Many others have ended since; its record still knows.
            None => {
                let record = gateway.store().ok()?.record(self.id).await.ok()??;
                Some(self.settled(&crate::http::outcome_of(&record)))
            }
        }
    }

    fn settled(&self, outcome: &Outcome) -> Standing {
        let is_cancelled =
            outcome.result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Cancelled);
        if is_cancelled {
            return Standing::Cancelled;
        }
        let revision = self.answering.revision;
        let mut writing = Writing::to(Id::from_json("0"), revision);
        if let Err(refusal) =
            content::write(&mut writing, outcome, self.answering.promise, revision)
        {
            return Standing::Failed(refusal);
        }
        let mut answer: Value = serde_json::from_slice(&writing.end()).unwrap_or_default();
        match answer.get_mut("result").map(Value::take) {
            Some(Value::Object(result)) => Standing::Completed(result),
            _ => Standing::Failed(Refusal::internal("The result cannot be written.")),
        }
    }

    /// Returns what is told of it, without what came of it.
    pub(super) fn shown(&self, standing: &Standing, revision: Revision) -> Map<String, Value> {
        let (ttl, poll) = if revision.is_stateless() {
            ("ttlMs", "pollIntervalMs")
        } else {
            ("ttl", "pollInterval")
        };
        let millis = u64::try_from(self.lifetime().as_millis()).unwrap_or(u64::MAX);
        let state = self.state.lock();
        let mut shown = Map::new();
        let mut put = |name: &str, value| shown.insert(name.to_owned(), value);
        put("taskId", json!(self.id));
        put("status", json!(standing.name()));
        if let Some(message) = &state.message {
            put("statusMessage", json!(message));
        }
        put("createdAt", json!(self.created));
        put("lastUpdatedAt", json!(state.updated));
        put(ttl, json!(millis));
        put(poll, json!(u64::try_from(POLL.as_millis()).unwrap_or(u64::MAX)));
        shown
    }
}
