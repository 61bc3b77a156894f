//! Tools that talk to the network: requests, pages as Markdown, web search.
//!
//! Addresses come from the input, so they are under [`toolsmith_net::Guard::Public`]. Only the
//! search engine that an operator has configured is trusted.

mod exchange;
mod http_get;
mod http_post;
mod http_request;
mod page;
pub mod search;
#[cfg(test)]
mod tests;
mod web_fetch;
mod web_search;

use toolsmith_core::{Redactor, Tool, ToolError, Vault};
use toolsmith_net::Client;

pub use search::Search;

/// What the network tools are told by whoever builds them.
#[derive(Clone, Debug)]
pub struct Network {
    /// What sends requests; shared with everything else that does.
    pub client: Client,
    /// What fills in the keys of the search engine.
    pub vault: Vault,
    /// Who searches the web; nobody unless said, as questions go to a stranger.
    pub search: Option<Search>,
    /// How many results a search has that does not say.
    pub usual_results: u64,
    /// How many pages are converted at once; further ones wait, so that they cannot fill the memory.
    pub pages_at_once: usize,
}

impl Network {
    /// Takes a client, knows no variables, and searches with nobody.
    pub fn new(client: Client) -> Self {
        let vault = Vault::with_values::<String, String>([], Redactor::default());
        Self { client, vault, search: None, usual_results: 10, pages_at_once: 4 }
    }
}

/// Returns every network tool.
pub fn tools(network: &Network) -> Result<Vec<Tool>, ToolError> {
    Ok(vec![
        http_get::tool(&network.client)?,
        http_post::tool(&network.client)?,
        http_request::tool(&network.client)?,
        web_fetch::tool(network)?,
        web_search::tool(network)?,
    ])
}
