//! Secure connections, against a server with a certificate of its own.

use std::sync::Arc;

use rcgen::CertifiedKey;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};
use toolsmith_net::{Client, NetError, Request, Settings};

/// Serves one fixed answer over TLS; returns the port and the certificate in PEM.
async fn serve(name: &str) -> (u16, String, JoinHandle<()>) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            stream.read_buf(&mut Vec::new()).await.ok();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecure";
            stream.write_all(answer).await.ok();
            stream.shutdown().await.ok();
        }
    });
    (port, pem(cert.der()), task)
}

fn pem(der: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("-----BEGIN CERTIFICATE-----\n");
    for line in der.chunks(48) {
        for three in line.chunks(3) {
            let bits = three.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte));
            let bits = bits << (8 * (3 - three.len()));
            for place in 0..4 {
                let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
                text.push(if place > three.len() { '=' } else { char::from(letter) });
            }
        }
        text.push('\n');
    }
    text + "-----END CERTIFICATE-----\n"
}

#[tokio::test]
async fn a_certificate_is_trusted_when_the_operator_says_so_and_not_otherwise() {
    let (port, certificate, task) = serve("localhost").await;
    let url = |host: &str| format!("https://{host}:{port}/");
    let extra_roots = certificate.into_bytes();
    let trusting = Client::new(Settings { extra_roots, ..Settings::default() }).unwrap();
    let answer = trusting.send(Request::get(url("localhost")).trusted()).await.unwrap();
    assert_eq!(answer.text(), "secure");
    let plain = Client::new(Settings::default()).unwrap();
    let error = plain.send(Request::get(url("localhost")).trusted()).await.unwrap_err();
    assert!(matches!(error, NetError::Tls { .. }), "{error:?}");
    // The certificate is for the name, not for the address.
    let error = trusting.send(Request::get(url("127.0.0.1")).trusted()).await.unwrap_err();
    assert!(matches!(error, NetError::Tls { .. }), "{error:?}");
    task.abort();
}

#[tokio::test]
async fn a_pinned_certificate_is_the_only_one_that_is_spoken_to() {
    let (port, certificate, task) = serve("elsewhere.example").await;
    let (other, _, other_task) = serve("localhost").await;
    let pinned = Some(certificate.into_bytes());
    let client = Client::new(Settings { pinned, ..Settings::default() }).unwrap();
    let ask = |port| client.send(Request::get(format!("https://127.0.0.1:{port}/")).trusted());
    assert_eq!(ask(port).await.unwrap().text(), "secure");
    let error = ask(other).await.unwrap_err();
    assert!(matches!(error, NetError::Tls { .. }), "{error:?}");
    task.abort();
    other_task.abort();
}

#[test]
fn a_root_that_is_no_certificate_is_said_at_once() {
    let extra_roots = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_vec();
    let error = Client::new(Settings { extra_roots, ..Settings::default() }).unwrap_err();
    assert!(matches!(error, NetError::Setup(_)), "{error:?}");
}
