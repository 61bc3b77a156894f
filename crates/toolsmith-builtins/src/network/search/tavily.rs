//! Tavily: a search engine made for models.

use toolsmith_core::{Secret, ToolError, json};
use toolsmith_net::{Request, Response};

use super::provider::{Account, Hit, Provider, Question, hits};

pub(super) struct Tavily;

impl Provider for Tavily {
    fn request(&self, question: &Question<'_>, account: &Account) -> Result<Request, ToolError> {
        let key = account.api_key("tavily", "TAVILY_API_KEY")?;
        let url = account.url("https://api.tavily.com", "/search", &[])?;
        let body = json!({ "query": question.text, "max_results": question.limit });
        let bearer = Secret::new(format!("Bearer {}", key.expose()));
        Ok(Request::post(url, "application/json", body.to_string())
            .with_secret_header("authorization", &bearer)?)
    }

    fn read(&self, response: &Response) -> Result<Vec<Hit>, ToolError> {
        hits(response, "/results", ["title", "url", "content"])
    }
}
