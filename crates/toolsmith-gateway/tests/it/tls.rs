//! Connections that are secured.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use rcgen::{CertifiedKey, KeyPair};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use toolsmith_gateway::{Doorkeeper, GatewayConfig, Tls, TlsError};

use crate::support::{Running, within};

/// A certificate and its key, in files.
struct Files {
    folder: TempDir,
    certificate: CertificateDer<'static>,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let certificate = write(&folder.path().join("cert.pem"), &folder.path().join("key.pem"));
        Self { folder, certificate }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn open(&self) -> Result<Tls, TlsError> {
        Tls::open(&self.path("cert.pem"), &self.path("key.pem"))
    }

    /// Takes the place of both by others.
    fn renew(&mut self) {
        self.certificate = write(&self.path("cert.pem"), &self.path("key.pem"));
    }

    async fn serve(&self, config: GatewayConfig) -> Running {
        let config = GatewayConfig { tls: Some(self.open().unwrap()), ..config };
        Running::behind(Doorkeeper::local(), Vec::new(), config).await
    }

    async fn connect(&self, gateway: &Running) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap();
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let stream = TcpStream::connect(gateway.address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await
    }
}

fn write(certificate: &std::path::Path, key: &std::path::Path) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(certificate, pem("CERTIFICATE", cert.der())).unwrap();
    fs::write(key, pem("PRIVATE KEY", &signing_key.serialize_der())).unwrap();
    cert.der().clone()
}

fn pem(label: &str, der: &[u8]) -> String {
    use base64::{Engine, prelude::BASE64_STANDARD};

    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64_STANDARD.encode(der))
}

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

async fn ask(mut stream: TlsStream<TcpStream>) -> String {
    stream.write_all(HEALTH).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.ok();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn requests_are_answered_through_tls() {
    let files = Files::new();
    let gateway = files.serve(GatewayConfig::default()).await;
    let stream = files.connect(&gateway).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
    let answer = ask(stream).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn plain_http_is_told_to_use_tls() {
    let gateway = Files::new().serve(GatewayConfig::default()).await;
    let answer = within(gateway.raw(HEALTH)).await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("https://"), "{answer}");
}

#[tokio::test]
async fn clients_that_agree_on_nothing_hold_up_nobody_and_count_as_connections() {
    let files = Files::new();
    let config = GatewayConfig { max_connections: 4, ..GatewayConfig::default() };
    let gateway = files.serve(config).await;
    let mut silent = Vec::new();
    for _ in 0..3 {
        silent.push(TcpStream::connect(gateway.address).await.unwrap());
    }
    let answer = ask(within(files.connect(&gateway)).await.unwrap()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    silent.push(TcpStream::connect(gateway.address).await.unwrap());
    let waiting = tokio::time::timeout(Duration::from_millis(200), files.connect(&gateway)).await;
    assert!(waiting.is_err(), "there is no room for a fifth");
    drop(silent);
    within(files.connect(&gateway)).await.unwrap();
}

#[tokio::test]
async fn a_renewed_certificate_is_used_and_half_a_change_is_not() {
    let mut files = Files::new();
    let gateway = files.serve(GatewayConfig::default()).await;
    let old_key = fs::read(files.path("key.pem")).unwrap();
    let old = files.certificate.clone();
    files.renew();
    let new_key = fs::read(files.path("key.pem")).unwrap();
    fs::write(files.path("key.pem"), old_key).unwrap();
    let renewed = std::mem::replace(&mut files.certificate, old);
    // The certificate has changed and the key has not yet: clients are served as before.
    let until = tokio::time::Instant::now() + Duration::from_millis(1_500);
    while tokio::time::Instant::now() < until {
        files.connect(&gateway).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    fs::write(files.path("key.pem"), new_key).unwrap();
    files.certificate = renewed;
    within(async {
        while files.connect(&gateway).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

#[test]
fn wrong_files_are_named_and_explained() {
    let files = Files::new();
    let said = |files: &Files| files.open().unwrap_err().to_string();
    let other = KeyPair::generate().unwrap();
    fs::write(files.path("key.pem"), pem("PRIVATE KEY", &other.serialize_der())).unwrap();
    let told = said(&files);
    assert!(told.contains("was made for another key than the one in "), "{told}");
    assert!(told.contains("name two files that were made together"), "{told}");
    fs::write(files.path("key.pem"), "nothing").unwrap();
    assert!(said(&files).contains("key.pem: there is no private key in it"), "{}", said(&files));
    fs::write(files.path("cert.pem"), pem("CERTIFICATE", b"junk")).unwrap();
    fs::write(files.path("key.pem"), pem("PRIVATE KEY", &other.serialize_der())).unwrap();
    assert!(said(&files).contains("do not go together"), "{}", said(&files));
    fs::remove_file(files.path("cert.pem")).unwrap();
    assert!(said(&files).contains("cert.pem cannot be read: No such file"), "{}", said(&files));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_noticed() {
    use std::os::unix::fs::PermissionsExt;

    let files = Files::new();
    for (mode, is_open) in [(0o600, false), (0o640, true), (0o604, true)] {
        fs::set_permissions(files.path("key.pem"), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(files.open().unwrap().key_is_open(), is_open, "{mode:o}");
    }
}
