//! Who is let in by `toolsmith serve`.

use std::net::{Ipv6Addr, SocketAddr};

use anyhow::{Result, bail};
use toolsmith_core::{Clock, Secret, SystemClock};
use toolsmith_gateway::{Doorkeeper, Hosts, KeyRing, WithoutKey};
use toolsmith_net::Url;
use toolsmith_store::{Seal, Store};

use super::issuers;
use crate::{
    Session,
    compose::Workshop,
    config::{Settings, Template},
    exit::UsageError,
    running::Note,
};

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

fn hosts(session: &Session, settings: &Settings) -> Result<Hosts, UsageError> {
    let read = |key: &str, items: &[Template], check: fn(String) -> Result<String, String>| {
        let wrong = |why: String| UsageError::new(format!("{key}: {why}"));
        let items = items.iter().map(|item| {
            let resolved = item.resolve(&session.environment);
            let resolved = resolved.map_err(|missing| wrong(missing.to_string()))?;
            check(resolved.text.expose().clone()).map_err(wrong)
        });
        items.collect::<Result<Vec<String>, UsageError>>()
    };
    let names = read("serve.hosts", &settings.serve.hosts, host)?;
    let origins = read("serve.origins", &settings.serve.origins, origin)?;
    Ok(Hosts::with_names(names).with_origins(origins))
}

/// Returns a name as it stands in the `Host` of requests, without what would never fit one.
fn host(text: String) -> Result<String, String> {
    if let Ok(address) = text.parse::<Ipv6Addr>() {
        return Ok(format!("[{address}]"));
    }
    let bare = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    let bare = bare.split_once('/').map_or(bare, |(name, _)| name);
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let bare =
        bare.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(bare, |(name, _)| name);
    if bare == text && !text.is_empty() && !text.contains(char::is_whitespace) {
        return Ok(text);
    }
    let what = "a name goes here, without scheme, port and path";
    let example = if bare.trim().is_empty() { "tools.example" } else { bare };
    Err(format!("`{text}` is no name; {what}: write `{example}`"))
}

/// Returns an origin as browsers write it.
fn origin(text: String) -> Result<String, String> {
    if text == "*" {
        return Ok(text);
    }
    let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    match url.map(|url| url.origin().ascii_serialization()) {
        Some(origin) if origin == text.trim_end_matches('/') => Ok(origin),
        Some(origin) => Err(format!("`{text}` is more than an origin; write `{origin}`")),
        None => {
            let what = "write scheme, name and, unless it is the usual one, port";
            Err(format!("`{text}` is no origin; {what}: `https://app.example`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: &Result<String, String>, said: Result<&str, &str>) {
        match said {
            Ok(name) => assert_eq!(read.as_deref(), Ok(name)),
            Err(said) => assert!(read.as_ref().is_err_and(|why| why.contains(said)), "{read:?}"),
        }
    }

    #[test]
    fn what_would_never_fit_a_request_is_refused_with_what_to_write() {
        for (text, said) in [
            ("tools.example", Ok("tools.example")),
            ("*", Ok("*")),
            ("fe80::1", Ok("[fe80::1]")),
            ("http://tools.example", Err("write `tools.example`")),
            ("https://tools.example:8001/mcp", Err("write `tools.example`")),
            ("tools.example:8001", Err("write `tools.example`")),
            ("[::1]:8001", Err("write `[::1]`")),
            ("", Err("write `tools.example`")),
        ] {
            check(&host(text.to_owned()), said);
        }
        for (text, said) in [
            ("https://app.example", Ok("https://app.example")),
            ("http://localhost:3000/", Ok("http://localhost:3000")),
            ("*", Ok("*")),
            ("app.example", Err("is no origin")),
            ("https://app.example/page", Err("write `https://app.example`")),
            ("https://app.example:443", Err("write `https://app.example`")),
        ] {
            check(&origin(text.to_owned()), said);
        }
    }
}
