//! Where requests may come from: a page of the web must not reach a program on this machine.
//!
//! A page can make a browser send requests to any address, and by DNS rebinding even under a name
//! of its own. What it cannot do is choose the headers `Host` and `Origin`.

use std::{net::IpAddr, sync::Arc};

use axum::http::{
    HeaderMap,
    header::{HOST, ORIGIN},
};
use toolsmith_core::Text;

/// Under which names the doors answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// Under those of this machine alone: `localhost` and loopback addresses.
    #[default]
    Local,
    /// Under those and these, each without a port.
    Listed(Arc<[Text]>),
    /// Under any.
    Any,
}

impl Hosts {
    fn allow(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Local => is_local(host),
            Self::Listed(names) => {
                is_local(host) || names.iter().any(|name| name.eq_ignore_ascii_case(host))
            }
        }
    }
}

/// Checks the headers by which a browser says where a request goes and where it comes from.
pub(crate) fn check(headers: &HeaderMap, hosts: &Hosts) -> Result<(), &'static str> {
    if *hosts == Hosts::Any {
        return Ok(());
    }
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_asked_for = text(HOST).is_none_or(|host| hosts.allow(without_port(host)));
    if !is_asked_for {
        return Err("This program does not answer under the name in the header `Host`.");
    }
    let is_from_here = text(ORIGIN).is_none_or(|origin| {
        let host = origin.split_once("://").map(|(_, rest)| without_port(rest));
        host.is_some_and(|host| hosts.allow(host))
    });
    if is_from_here {
        return Ok(());
    }
    Err("Pages of this origin may not send requests here.")
}

/// Returns the host of `host:port`, and of `[address]:port`.
fn without_port(authority: &str) -> &str {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if authority.starts_with('[') {
        return match authority.split_once(']') {
            Some((address, "")) => address.trim_start_matches('['),
            Some((address, rest)) if rest.strip_prefix(':').is_some_and(is_port) => {
                address.trim_start_matches('[')
            }
            _ => "",
        };
    }
    match authority.rsplit_once(':') {
        Some((host, port)) if is_port(port) => host,
        _ => authority,
    }
}

fn is_local(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(host: &str, origin: Option<&str>, hosts: &Hosts) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        check(&headers, hosts).is_ok()
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8001", "127.9.9.9", "[::1]:9", "[::1]"]
        {
            assert!(verdict(host, None, &Hosts::Local), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:80",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "[::2]:80",
            "[::1]x",
            "localhost:80:80",
            "",
        ] {
            assert!(!verdict(host, None, &Hosts::Local), "{host}");
        }
    }

    #[test]
    fn only_pages_of_this_machine_may_send() {
        for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:1"] {
            assert!(verdict("localhost", Some(origin), &Hosts::Local), "{origin}");
        }
        for origin in ["http://evil.example", "null", "localhost", "http://localhost@evil.example"]
        {
            assert!(!verdict("localhost", Some(origin), &Hosts::Local), "{origin}");
        }
    }

    #[test]
    fn more_names_can_be_listed() {
        let hosts = Hosts::Listed(["tools.example".into()].into());
        assert!(verdict("tools.example:443", Some("https://tools.example"), &hosts));
        assert!(verdict("localhost", None, &hosts));
        assert!(!verdict("evil.example", None, &hosts));
        assert!(verdict("evil.example", Some("null"), &Hosts::Any));
    }
}
