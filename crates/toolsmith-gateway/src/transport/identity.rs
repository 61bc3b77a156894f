//! A certificate and its key, as they are in two files.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};

/// The largest file of either kind.
const MOST_BYTES: u64 = 1 << 20;

/// What is wrong with the files for TLS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file does not hold what it should.
    #[error("{}: {why}", path.display())]
    Content {
        /// Which one.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The two do not go together.
    #[error("the certificate and the key do not go together: {0}")]
    Pair(String),
}

/// The two files, in PEM.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
}

/// By what a changed file is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marks([Option<(SystemTime, u64)>; 2]);

impl Files {
    /// Returns the marks of the files as they are.
    pub(super) fn marks(&self) -> Marks {
        let mark = |path: &Path| {
            let about = fs::metadata(path).ok()?;
            Some((about.modified().ok()?, about.len()))
        };
        Marks([mark(&self.certificate), mark(&self.key)])
    }

    /// Reads them, and makes sure that they go together.
    pub(super) fn load(&self) -> Result<Arc<ServerConfig>, TlsError> {
        let chain = chain(&self.certificate, &read(&self.certificate)?)?;
        let key = PrivateKeyDer::from_pem_slice(&read(&self.key)?)
            .map_err(|error| content(&self.key, &error, "a private key"))?;
        let pair = |error: rustls::Error| TlsError::Pair(self.mismatch(&error));
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().map_err(pair)?;
        let mut config =
            builder.with_no_client_auth().with_single_cert(chain, key).map_err(pair)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    fn mismatch(&self, error: &rustls::Error) -> String {
        let (certificate, key) = (self.certificate.display(), self.key.display());
        match error {
            rustls::Error::InconsistentKeys(_) => format!(
                "{certificate} was made for another key than the one in {key}; name two files that \
                 were made together"
            ),
            other => other.to_string(),
        }
    }

    /// Tells whether others than the owner can read the key.
    #[cfg(unix)]
    pub(super) fn key_is_open(&self) -> bool {
        use std::os::unix::fs::PermissionsExt;

        fs::metadata(&self.key).is_ok_and(|about| about.permissions().mode() & 0o044 != 0)
    }

    /// Tells whether others than the owner can read the key.
    #[cfg(not(unix))]
    pub(super) fn key_is_open(&self) -> bool {
        false
    }
}

fn chain(path: &Path, text: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    let chain = chain.map_err(|error| content(path, &error, "a certificate"))?;
    if chain.is_empty() {
        return Err(content(path, &pem::Error::NoItemsFound, "a certificate"));
    }
    Ok(chain)
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    let failed = |source| TlsError::File { path: path.to_owned(), source };
    let size = fs::metadata(path).map_err(failed)?.len();
    if size > MOST_BYTES {
        return Err(failed(io::Error::other("it is too large")));
    }
    fs::read(path).map_err(failed)
}

fn content(path: &Path, error: &pem::Error, what: &str) -> TlsError {
    let why = match error {
        pem::Error::NoItemsFound => format!("there is no {what} in it, in PEM"),
        error => format!("it cannot be read as {what} in PEM: {error}"),
    };
    TlsError::Content { path: path.to_owned(), why: why.replace("no a ", "no ") }
}
