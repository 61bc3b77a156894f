//! `SearXNG`: a search engine that an operator runs.

use toolsmith_core::{Secret, ToolError};
use toolsmith_net::{Request, Response};

use super::provider::{Account, Hit, Provider, Question, hits, not_configured};

pub(super) struct Searxng;

impl Provider for Searxng {
    fn request(&self, question: &Question<'_>, account: &Account) -> Result<Request, ToolError> {
        if account.base_url.is_none() {
            return Err(not_configured("searxng", "baseUrl", "`https://searx.example.com`"));
        }
        let url = account.url("", "/search", &[("q", question.text), ("format", "json")])?;
        let request = Request::get(url);
        // Instances behind a gate take a token.
        match &account.api_key {
            Some(key) => {
                let bearer = Secret::new(format!("Bearer {}", key.expose()));
                Ok(request.with_secret_header("authorization", &bearer)?)
            }
            None => Ok(request),
        }
    }

    fn read(&self, response: &Response) -> Result<Vec<Hit>, ToolError> {
        hits(response, "/results", ["title", "url", "content"])
    }
}
