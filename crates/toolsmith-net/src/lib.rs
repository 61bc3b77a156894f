//! The guarded HTTP client of Toolsmith: address rules, limits, redirects.
//!
//! Everything that fetches goes through [`Client::send`]. An address that comes from a tool's input
//! is under [`Guard::Public`]: what is not on the public internet is refused, unless the operator's
//! [`Allow`] list opens it. The rule is applied to the very addresses that are connected to: names
//! are looked up once, by a resolver that leaves out what is refused, and every redirect is followed
//! by a loop of our own that checks again, and that hands neither credentials nor a body on to
//! another origin. Proxies of the environment are not used.
//!
//! # Example
//!
//! ```
//! use toolsmith_net::{Client, Guard, Request, Settings};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let client = Client::new(Settings::default())?;
//! let error = client.send(Request::get("http://169.254.169.254/")).await.unwrap_err();
//! assert!(error.into_tool_error().message().starts_with("Access denied"));
//! # Ok::<(), toolsmith_net::NetError>(())
//! # }).unwrap();
//! ```

mod allow;
mod client;
mod error;
mod guard;
mod headers;
mod redirect;
mod request;
mod resolver;
mod response;
mod tls;

pub use bytes::Bytes;
pub use reqwest::{
    Client as Connections, Error as LibraryError, Method, Request as Message,
    RequestBuilder as Draft, Response as Answer, StatusCode, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};

pub use toolsmith_core::address::refusal;

pub use self::{
    allow::{Allow, Opening},
    client::{Client, Settings},
    error::{Denial, NetError},
    guard::Guard,
    request::{Overflow, Request},
    resolver::{Resolve, SystemResolver},
    response::Response,
};
