//! A service: started by the first call that needs it, and shared by all.

use std::{fmt, sync::Arc, time::Duration};

use toolsmith_core::{BoxFuture, ToolError, ToolSpec, Value};

use super::{
    Services,
    backend::{Backend, Failure, Source},
    log::Log,
    shared::{Parts, Shared},
};

/// How long a service lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// How long it may stand idle; for ever when nothing is said.
    pub(crate) idle: Option<Duration>,
    /// How long calls under way may take when it is stopped.
    pub(crate) drain: Duration,
}

/// The service of a tool; dropping it stops the service.
pub(crate) struct Service(Arc<Shared>);

impl Service {
    /// Prepares a service; nothing is started.
    pub(crate) fn new(
        services: &Services,
        tool: &ToolSpec,
        backend: Box<dyn Backend>,
        rules: Rules,
        log: Log,
    ) -> Self {
        let needs = tool.depends_on.iter().map(|need| need.name.text().clone()).collect();
        let tool = tool.name.text().clone();
        let parts = Parts { tool, needs, backend, rules, log: Arc::new(log) };
        Self(services.register(|id| Shared::new(id, parts, services)))
    }

    async fn call(&self, input: Value) -> Result<Value, Failure> {
        let mut lease = self.0.lease().await.map_err(Failure::Unreached)?;
        let result = tokio::select! {
            biased;
            result = lease.line.call(input) => Some(result),
            // A service that is lost need not break its connections.
            () = self.0.outlive(lease.run) => None,
        };
        let result = result.unwrap_or_else(|| {
            Err(Failure::Lost(self.0.stopped("before it answered; the call may have run")))
        });
        lease.is_answered = matches!(result, Ok(_) | Err(Failure::Answered(_)));
        if lease.is_answered {
            self.0.note_answer();
            return result;
        }
        let run = lease.run;
        drop(lease);
        let Some(error) = self.0.end_of(run).await else { return result };
        Err(match result {
            Err(Failure::Unreached(_)) => Failure::Unreached(error),
            _ => Failure::Lost(error),
        })
    }
}

impl Source for Service {
    fn come_up(&self) -> BoxFuture<'_, Result<(), ToolError>> {
        Box::pin(async move {
            let mut lease = self.0.lease().await?;
            // Nothing was asked of it, so that no answer is missing.
            lease.is_answered = true;
            Ok(())
        })
    }

    fn attempt(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>> {
        Box::pin(self.call(input))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Service").field(&self.0.parts.tool).finish()
    }
}
