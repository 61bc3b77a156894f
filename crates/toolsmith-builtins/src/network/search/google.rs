//! Google's Custom Search: a key, and the identifier of a programmable search engine.

use toolsmith_core::ToolError;
use toolsmith_net::{Request, Response};

use super::provider::{Account, Hit, Provider, Question, hits, not_configured};

/// Google gives no more at once.
const MOST: usize = 10;

pub(super) struct Google;

impl Provider for Google {
    fn request(&self, question: &Question<'_>, account: &Account) -> Result<Request, ToolError> {
        let key = account.api_key("google", "GOOGLE_API_KEY")?;
        let engine = account.engine_id.as_ref();
        let engine = engine.ok_or_else(|| {
            not_configured("google", "engineId", "the `cx` of a programmable search engine")
        })?;
        let number = question.limit.min(MOST).to_string();
        let query = [
            ("key", key.expose().as_str()),
            ("cx", engine.expose()),
            ("q", question.text),
            ("num", &number),
        ];
        let url = account.url("https://www.googleapis.com", "/customsearch/v1", &query)?;
        Ok(Request::get(url))
    }

    fn read(&self, response: &Response) -> Result<Vec<Hit>, ToolError> {
        hits(response, "/items", ["title", "link", "snippet"])
    }
}
