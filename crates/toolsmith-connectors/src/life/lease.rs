//! The right to call a service; whoever asks for it first starts the service.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolsmith_core::ToolError;

use super::{
    State,
    backend::Line,
    keeper,
    shared::{Note, Phase, Shared},
};

/// What a caller finds.
enum Found {
    Lease(Lease),
    Wait(Arrival),
    Refusal(ToolError),
}

/// Whether a caller has waited for a start already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrival {
    Fresh,
    /// It waited for the start with this number.
    During(u64),
}

impl Shared {
    /// Returns the service when it runs; starts it when it does not, and waits.
    pub(super) async fn lease(self: &Arc<Self>) -> Result<Lease, ToolError> {
        let mut news = self.news.subscribe();
        let mut arrival = Arrival::Fresh;
        loop {
            match self.find(arrival) {
                Found::Lease(lease) => return Ok(lease),
                Found::Refusal(error) => return Err(error),
                Found::Wait(waited) => arrival = waited,
            }
            // The sender lives as long as `self`.
            news.changed().await.ok();
        }
    }

    fn find(self: &Arc<Self>, arrival: Arrival) -> Found {
        let mut inner = self.inner.lock();
        match &inner.phase {
            Phase::Running(line, _) => {
                let (line, run) = (Arc::clone(line), inner.run);
                inner.in_flight += 1;
                let shared = Arc::clone(self);
                let purpose = Purpose::Call;
                return Found::Lease(Lease { shared, line, run, purpose, is_answered: false });
            }
            Phase::Starting(_) => return Found::Wait(Arrival::During(inner.run)),
            // Whoever comes while it stops is the first caller of the next start.
            Phase::Stopping => return Found::Wait(Arrival::Fresh),
            Phase::Failed(error) if arrival != Arrival::Fresh => {
                return Found::Refusal(error.clone());
            }
            Phase::Stopped if arrival == Arrival::During(inner.run) => {
                return Found::Refusal(self.stopped("while it was being started"));
            }
            Phase::Failed(error) => {
                if let Some(rest) = inner.backoff.rest() {
                    return Found::Refusal(resting(error, inner.backoff.failures(), rest));
                }
            }
            Phase::Stopped => {}
        }
        if inner.is_closed || self.services.is_closed() {
            return Found::Refusal(closed(&self.parts.tool));
        }
        let stop = CancellationToken::new();
        inner.run += 1;
        let run = inner.run;
        inner.phase = Phase::Starting(stop.clone());
        let status = self.note(&mut inner, Note { state: State::Starting, ..Note::default() });
        drop(inner);
        self.services.tell(&status);
        self.services.spawn(keeper::keep(Arc::clone(self), stop));
        Found::Wait(Arrival::During(run))
    }
}

/// The right to call a service that runs.
pub(super) struct Lease {
    shared: Arc<Shared>,
    pub(super) line: Arc<dyn Line>,
    pub(super) run: u64,
    purpose: Purpose,
    pub(super) is_answered: bool,
}

/// What a lease is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Call,
    Hold,
}

impl Lease {
    /// Returns the lease of somebody who calls nothing and only keeps it running.
    pub(super) fn into_hold(mut self) -> Self {
        let mut inner = self.shared.inner.lock();
        inner.in_flight = inner.in_flight.saturating_sub(1);
        inner.holders += 1;
        drop(inner);
        self.purpose = Purpose::Hold;
        self.is_answered = true;
        self
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        {
            let mut inner = self.shared.inner.lock();
            match self.purpose {
                Purpose::Call => inner.in_flight = inner.in_flight.saturating_sub(1),
                Purpose::Hold => inner.holders = inner.holders.saturating_sub(1),
            }
            inner.last_used = Instant::now();
            if !self.is_answered {
                inner.forsaken = inner.forsaken.saturating_add(1);
            }
        }
        self.shared.news.send_replace(());
        // A call that was given up, or whose answer never came: is the service still well?
        if !self.is_answered {
            self.shared.suspicion.notify_one();
        }
    }
}

/// Says why a service is down and when it is tried again.
fn resting(error: &ToolError, failures: u32, rest: Duration) -> ToolError {
    let message = format!(
        "{}\nIt failed {failures} times in a row and is started again in {:.0} s.",
        error.message(),
        rest.as_secs_f64().ceil()
    );
    error.clone().with_message(message).with_retry_after(rest)
}

fn closed(tool: &str) -> ToolError {
    ToolError::upstream(format!("`{tool}` is being stopped for good; nothing is started."))
}
