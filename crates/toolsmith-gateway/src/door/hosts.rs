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

use super::page::Page;
use crate::http::Failure;

/// The names that requests may use for this program, and the pages that may send them.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    /// Names besides those of this machine; `*` for any.
    names: Vec<String>,
    /// Origins of pages besides those names; `*` for any.
    origins: Vec<String>,
}

/// How a page stands with this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It was named: it may read what is answered.
    Named,
    /// It may send requests, as anything may that looks this program up by any name.
    Let,
    /// It may not.
    Stranger,
}

impl Hosts {
    /// Allows the names of this machine to itself.
    pub fn loopback() -> Self {
        Self::default()
    }

    /// Allows other names too; `*` for any.
    pub fn with_names(names: impl IntoIterator<Item = String>) -> Self {
        let names = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
        Self { names, ..Self::default() }
    }

    /// Lets pages of these origins (`https://app.example`) send requests too; `*` for any.
    #[must_use]
    pub fn with_origins(mut self, origins: impl IntoIterator<Item = String>) -> Self {
        self.origins = origins.into_iter().collect();
        self
    }

    /// Refuses requests that name someone else, or come from a page of someone else.
    ///
    /// Returns the page, where there is one that may read what is answered.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<Option<Page>, Failure> {
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
        let mut origins = headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(None) };
        let text = origin.to_str().ok().filter(|_| origins.next().is_none());
        match text.map_or(Standing::Stranger, |text| self.standing(text)) {
            Standing::Named => Ok(Some(Page::new(origin.clone()))),
            Standing::Let => Ok(None),
            Standing::Stranger => {
                let message = "Pages of that origin may not send requests to this server; \
                               `serve.origins` lists those that may.";
                Err(Failure::forbidden(message))
            }
        }
    }

    fn standing(&self, origin: &str) -> Standing {
        let is_listed =
            self.origins.iter().any(|known| known == "*" || origin.eq_ignore_ascii_case(known));
        let page: Option<Uri> = origin.parse().ok();
        let host = page.as_ref().and_then(Uri::host);
        match host {
            _ if is_listed => Standing::Named,
            Some(host) if self.is_named(host) => Standing::Named,
            // Whoever takes any name has not said that every page on earth may read the answers.
            Some(host) if self.allows(host) => Standing::Let,
            _ => Standing::Stranger,
        }
    }

    fn allows(&self, host: &str) -> bool {
        self.is_named(host) || self.names.iter().any(|name| name == "*")
    }

    fn is_named(&self, host: &str) -> bool {
        is_this_machine(host) || self.names.iter().any(|name| host.eq_ignore_ascii_case(name))
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
    fn only_pages_that_were_named_may_read_the_answers() {
        let named = Hosts::with_names(["tools.example".to_owned()]);
        let named = named.with_origins(["https://app.example:444".to_owned()]);
        let any_name = Hosts::with_names(["*".to_owned()]);
        let any_page = Hosts::loopback().with_origins(["*".to_owned()]);
        for (hosts, origin, standing) in [
            (&named, "http://localhost:3000", Standing::Named),
            (&named, "https://tools.example", Standing::Named),
            (&named, "https://app.example:444", Standing::Named),
            (&named, "https://app.example", Standing::Stranger),
            (&named, "http://app.example:444", Standing::Stranger),
            (&named, "null", Standing::Stranger),
            (&any_name, "https://app.example", Standing::Let),
            (&any_page, "https://app.example", Standing::Named),
            (&any_page, "null", Standing::Named),
        ] {
            assert_eq!(hosts.standing(origin), standing, "{origin}");
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
