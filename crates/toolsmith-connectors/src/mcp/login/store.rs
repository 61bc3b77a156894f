//! The tokens of a server, in a file that only its owner can read.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    future::{Future, ready},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::{Duration, SystemTime},
};

use parking_lot::Mutex;
use rmcp::transport::auth::{
    AuthError, AuthorizationMetadata, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use toolsmith_core::{Redactor, Secret, ToolError};

use crate::mcp::{naming, settings::ServerSettings};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// How often, and how many times, it is looked whether another process has renewed a token.
const LOOK: Duration = Duration::from_millis(50);
const LOOKS: usize = 600;

/// The file of one server; clones share what was read of it.
#[derive(Clone)]
pub(super) struct Store(Arc<Inner>);

struct Inner {
    path: PathBuf,
    /// Tokens are for one address: another one must not get them.
    url: String,
    redactor: Redactor,
    read: Mutex<Option<(Marks, Kept)>>,
    /// What is written along with the next tokens.
    notes: Mutex<Kept>,
}

/// By which a changed file is known.
type Marks = (Option<SystemTime>, u64);

/// What the file says.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Kept {
    url: String,
    pub(super) client_secret: Option<String>,
    pub(super) metadata: Option<AuthorizationMetadata>,
    pub(super) credentials: Option<StoredCredentials>,
}

impl Store {
    /// Names the file of a server in a folder; it need not be there.
    pub(super) fn at(
        folder: &Path,
        settings: &ServerSettings,
        url: &str,
        redactor: &Redactor,
    ) -> Self {
        let name = naming::name("", &settings.name);
        let name = name.map_or_else(|| naming::digest(&settings.name, 16), |name| name.to_string());
        Self(Arc::new(Inner {
            path: folder.join("logins").join(format!("{name}.json")),
            url: url.to_owned(),
            redactor: redactor.clone(),
            read: Mutex::default(),
            notes: Mutex::default(),
        }))
    }

    /// Returns what is kept for this server at this address.
    pub(super) fn kept(&self) -> Option<Kept> {
        let file = File::open(&self.0.path).ok()?;
        let about = file.metadata().ok()?;
        let marks = (about.modified().ok(), about.len());
        let mut read = self.0.read.lock();
        if let Some((_, kept)) = read.as_ref().filter(|(known, _)| *known == marks) {
            return Some(kept.clone());
        }
        let mut text = Vec::new();
        file.take(LARGEST).read_to_end(&mut text).ok()?;
        let kept: Kept = serde_json::from_slice(&text).ok()?;
        if kept.url != self.0.url {
            return None;
        }
        self.hide(&kept);
        *read = Some((marks, kept.clone()));
        Some(kept)
    }

    /// Lets nothing of it be shown, whatever server repeats it.
    fn hide(&self, kept: &Kept) {
        let tokens = kept.credentials.as_ref().and_then(|kept| kept.token_response.as_ref());
        let written =
            tokens.and_then(|tokens| serde_json::to_value(tokens).ok()).unwrap_or_default();
        let names = ["access_token", "refresh_token", "id_token"];
        let tokens = names.iter().filter_map(|name| written.get(name)?.as_str());
        for secret in tokens.chain(kept.client_secret.as_deref()) {
            self.0.redactor.add(&Secret::new(secret.to_owned()));
        }
    }

    pub(super) fn note_metadata(&self, metadata: &AuthorizationMetadata) {
        self.0.notes.lock().metadata = Some(metadata.clone());
    }

    pub(super) fn note_secret(&self, secret: Option<String>) {
        self.0.notes.lock().client_secret = secret;
    }

    /// Removes the file; says whether there was one.
    pub(super) fn forget(&self) -> Result<bool, ToolError> {
        match fs::remove_file(&self.0.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => {
                let message = format!("The tokens in {} cannot be removed.", self.0.path.display());
                Err(ToolError::failed(message).with_source(error))
            }
        }
    }

    fn keep(&self, credentials: StoredCredentials) -> io::Result<()> {
        let before = self.kept().unwrap_or_default();
        let notes = self.0.notes.lock().clone();
        let kept = Kept {
            url: self.0.url.clone(),
            client_secret: notes.client_secret.or(before.client_secret),
            metadata: notes.metadata.or(before.metadata),
            credentials: Some(credentials),
        };
        self.hide(&kept);
        let folder = self.0.path.parent().unwrap_or(&self.0.path);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let part = self.0.path.with_extension(format!("part.{}", std::process::id()));
        // A file that somebody else has made could be read by them.
        fs::remove_file(&part).ok();
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
        file.write_all(&serde_json::to_vec(&kept)?)?;
        file.sync_all()?;
        fs::rename(&part, &self.0.path)
    }

    /// Waits until no other process renews the token.
    async fn lock(&self) -> io::Result<File> {
        let folder = self.0.path.parent().unwrap_or(&self.0.path);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = self.0.path.with_extension("lock");
        let file =
            OpenOptions::new().write(true).create(true).mode(0o600).truncate(false).open(path)?;
        for _ in 0..LOOKS {
            if file.try_lock().is_ok() {
                return Ok(file);
            }
            sleep(LOOK).await;
        }
        Err(io::ErrorKind::TimedOut.into())
    }
}

type Promised<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

/// The trait is written for a macro that boxes futures; these are the signatures that it makes.
impl CredentialStore for Store {
    fn load<'a, 'b>(&'a self) -> Promised<'b, Option<StoredCredentials>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(ready(Ok(self.kept().and_then(|kept| kept.credentials))))
    }

    fn save<'a, 'b>(&'a self, credentials: StoredCredentials) -> Promised<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(ready(self.keep(credentials).map_err(|error| unusable(&error))))
    }

    fn clear<'a, 'b>(&'a self) -> Promised<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        let forgotten = self.forget().map(drop);
        Box::pin(ready(
            forgotten.map_err(|error| AuthError::CredentialStoreError(error.message().to_owned())),
        ))
    }

    fn acquire_refresh_guard<'a, 'b>(&'a self) -> Promised<'b, Option<CredentialRefreshGuard>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let file = self.lock().await.map_err(|error| unusable(&error))?;
            Ok(Some(CredentialRefreshGuard::new(file)))
        })
    }
}

fn unusable(error: &io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.kind().to_string())
}
