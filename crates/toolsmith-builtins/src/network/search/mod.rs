//! Search engines: one question and one answer for all, a file for each.

mod bing;
mod duckduckgo;
mod google;
mod provider;
mod searxng;
mod tavily;

use toolsmith_core::{Template, ToolError, Vault};

pub(super) use self::provider::{Account, Hit, Provider, Question};

/// Which engine searches, and how it knows us.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The engine.
    pub engine: SearchEngine,
    /// The key that it gave us.
    pub api_key: Option<Template>,
    /// The identifier of a programmable search engine, which Google wants besides the key.
    pub engine_id: Option<Template>,
    /// Where it is asked, when that is not its usual address.
    pub base_url: Option<Template>,
}

/// The engines that are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchEngine {
    /// Tavily, made for models.
    Tavily,
    /// Google's Custom Search.
    Google,
    /// Bing Web Search, version 7, and services that speak like it.
    Bing,
    /// `DuckDuckGo`, which needs no key.
    #[default]
    Duckduckgo,
    /// A `SearXNG` of one's own.
    Searxng,
}

impl SearchEngine {
    pub(super) fn provider(self) -> &'static dyn Provider {
        match self {
            Self::Tavily => &tavily::Tavily,
            Self::Google => &google::Google,
            Self::Bing => &bing::Bing,
            Self::Duckduckgo => &duckduckgo::Duckduckgo,
            Self::Searxng => &searxng::Searxng,
        }
    }
}

impl Search {
    /// Fills in the keys at the last moment.
    pub(super) fn account(&self, vault: &Vault) -> Result<Account, ToolError> {
        let fill = |template: &Option<Template>| {
            template.as_ref().map(|template| vault.fill(template)).transpose()
        };
        Ok(Account {
            api_key: fill(&self.api_key)?,
            engine_id: fill(&self.engine_id)?,
            base_url: fill(&self.base_url)?,
        })
    }
}
