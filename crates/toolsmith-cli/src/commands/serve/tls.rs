//! The certificate of `toolsmith serve`.

use std::{net::SocketAddr, path::PathBuf};

use toolsmith_gateway::Tls;

use crate::{
    Session,
    config::{Settings, Template},
    exit::UsageError,
    output,
};

/// The files that connections are secured with.
pub(super) struct Files {
    pub(super) certificate: PathBuf,
    pub(super) tls: Tls,
}

impl Files {
    /// Reads the files, when they are set.
    pub(super) fn of(session: &Session, settings: &Settings) -> Result<Option<Self>, UsageError> {
        let serve = &settings.serve;
        let path = |key: &str, template: &Template| {
            let resolved = template.resolve(&session.environment);
            let resolved = resolved.map_err(|why| UsageError::new(format!("{key}: {why}")))?;
            Ok(PathBuf::from(resolved.text.expose()))
        };
        let (certificate, key) = match (&serve.tls_certificate, &serve.tls_key) {
            (None, None) => return Ok(None),
            (Some(certificate), Some(key)) => {
                (path("serve.tls.cert", certificate)?, path("serve.tls.key", key)?)
            }
            (Some(_), None) => return Err(UsageError::new("serve.tls.key is missing".to_owned())),
            (None, Some(_)) => return Err(UsageError::new("serve.tls.cert is missing".to_owned())),
        };
        let opened = Tls::open(&certificate, &key);
        let tls = opened.map_err(|why| UsageError::new(format!("serve.tls: {why}")))?;
        Ok(Some(Self { certificate, tls }))
    }
}

/// Says what others could read on the way, or on this machine.
pub(super) fn warn(files: Option<&Files>, address: SocketAddr) {
    match files {
        None if !address.ip().is_loopback() => output::tell(
            "warning: keys and tokens go over the network in the clear; set `serve.tls`, or let a \
             proxy on this machine do it",
        ),
        Some(files) if files.tls.key_is_open() => {
            output::tell("warning: other accounts can read the key in `serve.tls.key`");
        }
        _ => {}
    }
}
