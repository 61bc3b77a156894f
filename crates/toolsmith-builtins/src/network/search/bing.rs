//! Bing Web Search, version 7.

use toolsmith_core::ToolError;
use toolsmith_net::{Request, Response};

use super::provider::{Account, Hit, Provider, Question, hits};

pub(super) struct Bing;

impl Provider for Bing {
    fn request(&self, question: &Question<'_>, account: &Account) -> Result<Request, ToolError> {
        let key = account.api_key("bing", "BING_API_KEY")?;
        let count = question.limit.to_string();
        let query = [("q", question.text), ("count", &count), ("responseFilter", "Webpages")];
        let url = account.url("https://api.bing.microsoft.com", "/v7.0/search", &query)?;
        Ok(Request::get(url).with_secret_header("ocp-apim-subscription-key", key)?)
    }

    fn read(&self, response: &Response) -> Result<Vec<Hit>, ToolError> {
        hits(response, "/webPages/value", ["name", "url", "snippet"])
    }
}
