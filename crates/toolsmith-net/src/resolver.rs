//! Looks host names up, and leaves out the addresses that a request may not reach.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use reqwest::dns::{Addrs, Name, Resolving};
use toolsmith_core::{BoxFuture, address};

use crate::{Allow, Denial, Guard, guard::plain_host};

/// How many addresses of a name are tried: more is no service but a way to hold a call.
const MOST: usize = 16;

/// Looks host names up.
pub trait Resolve: Send + Sync + fmt::Debug {
    /// Returns the addresses of a host name.
    fn resolve(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Asks the system, as every other program on the machine does.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let host = host.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Gives the connector only addresses that may be reached.
///
/// The connector uses what it is given and looks nothing up itself, so an answer that changes
/// between a check and a connection cannot exist.
#[derive(Debug)]
pub(crate) struct Sieve {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) allow: Arc<Allow>,
    pub(crate) guard: Guard,
    /// The port that this connector's requests go to, when the allow list names it; 0 otherwise.
    pub(crate) port: u16,
}

impl reqwest::dns::Resolve for Sieve {
    fn resolve(&self, name: Name) -> Resolving {
        let looking = self.resolver.resolve(name.as_str());
        let (allow, guard, port) = (Arc::clone(&self.allow), self.guard, self.port);
        Box::pin(async move {
            let host = plain_host(name.as_str());
            let found = looking.await?;
            let kept = match guard {
                Guard::Trusted => found,
                Guard::Public => sift(host, found, &allow, port)?,
            };
            let addresses = kept.into_iter().take(MOST).map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

/// Keeps the addresses that may be reached; a name with none of them is refused.
fn sift(
    host: &str,
    mut found: Vec<IpAddr>,
    allow: &Allow,
    port: u16,
) -> Result<Vec<IpAddr>, Denial> {
    let is_named = allow.permits_name(host, port);
    let mut refused = None;
    found.retain(|address| {
        let why = address::refusal(*address);
        let is_open = allow.permits(*address, port)
            || (is_named && !address::is_metadata(*address))
            || why.is_none();
        if !is_open {
            refused = why;
        }
        is_open
    });
    match refused {
        Some(why) if found.is_empty() => Err(Denial::new(host, why)),
        _ => Ok(found),
    }
}
