//! Whether an address may be asked at all, before anything is looked up or sent.

use std::net::IpAddr;

use reqwest::Url;
use toolsmith_core::address;

use crate::{Allow, Denial, NetError};

/// The longest address that is read: what servers and proxies commonly take.
const LONGEST: usize = 8_192;

/// Names that lead into this machine or its network by convention, whatever a resolver says.
const CLOSED_NAMES: [&str; 8] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "home.arpa",
    "metadata",
    "instance-data",
    "broadcasthost",
];

/// Ports of services that can be talked into obeying the text of an HTTP request.
///
/// Every other port is open: APIs live on many.
const CLOSED_PORTS: [u16; 20] =
    [0, 7, 9, 19, 21, 22, 23, 25, 53, 110, 111, 119, 135, 139, 143, 445, 465, 514, 587, 6_379];

/// Which rules an address is under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Guard {
    /// It comes from a tool's input or an answer: only the public internet, and what is allowed.
    #[default]
    Public,
    /// An operator has configured it: any address.
    Trusted,
}

/// Reads an address and refuses what no lookup is needed for.
pub(crate) fn check(text: &str, guard: Guard, allow: &Allow) -> Result<Url, NetError> {
    let url = parse(text)?;
    if guard == Guard::Public {
        check_public(&url, allow)?;
    }
    Ok(url)
}

/// Reads an address in the one form that requests have.
///
/// The parser forgives much, as browsers do. What it would silently drop or turn is refused, so
/// that nobody before or after us reads another host out of the same text.
pub(crate) fn parse(text: &str) -> Result<Url, NetError> {
    if text.len() > LONGEST {
        return Err(invalid(format!(
            "it has {} bytes, and at most {LONGEST} are read",
            text.len()
        )));
    }
    if text.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err(invalid("it contains a space, a control character or a backslash"));
    }
    let mut url = Url::parse(text).map_err(|error| invalid(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid(format!("`{}` is not spoken, only http and https", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("it contains a user name or password; send them as a header"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(invalid("it has no host"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn check_public(url: &Url, allow: &Allow) -> Result<(), NetError> {
    let host = host_of(url);
    let port = url.port_or_known_default().unwrap_or_default();
    if let Ok(address) = host.parse::<IpAddr>() {
        return check_address(&host, address, port, allow);
    }
    let is_open = allow.permits_name(&host, port);
    if !is_open && is_closed_name(&host) {
        return Err(Denial::new(&host, "a name of this machine or its network").into());
    }
    if !is_open && CLOSED_PORTS.contains(&port) {
        return Err(closed_port(&host, port));
    }
    Ok(())
}

/// Checks an address that stands in the URL itself: no resolver is asked for it later.
fn check_address(host: &str, address: IpAddr, port: u16, allow: &Allow) -> Result<(), NetError> {
    if allow.permits(address, port) {
        return Ok(());
    }
    match address::refusal(address) {
        Some(why) => Err(Denial::new(host, why).into()),
        None if CLOSED_PORTS.contains(&port) => Err(closed_port(host, port)),
        None => Ok(()),
    }
}

/// Returns the host as names and addresses are compared: no brackets, no dot at the end.
pub(crate) fn host_of(url: &Url) -> String {
    plain_host(url.host_str().unwrap_or_default()).to_owned()
}

/// Takes the brackets or the last dot off a host.
pub(crate) fn plain_host(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.')
}

fn is_closed_name(host: &str) -> bool {
    CLOSED_NAMES.iter().any(|closed| {
        host.strip_suffix(closed).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

fn closed_port(host: &str, port: u16) -> NetError {
    Denial::new(&format!("{host}:{port}"), "a port that is not for HTTP").into()
}

fn invalid(why: impl Into<String>) -> NetError {
    NetError::Invalid(format!("the address cannot be used: {}", why.into()))
}
