//! What every search engine has in common: a question, an account, results.

use toolsmith_core::{Secret, ToolError, Value, json};
use toolsmith_net::{Request, Response, Url};

/// One search engine: how it is asked, and how its answer is read. Neither sends anything.
pub(in crate::network) trait Provider: Send + Sync {
    /// Writes the request.
    fn request(&self, question: &Question<'_>, account: &Account) -> Result<Request, ToolError>;

    /// Reads the results of a success.
    fn read(&self, response: &Response) -> Result<Vec<Hit>, ToolError>;
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(in crate::network) struct Question<'a> {
    pub(in crate::network) text: &'a str,
    pub(in crate::network) limit: usize,
}

/// How an engine knows us, filled in.
#[derive(Debug, Default)]
pub(in crate::network) struct Account {
    pub(super) api_key: Option<Secret>,
    pub(super) engine_id: Option<Secret>,
    pub(super) base_url: Option<Secret>,
}

impl Account {
    pub(super) fn api_key(&self, engine: &str, variable: &str) -> Result<&Secret, ToolError> {
        let key = self.api_key.as_ref().filter(|key| !key.expose().is_empty());
        key.ok_or_else(|| not_configured(engine, "apiKey", &format!("`${{{variable}}}`")))
    }

    /// Returns an address below where the engine is asked.
    pub(super) fn url(
        &self,
        usual: &str,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<String, ToolError> {
        let place = self.base_url.as_ref().map_or(usual, |place| place.expose().as_str());
        let place = format!("{}{path}", place.trim_end_matches('/'));
        let parsed = if query.is_empty() {
            Url::parse(&place)
        } else {
            Url::parse_with_params(&place, query)
        };
        parsed.map(String::from).map_err(|error| {
            ToolError::failed("Web search is not usable: `tools.webSearch.baseUrl` is no address.")
                .with_source(error)
        })
    }
}

/// A result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::network) struct Hit {
    pub(in crate::network) title: String,
    pub(in crate::network) url: String,
    pub(in crate::network) snippet: String,
}

impl Hit {
    pub(in crate::network) fn into_value(self) -> Value {
        json!({ "title": self.title, "url": self.url, "snippet": self.snippet })
    }
}

pub(super) fn not_configured(engine: &str, key: &str, example: &str) -> ToolError {
    ToolError::failed(format!(
        "Web search with {engine} is not configured: set `tools.webSearch.{key}`, for \
         example to {example}. Or choose the provider `duckduckgo`, which needs no key."
    ))
}

/// Reads results out of a JSON answer: where the list stands, and what the three fields are called.
pub(super) fn hits(
    response: &Response,
    list: &str,
    fields: [&str; 3],
) -> Result<Vec<Hit>, ToolError> {
    let answer: Value = serde_json::from_slice(&response.body).map_err(|error| {
        ToolError::upstream("The search engine's answer is no JSON. Try again later.")
            .with_source(error)
    })?;
    // An answer without the list is an answer without results.
    let items = answer.pointer(list).and_then(Value::as_array);
    let hit = |item: &Value| {
        let [title, url, snippet] = fields.map(|field| {
            let text = item.get(field).and_then(Value::as_str).unwrap_or_default();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        Hit { title, url, snippet }
    };
    Ok(items.into_iter().flatten().map(hit).collect())
}
