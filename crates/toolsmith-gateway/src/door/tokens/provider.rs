//! Where the keys of an issuer come from, and when they are fetched again.
//!
//! Keys are kept. They are fetched when there are none, when they have become old, and when a
//! token names one that is not among them; never more often than the pause allows, and never
//! twice at once. What was known stays good while the issuer cannot be reached.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
    time::{Instant, timeout},
};
use tokio_util::task::TaskTracker;
use toolsmith_net::{Client, Guard, Request, Url};

use super::jwk::{Jwk, read_set};

/// How old keys may become before they are fetched again.
const FRESH: Duration = Duration::from_mins(10);

/// How long a fetch may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The largest set of keys, and the largest description of an issuer.
const MOST_BYTES: usize = 1 << 20;

/// Where the keys of an issuer are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// Where the issuer's own description says.
    Discovered,
    /// At an address.
    Address(String),
    /// In a file.
    File(PathBuf),
}

/// The keys of one issuer; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Provider(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    issuer: String,
    source: KeySource,
    client: Client,
    pause: Duration,
    known: ArcSwap<Known>,
    /// Why the last fetch brought nothing, if it did not.
    trouble: Mutex<Option<String>>,
    /// When a fetch began last, whatever came of it.
    tried_at: Mutex<Option<Instant>>,
    /// One fetches at a time, and those who wait share what it brings.
    turn: Arc<Semaphore>,
    /// Fetches go on when the request that wanted them is gone: who hangs up early must not keep
    /// others from fresh keys.
    fetches: TaskTracker,
}

/// The keys that are known.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) keys: Vec<Jwk>,
    fetched_at: Option<Instant>,
}

impl Provider {
    pub(super) fn new(issuer: String, source: KeySource, client: Client, pause: Duration) -> Self {
        Self(Arc::new(Inner {
            issuer,
            source,
            client,
            pause,
            known: ArcSwap::default(),
            trouble: Mutex::new(None),
            tried_at: Mutex::new(None),
            turn: Arc::new(Semaphore::new(1)),
            fetches: TaskTracker::new(),
        }))
    }

    /// Returns the keys, which may be none when they could never be fetched.
    pub(super) async fn keys(&self) -> Arc<Known> {
        let known = self.0.known.load_full();
        let is_fresh = known.fetched_at.is_some_and(|at| at.elapsed() < FRESH);
        // While somebody else fetches, old keys are better than waiting.
        if is_fresh || (known.fetched_at.is_some() && self.0.turn.available_permits() == 0) {
            return known;
        }
        self.fetch().await
    }

    /// Fetches the keys, unless that was tried a moment ago.
    pub(super) async fn fetch(&self) -> Arc<Known> {
        let Ok(turn) = Arc::clone(&self.0.turn).acquire_owned().await else {
            return self.0.known.load_full();
        };
        if let Some(fetching) = self.begin(turn) {
            fetching.await.ok();
        }
        self.0.known.load_full()
    }

    /// Says why there are no fresh keys, if that is so; who never had any begins to fetch them.
    pub(super) fn trouble(&self) -> Option<String> {
        let has_keys = self.0.known.load().fetched_at.is_some();
        if !has_keys && let Ok(turn) = Arc::clone(&self.0.turn).try_acquire_owned() {
            self.begin(turn);
        }
        self.0.trouble.lock().clone()
    }

    /// Begins a fetch, unless one was tried a moment ago.
    fn begin(&self, turn: OwnedSemaphorePermit) -> Option<JoinHandle<()>> {
        let inner = Arc::clone(&self.0);
        let fetching = async move {
            inner.fetch().await;
            drop(turn);
        };
        self.0.begins().then(|| self.0.fetches.spawn(fetching))
    }

    /// Reads the keys of a file; those of other places are fetched when they are needed.
    pub(super) async fn check(&self) -> Result<(), String> {
        match self.0.source {
            KeySource::File(_) => self.0.read().await.map(drop),
            KeySource::Discovered | KeySource::Address(_) => Ok(()),
        }
    }
}

impl Inner {
    /// Tells whether it is time for a fetch, and notes that one begins.
    fn begins(&self) -> bool {
        let mut tried_at = self.tried_at.lock();
        let is_time = tried_at.is_none_or(|at| at.elapsed() >= self.pause);
        if is_time {
            *tried_at = Some(Instant::now());
        }
        is_time
    }

    async fn fetch(&self) {
        let read = timeout(PATIENCE, self.read()).await;
        match read.unwrap_or_else(|_| Err("it takes too long".to_owned())) {
            Ok(keys) => {
                self.known.store(Arc::new(Known { keys, fetched_at: Some(Instant::now()) }));
                *self.trouble.lock() = None;
            }
            Err(why) => {
                let issuer = &self.issuer;
                tracing::warn!(%issuer, %why, "the keys of an issuer cannot be fetched");
                *self.trouble.lock() = Some(why);
            }
        }
    }

    async fn read(&self) -> Result<Vec<Jwk>, String> {
        let text = match &self.source {
            KeySource::File(path) => {
                let file = path.clone();
                let read = tokio::task::spawn_blocking(move || std::fs::read(file)).await;
                let read = read.map_err(|error| error.to_string())?;
                read.map_err(|error| unread(path, &error))?
            }
            KeySource::Address(url) => self.get(Request::get(url).trusted()).await?,
            KeySource::Discovered => {
                let request = self.discover().await?;
                self.get(request).await?
            }
        };
        read_set(&text)
    }

    /// Finds out where the keys are.
    async fn discover(&self) -> Result<Request, String> {
        let mut why = String::new();
        for url in descriptions(&self.issuer)? {
            let described = self.get(Request::get(url.clone()).trusted()).await;
            match described.and_then(|text| self.keys_address(&text)) {
                Ok(request) => return Ok(request),
                Err(error) => why = format!("{why}{url}: {error}; "),
            }
        }
        Err(why.trim_end_matches("; ").to_owned())
    }

    /// Reads where a description says the keys are.
    ///
    /// The operator named the issuer, and so its host may be a private one. Another host is only
    /// the word of that description, and must be on the public internet.
    fn keys_address(&self, text: &[u8]) -> Result<Request, String> {
        let described: toolsmith_core::Value =
            serde_json::from_slice(text).map_err(|error| format!("no JSON: {error}"))?;
        if described["issuer"].as_str() != Some(&self.issuer) {
            return Err(format!("it describes the issuer {}", described["issuer"]));
        }
        let address = described["jwks_uri"].as_str().ok_or("it has no `jwks_uri`")?;
        let (issuer, url) = (parse(&self.issuer)?, parse(address)?);
        if issuer.scheme() == "https" && url.scheme() != "https" {
            return Err(format!("its keys would come over plain HTTP, from {url}"));
        }
        let is_its_own = issuer.host_str() == url.host_str();
        let guard = if is_its_own { Guard::Trusted } else { Guard::Public };
        Ok(Request { guard, ..Request::get(url) })
    }

    async fn get(&self, request: Request) -> Result<Vec<u8>, String> {
        let request = Request { max_bytes: Some(MOST_BYTES), max_redirects: Some(0), ..request };
        let request = request.with_header("accept", "application/json");
        let request = request.map_err(|error| error.to_string())?;
        let answer = self.client.send(request).await.map_err(|error| error.to_string())?;
        if answer.status.is_success() {
            return Ok(answer.body.to_vec());
        }
        Err(format!("it answers {}", answer.status))
    }
}

fn unread(path: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    };
    format!(
        "`jwks` names the file {}, which cannot be read: {why}; name the file or the address \
         (https://…) of its public keys, or leave `jwks` out where the issuer tells it itself",
        path.display()
    )
}

/// Returns where an issuer may describe itself: for logins (`OpenID`), and by RFC 8414.
fn descriptions(issuer: &str) -> Result<[String; 3], String> {
    let url = parse(issuer)?;
    let origin = url.origin().ascii_serialization();
    let path = url.path().trim_end_matches('/');
    Ok([
        format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/')),
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ])
}

fn parse(url: &str) -> Result<Url, String> {
    Url::parse(url).map_err(|error| format!("`{url}` is no address: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_with_a_path_is_described_in_either_order() {
        assert_eq!(
            descriptions("https://id.example/realms/a/").unwrap(),
            [
                "https://id.example/realms/a/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server/realms/a",
                "https://id.example/.well-known/openid-configuration/realms/a",
            ]
        );
    }

    #[test]
    fn keys_come_from_the_issuer_or_from_the_public_internet() {
        let client = Client::new(toolsmith_net::Settings::default()).unwrap();
        let issuer = "https://id.internal:8443/a".to_owned();
        let provider = Provider::new(issuer.clone(), KeySource::Discovered, client, Duration::ZERO);
        let described = |issuer: &str, keys: &str| {
            let text = format!(r#"{{"issuer": "{issuer}", "jwks_uri": "{keys}"}}"#);
            provider.0.keys_address(text.as_bytes()).map(|request| request.guard)
        };
        assert_eq!(described(&issuer, "https://id.internal/keys"), Ok(Guard::Trusted));
        assert_eq!(described(&issuer, "https://keys.example/"), Ok(Guard::Public));
        assert!(described(&issuer, "http://id.internal/keys").is_err());
        assert!(described("https://id.internal:8443", "https://id.internal/keys").is_err());
    }
}
