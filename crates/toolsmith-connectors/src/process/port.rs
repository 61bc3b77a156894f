//! Ports of this machine for services, of which no two are told the same.

use std::net::{Ipv4Addr, TcpListener};

use toolsmith_core::ToolError;

use crate::life::Services;

/// How often another port is asked for when a service of ours was told the same one.
const ATTEMPTS: usize = 100;

/// A port that no other service of ours is told while this lives.
///
/// Between our look and its own the system may give it to somebody else; what we can see to is that
/// this is none of ours, for its answers would be taken for those of the other.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) number: u16,
    services: Services,
}

impl Port {
    /// Finds a port that nobody listens on.
    pub(crate) fn reserve(services: &Services) -> Result<Self, ToolError> {
        for _ in 0..ATTEMPTS {
            let found =
                TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|door| door.local_addr());
            let number = found.map_err(none_left)?.port();
            if services.ports().lock().insert(number) {
                return Ok(Self { number, services: services.clone() });
            }
        }
        Err(none_left(std::io::ErrorKind::AddrInUse.into()))
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.services.ports().lock().remove(&self.number);
    }
}

fn none_left(error: std::io::Error) -> ToolError {
    ToolError::failed("There is no free port on this machine.").with_source(error)
}
