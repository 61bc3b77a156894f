//! Who is let in by `toolsmith serve`.

use std::net::SocketAddr;

use anyhow::{Result, bail};
use toolsmith_core::{Clock, Secret, SystemClock};
use toolsmith_gateway::{Doorkeeper, Hosts, KeyRing, WithoutKey};
use toolsmith_net::Url;
use toolsmith_store::{Seal, Store};

use super::issuers;
use crate::{Session, compose::Workshop, config::Settings, exit::UsageError, running::Note};

/// Makes the door; beyond this machine nothing is served without keys.
pub(super) async fn door(
    session: &Session,
    settings: &Settings,
    workshop: &Workshop,
    address: SocketAddr,
    note: Option<&Note>,
) -> Result<Doorkeeper> {
    let needs_key = settings.serve.require_key || !address.ip().is_loopback();
    let without_key = if needs_key { WithoutKey::Refused } else { WithoutKey::Local };
    let tokens = issuers::tokens(session, settings).await?;
    let wants_keys = needs_key && tokens.is_none();
    let keys = match workshop.store() {
        Ok(store) => Some(KeyRing::new(store.clone(), Seal::open(store.folder())?)),
        Err(why) if wants_keys => bail!("keys cannot be read: {why}"),
        Err(_) => None,
    };
    if let (true, Ok(store)) = (wants_keys, workshop.store()) {
        refuse_without_keys(store, address).await?;
    }
    let operator = note.map(|note| Secret::new(note.secret.expose().clone()));
    Ok(Doorkeeper { hosts: hosts(session, settings)?, keys, tokens, operator, without_key })
}

async fn refuse_without_keys(store: &Store, address: SocketAddr) -> Result<()> {
    let now = SystemClock.now();
    if store.keys().await?.iter().any(|key| key.is_good(now)) {
        return Ok(());
    }
    let why = "nobody could call it, for there are no keys";
    let what =
        "make one with `toolsmith keys create NAME`, name an issuer of tokens in `serve.jwt`";
    let or = if address.ip().is_loopback() {
        "leave `serve.require_key` out"
    } else {
        "listen on 127.0.0.1"
    };
    Err(UsageError::new(format!("will not listen on {address}: {why}; {what}, or {or}")).into())
}

/// Returns how clients reach the server, where that is set.
pub(super) fn public_url(session: &Session, settings: &Settings) -> Result<Option<String>> {
    let Some(template) = &settings.serve.public_url else { return Ok(None) };
    let wrong = |why: &str| UsageError::new(format!("serve.public_url: {why}"));
    let resolved = template.resolve(&session.environment);
    let text = resolved.map_err(|missing| wrong(&missing.to_string()))?.text.expose().clone();
    let url = Url::parse(&text).map_err(|error| wrong(&format!("no address: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.query().is_some() || text.contains('#') {
        let why = "expected an address such as https://tools.example, without a query";
        return Err(wrong(why).into());
    }
    Ok(Some(text))
}

fn hosts(session: &Session, settings: &Settings) -> Result<Hosts> {
    let names = settings.serve.hosts.iter().map(|name| {
        let resolved = name.resolve(&session.environment);
        resolved
            .map(|resolved| resolved.text.expose().clone())
            .map_err(|missing| UsageError::new(format!("serve.hosts: {missing}")).into())
    });
    Ok(Hosts::with_names(names.collect::<Result<Vec<String>>>()?))
}
