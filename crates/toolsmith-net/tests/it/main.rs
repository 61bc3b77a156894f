//! The client against real servers, and attacks on it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod attacks;
mod limits;
mod names;
mod redirects;
mod secure;
mod server;

use toolsmith_net::{Allow, Client, Settings};

use self::server::Server;

/// Makes a client that may reach these servers and nothing else beyond the public internet.
fn client(open: &[&Server]) -> Client {
    let allow = Allow::parse(open.iter().map(|server| server.address.to_string())).unwrap();
    Client::new(Settings { allow, ..Settings::default() }).unwrap()
}
