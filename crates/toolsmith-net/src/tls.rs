//! How connections are secured.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};

use crate::NetError;

/// Makes the rules for secure connections: Mozilla's roots, built in, and those of the operator.
///
/// Built in, because a small machine or container may have no certificates of its own.
pub(crate) fn config(extra_roots: &[u8]) -> Result<ClientConfig, NetError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in CertificateDer::pem_slice_iter(extra_roots) {
        let certificate = certificate.map_err(|error| setup(&error))?;
        roots.add(certificate).map_err(|error| setup(&error))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| setup(&error))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn setup(error: &dyn std::fmt::Display) -> NetError {
    NetError::Setup(format!("a root certificate or the TLS library is not usable ({error})"))
}
