//! `web_fetch`: reads a page as Markdown.

use std::sync::Arc;

use tokio::sync::Semaphore;
use toolsmith_core::{Annotations, Redactor, Tool, ToolError, ToolSpec, Value, json};
use toolsmith_net::{Client, Overflow, Request, Response};

use super::{
    Network,
    http_get::url,
    page::{self, Page, charset},
};
use crate::{about::about, input};

/// How much of a page is read, in bytes: the text of the longest articles, and quick to convert.
const MOST: usize = 4 * 1024 * 1024;

/// What is asked for: Markdown where a server has it, else a page.
const ACCEPT: &str =
    "text/markdown, text/html, application/xhtml+xml;q=0.9, text/*;q=0.8, */*;q=0.5";

#[derive(serde::Deserialize)]
struct Ask {
    url: String,
}

/// Builds the tool.
pub(super) fn tool(network: &Network) -> Result<Tool, ToolError> {
    let client = network.client.clone();
    let turns = Arc::new(Semaphore::new(network.pages_at_once.max(1)));
    Ok(Tool::function(spec()?, move |_cx, input| {
        let (client, turns) = (client.clone(), Arc::clone(&turns));
        async move { run(&client, turns, input::read(input)?).await }
    }))
}

async fn run(client: &Client, turns: Arc<Semaphore>, ask: Ask) -> Result<Value, ToolError> {
    let mut request = Request::get(ask.url).with_header("accept", ACCEPT)?;
    (request.max_bytes, request.overflow) = (Some(MOST), Overflow::Cut);
    let response = client.send(request).await?.into_success(&Redactor::default())?;
    let (url, is_cut) = (response.url.to_string(), response.is_cut);
    let page = convert(response, turns).await?;
    let mut output = json!({ "url": url, "title": page.title, "markdown": page.markdown });
    if let (true, Some(fields)) = (is_cut, output.as_object_mut()) {
        fields.insert("truncated".to_owned(), true.into());
    }
    Ok(output)
}

/// Converts a page on a thread of its own, when it is its turn.
async fn convert(response: Response, turns: Arc<Semaphore>) -> Result<Page, ToolError> {
    let unable = || ToolError::failed("The page could not be converted.");
    let turn = turns.acquire_owned().await.map_err(|error| unable().with_source(error))?;
    // A large page takes a while to convert; the other calls of this thread must not wait for it.
    let reading = tokio::task::spawn_blocking(move || {
        let page = read(&response);
        // The turn goes with the work: a call that is given up leaves its thread behind.
        drop(turn);
        page
    });
    reading.await.map_err(|error| unable().with_source(error))?
}

fn read(response: &Response) -> Result<Page, ToolError> {
    let media_type = response.media_type();
    let Some(text) = charset::text_of(response) else {
        return Err(ToolError::failed(format!(
            "The address holds `{media_type}`, which is not text and cannot be shown as Markdown."
        )));
    };
    if page::is_html(&media_type, &text) {
        let page = page::readable(&text, &response.url);
        return if page.markdown.is_empty() { Err(nothing_to_read()) } else { Ok(page) };
    }
    let markdown = match serde_json::from_str::<Value>(&text) {
        Ok(value) if media_type.contains("json") => format!("{value:#}"),
        _ => text,
    };
    Ok(Page { title: String::new(), markdown })
}

fn nothing_to_read() -> ToolError {
    ToolError::failed(
        "The page has no text of its own: scripts build it in a browser. Look for another page, \
         or for an API that http_get can ask.",
    )
}

fn spec() -> Result<ToolSpec, ToolError> {
    let spec = ToolSpec::new("web_fetch")?
        .with_description(
            "Reads a public web page and returns its main content as Markdown, with its links. \
             Navigation, scripts and advertisements are left out. Text and JSON are returned as \
             they are. Private and local addresses are refused.",
        )
        .with_category("network")
        .with_parameters(&[url()])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "url": { "type": "string", "description": "The address that answered." },
                "title": { "type": "string", "description": "The title; empty when it has none." },
                "markdown": { "type": "string", "description": "The content." },
                "truncated": { "type": "boolean", "description": "Whether its end is missing." }
            },
            "required": ["url", "title", "markdown"],
            "additionalProperties": false
        }))
        .with_annotations(Annotations {
            read_only: true,
            idempotent: true,
            open_world: true,
            ..Annotations::default()
        });
    let example = json!({
        "input": { "url": "https://example.com/" },
        "output": {
            "url": "https://example.com/",
            "title": "Example Domain",
            "markdown": "# Example Domain\n\nThis domain is for use in examples."
        }
    });
    Ok(about(spec, "Read a web page", &["web", "page", "read", "markdown"], &[example]))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use toolsmith_net::{HeaderMap, StatusCode};

    use super::*;

    fn page() -> Response {
        Response {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            url: "https://a.example/".parse().unwrap(),
            body: "<html><p>words".into(),
            is_cut: false,
        }
    }

    #[tokio::test]
    async fn pages_beyond_the_limit_wait_for_their_turn() {
        let turns = Arc::new(Semaphore::new(1));
        let taken = Arc::clone(&turns).acquire_owned().await.unwrap();
        let mut waiting = Box::pin(convert(page(), Arc::clone(&turns)));
        let early = tokio::time::timeout(Duration::from_millis(50), &mut waiting).await;
        assert!(early.is_err(), "{early:?}");
        drop(taken);
        assert_eq!(waiting.await.unwrap().markdown, "words");
        assert_eq!(turns.available_permits(), 1);
    }
}
