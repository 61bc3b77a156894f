//! Logging in to servers that ask who we are: `OAuth` 2.1, authorization code with PKCE.
//!
//! The library knows the protocol; the sockets, the file of tokens and the listening are ours.
//! A person opens an address, agrees there, and is led back to a port of this machine.

mod desk;
mod flow;
mod guarded;
mod redirect;
mod store;

use toolsmith_core::Template;

pub(super) use self::desk::{client, forget};
pub use self::flow::Login;

/// A client that was registered by hand, for servers that do not register by themselves.
#[derive(Clone, Debug, Default)]
pub struct Registered {
    /// Who we are.
    pub client_id: Option<Template>,
    /// What proves it, where the server wants that.
    pub client_secret: Option<Template>,
    /// What the token shall be good for, words with spaces between.
    pub scope: Option<Template>,
}
