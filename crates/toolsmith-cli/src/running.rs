//! A `toolsmith serve` that runs on this machine, as other words reach it.
//!
//! It leaves a note in its data folder that only its owner can read: where it listens, and a
//! secret of this run that makes whoever knows it the operator.

use std::{
    fs, io,
    io::Write,
    net::SocketAddr,
    path::{self, Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolsmith_core::Secret;
use toolsmith_net::{Client, Request};

use crate::{Session, compose, config::Settings, files};

/// The note in the data folder.
const NOTE: &str = "serve.json";

/// The note of a running server; gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Note {
    path: PathBuf,
    /// What makes a caller the operator.
    pub(crate) secret: Secret<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Written {
    url: String,
    secret: String,
    pid: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<PathBuf>,
}

impl Note {
    /// Leaves a note for other words; one of an earlier run is replaced.
    ///
    /// With TLS it says where the certificate is, by which other words know the server.
    pub(crate) fn leave(
        folder: &Path,
        address: SocketAddr,
        certificate: Option<&Path>,
    ) -> io::Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let secret = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let path = path::absolute(folder)?.join(NOTE);
        let scheme = if certificate.is_some() { "https" } else { "http" };
        let written = Written {
            url: format!("{scheme}://{address}"),
            secret,
            pid: std::process::id(),
            certificate: certificate.map(path::absolute).transpose()?,
        };
        write(&path, &serde_json::to_vec(&written)?)?;
        Ok(Self { path, secret: Secret::new(written.secret) })
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let is_ours = read(&self.path).is_ok_and(|note| note.pid == std::process::id());
        if is_ours {
            fs::remove_file(&self.path).ok();
        }
    }
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("json.part");
    fs::remove_file(&unfinished).ok();
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&unfinished)?.write_all(content)?;
    fs::rename(unfinished, path)
}

fn read(path: &Path) -> io::Result<Written> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

/// Makes a client for the server that has a certificate: whatever names that is for, and whoever
/// vouches for it, it is the one that the note tells of.
fn speaking_to(certificate: &Path) -> Result<Client> {
    let pinned = fs::read(certificate)
        .with_context(|| format!("cannot read the certificate {}", certificate.display()))?;
    Ok(Client::new(toolsmith_net::Settings {
        pinned: Some(pinned),
        ..toolsmith_net::Settings::default()
    })?)
}

/// A server that runs on the same data folder.
#[derive(Debug)]
pub(crate) struct Running {
    note: Written,
    client: Client,
}

impl Running {
    /// Finds the server of the data folder.
    pub(crate) fn find(session: &Session, settings: &Settings) -> Result<Self> {
        let folder = compose::data_folder(settings, &session.environment)?;
        let path = folder.join(NOTE);
        let note = match read(&path) {
            Ok(note) => note,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                bail!("no `toolsmith serve` runs on {}", folder.display());
            }
            Err(error) => {
                let why = files::explain(&error);
                bail!("cannot tell whether `toolsmith serve` runs: {}: {why}", path.display());
            }
        };
        let client = match &note.certificate {
            None => compose::client(settings, &session.environment)?,
            Some(path) => speaking_to(path)?,
        };
        Ok(Self { note, client })
    }

    /// Asks it for something.
    pub(crate) async fn get(&self, path: &str) -> Result<Value> {
        self.send(Request::get(format!("{}{path}", self.note.url))).await
    }

    /// Tells it something.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let url = format!("{}{path}", self.note.url);
        self.send(Request::post(url, "application/json", body.to_string())).await
    }

    async fn send(&self, request: Request) -> Result<Value> {
        let key = Secret::new(format!("Bearer {}", self.note.secret));
        let request = request.trusted().with_secret_header("authorization", &key)?;
        let url = &self.note.url;
        let answer = self.client.send(request).await.with_context(|| {
            format!("the `toolsmith serve` at {url} does not answer; it may have been killed")
        })?;
        let body: Value = serde_json::from_slice(&answer.body)
            .with_context(|| format!("{url} answers, and is no `toolsmith serve`"))?;
        match body["error"]["message"].as_str() {
            Some(message) if !answer.status.is_success() => bail!("{message}"),
            _ => Ok(body),
        }
    }
}
