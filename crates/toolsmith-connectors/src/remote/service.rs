//! Forwards calls to a service elsewhere.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::{net::TcpStream, time::timeout};
use toolsmith_core::{BoxFuture, Secret, Template, ToolError, Value, Vault};
use toolsmith_net::Client;
use url::Url;

use crate::{
    endpoint::{Convention, Endpoint, Health},
    life::{Failure, Source},
};

/// A service elsewhere.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) client: Client,
    pub(super) vault: Vault,
    pub(super) url: Template,
    pub(super) convention: Convention,
    pub(super) health: Health,
    pub(super) headers: Vec<(String, Template)>,
    pub(super) token: Option<Template>,
    /// Whether the last call did not reach it, or had no answer.
    pub(super) is_suspect: AtomicBool,
    /// Whether the last call had an answer.
    pub(super) is_reached: AtomicBool,
}

impl Remote {
    async fn call(&self, input: Value) -> Result<Value, Failure> {
        let endpoint = self.endpoint().map_err(Failure::Unreached)?;
        if self.is_suspect.load(Ordering::Relaxed) {
            self.check(&endpoint).await.map_err(Failure::Unreached)?;
        }
        let result = endpoint.call(&input).await;
        let is_lost = matches!(result, Err(Failure::Unreached(_) | Failure::Lost(_)));
        self.is_suspect.store(is_lost, Ordering::Relaxed);
        self.is_reached.store(!is_lost, Ordering::Relaxed);
        result
    }

    /// Asks whether it can be reached at all, unless the last call has shown that.
    async fn knock(&self) -> Result<(), ToolError> {
        if self.is_reached.load(Ordering::Relaxed) {
            return Ok(());
        }
        let endpoint = self.endpoint()?;
        let unreached = || ToolError::upstream(format!("{} could not be reached.", endpoint.who));
        let url = Url::parse(endpoint.base.expose()).map_err(|_| unreached())?;
        let port = url.port_or_known_default().unwrap_or_default();
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let door = TcpStream::connect((host, port)).await;
        door.map(drop).map_err(|error| unreached().with_source(error))
    }

    /// Asks for its health, where it has such a check: a call that may do something is not a probe.
    async fn check(&self, endpoint: &Endpoint) -> Result<(), ToolError> {
        let Some(path) = &self.health.path else { return Ok(()) };
        let answer = timeout(self.health.timeout, endpoint.probe(path)).await;
        let why = match answer {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) => why,
            Err(_) => format!("its health check `{path}` gave no answer"),
        };
        Err(ToolError::upstream(format!("{} is not well: {why}. Try again later.", endpoint.who)))
    }

    fn endpoint(&self) -> Result<Endpoint, ToolError> {
        let filled = self.vault.fill(&self.url)?;
        let mut headers = Vec::with_capacity(self.headers.len() + 1);
        for (name, value) in &self.headers {
            headers.push((name.clone(), self.vault.fill(value)?));
        }
        if let Some(token) = &self.token {
            let token = self.vault.fill(token)?;
            let value = Secret::new(format!("Bearer {}", token.expose()));
            headers.push(("authorization".to_owned(), value));
        }
        Ok(Endpoint {
            who: format!("`{}`", self.url),
            client: self.client.clone(),
            base: Secret::new(filled.expose().trim_end_matches('/').to_owned()),
            convention: self.convention.clone(),
            headers,
            redactor: self.vault.redactor().clone(),
        })
    }
}

impl Source for Remote {
    fn come_up(&self) -> BoxFuture<'_, Result<(), ToolError>> {
        Box::pin(self.knock())
    }

    fn attempt(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>> {
        Box::pin(self.call(input))
    }
}
