//! TLS with a certificate from files, which are read again when they have changed.

use std::{fmt, path::Path, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

use super::identity::{Files, Marks, TlsError};

/// How often it is looked whether the files have changed, at most: a handshake costs far more.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// How connections are secured; cheap to clone.
///
/// A renewed certificate is used by the first connection that comes a second later: the files
/// are looked at when clients come, and no signal is needed. Files that do not go together, for
/// one of them is written before the other, change nothing.
#[derive(Clone)]
pub struct Tls(Arc<Inner>);

struct Inner {
    files: Files,
    config: ArcSwap<ServerConfig>,
    seen: Mutex<Seen>,
}

struct Seen {
    marks: Marks,
    looked_at: Instant,
}

impl Tls {
    /// Reads a certificate with those that vouch for it, and its key, both in PEM.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let files = Files { certificate: certificate.to_owned(), key: key.to_owned() };
        // Marked before they are read: a change in between is seen at the next look.
        let marks = files.marks();
        let config = files.load()?;
        let seen = Mutex::new(Seen { marks, looked_at: Instant::now() });
        Ok(Self(Arc::new(Inner { files, config: ArcSwap::new(config), seen })))
    }

    /// Tells whether others than the owner can read the key.
    pub fn key_is_open(&self) -> bool {
        self.0.files.key_is_open()
    }

    /// Returns what the next connection is secured with.
    pub(super) async fn acceptor(&self) -> TlsAcceptor {
        if self.is_time() {
            let this = self.clone();
            tokio::task::spawn_blocking(move || this.look_again()).await.ok();
        }
        TlsAcceptor::from(self.0.config.load_full())
    }

    fn is_time(&self) -> bool {
        let mut seen = self.0.seen.lock();
        let is_time = seen.looked_at.elapsed() >= LOOK_AGAIN;
        if is_time {
            seen.looked_at = Instant::now();
        }
        is_time
    }

    fn look_again(&self) {
        let marks = self.0.files.marks();
        if std::mem::replace(&mut self.0.seen.lock().marks, marks.clone()) == marks {
            return;
        }
        match self.0.files.load() {
            Ok(config) => {
                self.0.config.store(config);
                tracing::info!("the certificate was read again");
            }
            Err(error) => tracing::warn!(%error, "the changed certificate is not used"),
        }
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.0.files).finish_non_exhaustive()
    }
}
