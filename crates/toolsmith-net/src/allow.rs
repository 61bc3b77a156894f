//! What an operator opens beyond the public internet: hosts, networks and ports.

use std::{fmt, net::IpAddr, str::FromStr};

use reqwest::Url;
use toolsmith_core::address::{is_inside, is_metadata};

use crate::NetError;

/// The addresses beyond the public internet that an operator has opened.
///
/// ```
/// use toolsmith_net::Allow;
///
/// let allow = Allow::parse(["intranet.example:8443", "*.corp.example", "10.0.0.0/8", "[::1]:80"])?;
/// assert!(allow.permits("10.1.2.3".parse().unwrap(), 443));
/// assert!(!allow.permits("::1".parse().unwrap(), 443));
/// assert!(allow.permits_name("git.corp.example", 443));
/// # Ok::<(), toolsmith_net::NetError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allow(Vec<Opening>);

/// One opened host or network, at one port or at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    place: Place,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A host name.
    Host(String),
    /// Every name below a domain, which is kept with its leading dot.
    Below(String),
    Network(IpAddr, u32),
}

impl Allow {
    /// Reads a list: `host`, `*.domain`, an address or a network, each with `:port` or without.
    pub fn parse<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Result<Self, NetError> {
        entries.into_iter().map(|entry| entry.as_ref().parse()).collect::<Result<_, _>>().map(Self)
    }

    /// Tells whether an address is opened at a port, as an address.
    ///
    /// A metadata service gives credentials away, so no wide network opens it, only its own address.
    pub fn permits(&self, address: IpAddr, port: u16) -> bool {
        let address = address.to_canonical();
        self.at(port).any(|place| match place {
            Place::Network(network, prefix) => {
                let is_exact = *network == address && *prefix == full_prefix(address);
                is_exact || (!is_metadata(address) && is_inside(address, *network, *prefix))
            }
            Place::Host(_) | Place::Below(_) => false,
        })
    }

    /// Tells whether a host name is opened at a port, wherever it leads.
    pub fn permits_name(&self, host: &str, port: u16) -> bool {
        self.at(port).any(|place| match place {
            Place::Host(name) => name == host,
            Place::Below(domain) => host.ends_with(domain.as_str()) && host.len() > domain.len(),
            Place::Network(..) => false,
        })
    }

    /// Returns the ports that are named, each once: other ports share one answer.
    pub(crate) fn ports(&self) -> Vec<u16> {
        let mut ports: Vec<u16> = self.0.iter().filter_map(|opening| opening.port).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    fn at(&self, port: u16) -> impl Iterator<Item = &Place> {
        let open = move |opening: &&Opening| opening.port.is_none_or(|only| only == port);
        self.0.iter().filter(open).map(|opening| &opening.place)
    }
}

impl FromStr for Opening {
    type Err = NetError;

    fn from_str(entry: &str) -> Result<Self, NetError> {
        let entry = entry.trim();
        if let Some(place) = network(entry) {
            return Ok(Self { place, port: None });
        }
        let (place, port) = match entry.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((place, "")) => (place, None),
            Some((place, rest)) => (place, Some(rest.strip_prefix(':').ok_or_else(|| bad(entry))?)),
            None => {
                entry.rsplit_once(':').map_or((entry, None), |(place, port)| (place, Some(port)))
            }
        };
        let port: Option<u16> = port.map(str::parse).transpose().map_err(|_| bad(entry))?;
        // Port 0 stands for every port without a rule of its own; nothing listens there.
        if port == Some(0) {
            return Err(bad(entry));
        }
        let found = network(place).or_else(|| name(place));
        found.map(|place| Self { place, port }).ok_or_else(|| bad(entry))
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Host(name) => f.write_str(name)?,
            Place::Below(domain) => write!(f, "*{domain}")?,
            Place::Network(network, prefix) => write!(f, "[{network}/{prefix}]")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

fn bad(entry: &str) -> NetError {
    NetError::Invalid(format!(
        "`{entry}` is none of a host, `*.domain`, an address or a network such as `10.0.0.0/8`, \
         with or without `:port`"
    ))
}

fn network(text: &str) -> Option<Place> {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix.parse::<u32>().ok()?)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let prefix = prefix.unwrap_or(full_prefix(address));
    (prefix <= full_prefix(address)).then_some(Place::Network(address, prefix))
}

fn full_prefix(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// Reads a host name in the spelling in which URLs carry it.
fn name(text: &str) -> Option<Place> {
    let (below, text) = match text.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if text.is_empty() || text.contains(['/', '@', '?', '#', '*', '\\']) {
        return None;
    }
    let url = Url::parse(&format!("http://{text}/")).ok()?;
    let host = url.domain()?.trim_end_matches('.').to_owned();
    Some(if below { Place::Below(format!(".{host}")) } else { Place::Host(host) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_opens_what_it_names_and_nothing_beside() {
        let allow =
            Allow::parse(["127.0.0.1:8080", "Intranet.Example.", "*.corp.example:443"]).unwrap();
        assert!(allow.permits("127.0.0.1".parse().unwrap(), 8080));
        assert!(allow.permits("::ffff:127.0.0.1".parse().unwrap(), 8080));
        assert!(!allow.permits("127.0.0.1".parse().unwrap(), 80));
        assert!(!allow.permits("127.0.0.2".parse().unwrap(), 8080));
        assert!(allow.permits_name("intranet.example", 1));
        assert!(!allow.permits_name("x.intranet.example", 1));
        assert!(allow.permits_name("a.b.corp.example", 443));
        assert!(!allow.permits_name("corp.example", 443));
        assert!(!allow.permits_name("evilcorp.example", 443));
        assert_eq!(allow.ports(), [443, 8080]);
    }

    #[test]
    fn a_wide_network_does_not_open_the_metadata_service() {
        let metadata = "169.254.169.254".parse().unwrap();
        assert!(!Allow::parse(["0.0.0.0/0"]).unwrap().permits(metadata, 80));
        assert!(Allow::parse(["0.0.0.0/0"]).unwrap().permits("10.0.0.1".parse().unwrap(), 80));
        assert!(Allow::parse(["169.254.169.254"]).unwrap().permits(metadata, 80));
    }

    #[test]
    fn entries_are_read_back_as_they_are_shown() {
        for entry in ["a.example", "*.a.example:1", "[10.0.0.0/8]:80", "[fd00::/8]"] {
            let opening: Opening = entry.parse().unwrap();
            assert_eq!(opening.to_string(), entry);
        }
        assert_eq!(
            "fd00::/8".parse::<Opening>().unwrap(),
            "[fd00::/8]".parse::<Opening>().unwrap()
        );
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for entry in
            ["", "*", "*.", "10.0.0.0/33", "a:b", "http://a", "a/b", "u@h", "a:0", "::1:99999x"]
        {
            assert!(entry.parse::<Opening>().is_err(), "{entry}");
        }
    }
}
