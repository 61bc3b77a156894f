//! The task beside a service: starts it, watches it, stops it.

use std::{future::pending, sync::Arc, time::Duration};

use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{ErrorKind, ToolError};

use super::{
    Held, State,
    backend::{End, Started},
    shared::{Note, Parts, Shared},
};

/// How often a service that seems well is asked.
const EVERY: Duration = Duration::from_secs(15);

/// How soon one that did not answer is asked again.
const RECHECK: Duration = Duration::from_millis(500);

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often in a row it may leave the question unanswered.
const CHANCES: u32 = 2;

/// How long the news of an end may take that has happened already.
const NEWS: Duration = Duration::from_millis(500);

/// Starts a service and stays with it until it has ended.
pub(super) async fn keep(shared: Arc<Shared>, stop: CancellationToken) {
    shared.parts.log.clear();
    let started = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        started = start(&shared) => Some(started),
    };
    match started {
        None => shared.end(None),
        Some(Err(error)) => shared.fail(error, Duration::ZERO),
        Some(Ok((started, _needs))) => {
            let next_probe = Instant::now() + EVERY;
            let note = note(&started, State::Running);
            shared.run(Arc::clone(&started.line), stop.clone(), note);
            Keeper { shared, started, stop, next_probe, misses: 0, since: Instant::now() }
                .watch()
                .await;
        }
    }
}

/// Starts what a service needs, which is held for as long as it runs, and then the service itself.
async fn start(shared: &Shared) -> Result<(Started, Vec<Held>), ToolError> {
    let Parts { tool, needs, backend, log, .. } = &shared.parts;
    let mut held = Vec::new();
    for need in needs {
        let Some(started) = shared.services.start(need).await else { continue };
        held.push(started.map_err(|error| {
            let message = format!(
                "`{tool}` was not started, since `{need}`, which it depends on, did not start: {}",
                error.message()
            );
            ToolError::new(ErrorKind::DependencyError, message)
                .with_advice(error.advice())
                .with_details(error.details().clone())
        })?);
    }
    Ok((backend.start(log).await?, held))
}

struct Keeper {
    shared: Arc<Shared>,
    started: Started,
    stop: CancellationToken,
    next_probe: Instant,
    /// How often in a row it did not answer.
    misses: u32,
    since: Instant,
}

/// What happens next to a service that runs.
enum Turn {
    Ended(End),
    Stop,
    Idle,
    Probe,
    Well,
    Sick(String),
}

impl Keeper {
    async fn watch(mut self) {
        let mut turn = self.wait().await;
        loop {
            turn = match turn {
                Turn::Ended(end) => {
                    let error = self.shared.death(&end);
                    // First the news, for which callers wait; what is left goes after it.
                    self.shared.fail(error, self.since.elapsed());
                    return self.started.life.stop().await;
                }
                Turn::Stop => {
                    self.shared.begin_stop();
                    self.shared.drain().await;
                    self.started.life.stop().await;
                    return self.shared.end(None);
                }
                Turn::Idle => {
                    let idle = self.shared.parts.rules.idle.unwrap_or(Duration::MAX);
                    if self.shared.begin_stop_if_idle(idle) {
                        self.started.life.stop().await;
                        let why = format!("nobody needed it for {} s", idle.as_secs_f64());
                        return self.shared.end(Some(why));
                    }
                    self.wait().await
                }
                Turn::Probe => self.probe().await,
                Turn::Well => {
                    self.misses = 0;
                    self.next_probe = Instant::now() + EVERY;
                    self.shared.tell_health(note(&self.started, State::Running));
                    self.wait().await
                }
                Turn::Sick(why) => {
                    self.misses += 1;
                    if self.misses >= CHANCES && self.shared.begin_stop_if_useless() {
                        return self.give_up(&why).await;
                    }
                    self.next_probe = Instant::now() + RECHECK;
                    let note = note(&self.started, State::Unhealthy);
                    self.shared.tell_health(Note { why: Some(why), ..note });
                    self.wait().await
                }
            };
        }
    }

    async fn wait(&mut self) -> Turn {
        let idle = async {
            match self.shared.idle_at() {
                Some(moment) => sleep_until(moment).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            end = self.started.life.ended() => Turn::Ended(end),
            () = self.stop.cancelled() => Turn::Stop,
            () = self.shared.suspicion.notified() => Turn::Probe,
            () = sleep_until(self.next_probe) => Turn::Probe,
            () = idle => Turn::Idle,
        }
    }

    async fn probe(&mut self) -> Turn {
        let asked = timeout(PATIENCE, self.started.line.probe());
        tokio::select! {
            biased;
            end = self.started.life.ended() => Turn::Ended(end),
            () = self.stop.cancelled() => Turn::Stop,
            answer = asked => match answer {
                Ok(Ok(())) => Turn::Well,
                Ok(Err(why)) => Turn::Sick(why),
                Err(_) => Turn::Sick("its health check gave no answer".to_owned()),
            },
        }
    }

    /// Ends a service that does not answer any more.
    async fn give_up(mut self, why: &str) {
        // One that has ended gives no answer either; how it ended says more.
        if let Ok(end) = timeout(NEWS, self.started.life.ended()).await {
            self.shared.fail(self.shared.death(&end), self.since.elapsed());
            return self.started.life.stop().await;
        }
        // It had its time; who does not answer does not end when asked, either.
        drop(self.started.life);
        let (noun, tool) = (self.shared.parts.backend.noun(), &self.shared.parts.tool);
        let message = format!("The {noun} of `{tool}` was ended: {why}.");
        let error = self.shared.parts.log.explain(message, &End::default());
        self.shared.fail(error, self.since.elapsed());
    }
}

fn note(started: &Started, state: State) -> Note {
    Note { state, pid: started.pid, port: started.port, why: None }
}
