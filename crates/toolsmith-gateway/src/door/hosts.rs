//! How requests may address this program: a page of a stranger in a browser must not reach it.
//!
//! A browser tells in `Origin` which page sends a request, and in `Host` which name it looked up.
//! A name of someone else that leads here (DNS rebinding) shows in the latter.

use std::net::IpAddr;

use axum::http::{
    HeaderMap, Uri,
    header::{HOST, ORIGIN},
    uri::Authority,
};

use crate::http::Failure;

/// The names that requests may use for this program.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Names besides those of this machine; `*` for any.
    names: Vec<String>,
}

impl Hosts {
    /// Allows the names of this machine to itself.
    pub fn loopback() -> Self {
        Self { names: Vec::new() }
    }

    /// Allows other names too; `*` for any.
    pub fn with_names(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Refuses requests that name someone else, or come from a page of someone else.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|value| value.to_str().ok());
        let Some(host) = host.filter(|_| hosts.next().is_none()) else {
            return Err(unreadable());
        };
        if !is_plainly_this_machine(host) {
            let host: Authority = host.parse().map_err(|_| unreadable())?;
            if !self.allows(host.host()) {
                let message =
                    "This server is not called by that name; `serve.hosts` lists its names.";
                return Err(Failure::forbidden(message));
            }
        }
        for origin in headers.get_all(ORIGIN) {
            let page = origin.to_str().ok().and_then(|text| text.parse::<Uri>().ok());
            if !page.as_ref().and_then(Uri::host).is_some_and(|host| self.allows(host)) {
                let message = "Pages of that origin may not send requests to this server; \
                               `serve.hosts` lists those that may.";
                return Err(Failure::forbidden(message));
            }
        }
        Ok(())
    }

    fn allows(&self, host: &str) -> bool {
        is_this_machine(host)
            || self.names.iter().any(|name| name == "*" || host.eq_ignore_ascii_case(name))
    }
}

fn unreadable() -> Failure {
    Failure::bad_request("The request has no `Host` that can be read.")
}

/// Knows the names that nearly all requests on one machine use, without taking them apart.
fn is_plainly_this_machine(host: &str) -> bool {
    let is_port =
        |port: &str| (1..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit());
    let name =
        host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

fn is_this_machine(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_loopback = bare.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    is_loopback || host.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(hosts: &Hosts, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        hosts.check(&headers).is_ok()
    }

    #[test]
    fn names_of_this_machine_are_allowed_and_others_are_not() {
        let hosts = Hosts::loopback();
        for host in ["localhost", "localhost:8001", "127.0.0.1:8001", "127.9.9.9", "[::1]:8001"] {
            assert!(verdict(&hosts, host, None), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "10.0.0.1", "0.0.0.0", ""] {
            assert!(!verdict(&hosts, host, None), "{host}");
        }
    }

    #[test]
    fn pages_of_others_are_refused_whatever_name_they_use() {
        let hosts = Hosts::loopback();
        assert!(verdict(&hosts, "localhost", Some("http://localhost:3000")));
        for origin in ["http://evil.example", "null", "http://localhost.evil.example"] {
            assert!(!verdict(&hosts, "localhost", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn other_names_can_be_allowed() {
        let hosts = Hosts::with_names(["Tools.Example".to_owned()]);
        assert!(verdict(&hosts, "tools.example", Some("https://tools.example")));
        assert!(!verdict(&hosts, "other.example", None));
        assert!(verdict(&Hosts::with_names(["*".to_owned()]), "other.example", None));
    }
}
