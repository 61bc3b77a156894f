//! `web_search`: searches the web with the configured engine.

use toolsmith_core::{Annotations, Parameter, Tool, ToolError, ToolSpec, Value, json};

use super::{
    Network,
    search::{Hit, Question},
};
use crate::{about::about, input};

/// How many results can be asked for: what every engine gives at once, or nearly.
const MOST: u64 = 20;

#[derive(serde::Deserialize)]
struct Ask {
    query: String,
    #[serde(default, deserialize_with = "input::whole")]
    limit: Option<u64>,
}

/// Builds the tool.
pub(super) fn tool(network: &Network) -> Result<Tool, ToolError> {
    let network = network.clone();
    Ok(Tool::function(spec()?, move |_cx, input| {
        let network = network.clone();
        async move { run(&network, input::read(input)?).await }
    }))
}

async fn run(network: &Network, ask: Ask) -> Result<Value, ToolError> {
    let search = network.search.as_ref().ok_or_else(not_configured)?;
    let provider = search.engine.provider();
    let account = search.account(&network.vault)?;
    let limit = ask.limit.unwrap_or(network.usual_results).clamp(1, MOST);
    let limit = usize::try_from(limit).unwrap_or(1);
    let question = Question { text: &ask.query, limit };
    let request = provider.request(&question, &account)?.trusted();
    let response = network.client.send(request).await?.into_success(network.vault.redactor())?;
    let mut hits = provider.read(&response)?;
    hits.retain(|hit| !hit.url.is_empty());
    hits.truncate(limit);
    Ok(json!({ "results": hits.into_iter().map(Hit::into_value).collect::<Vec<_>>() }))
}

fn not_configured() -> ToolError {
    ToolError::failed(
        "Web search is not configured. Set `tools.webSearch.provider` to one of tavily, google, bing, \
         duckduckgo or searxng, and `tools.webSearch.apiKey` for those that need a key; duckduckgo \
         needs none.",
    )
}

fn spec() -> Result<ToolSpec, ToolError> {
    let query = Parameter::string("query")
        .required()
        .with_description("What to look for, in a few words.")
        .with_rule("min_length", 1)
        .with_rule("max_length", 1_000);
    let limit = Parameter::integer("limit")
        .with_description(
            "How many results at most; as many as are configured unless given, usually 10.",
        )
        .with_rule("min", 1)
        .with_rule("max", MOST);
    let text = |what: &str| json!({ "type": "string", "description": what });
    let spec = ToolSpec::new("web_search")?
        .with_description(
            "Searches the web and returns titles, addresses and short extracts. Read a result with \
             web_fetch.",
        )
        .with_category("network")
        .with_parameters(&[query, limit])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "results": {
                    "type": "array",
                    "description": "The results, the best first.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "title": text("The title of the page."),
                            "url": text("Its address."),
                            "snippet": text("A short extract.")
                        },
                        "required": ["title", "url", "snippet"],
                        "additionalProperties": false
                    }
                }
            },
            "required": ["results"],
            "additionalProperties": false
        }))
        .with_annotations(Annotations {
            read_only: true,
            idempotent: true,
            open_world: true,
            ..Annotations::default()
        });
    let example = json!({
        "input": { "query": "rust async book", "limit": 1 },
        "output": {
            "results": [{
                "title": "Asynchronous Programming in Rust",
                "url": "https://rust-lang.github.io/async-book/",
                "snippet": "This book aims to be a guide to using async and await in Rust."
            }]
        }
    });
    Ok(about(spec, "Web search", &["web", "search", "internet", "find"], &[example]))
}
