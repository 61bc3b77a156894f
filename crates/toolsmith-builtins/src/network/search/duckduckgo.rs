//! `DuckDuckGo`: its page for browsers without scripts, which needs no key.

use toolsmith_core::ToolError;
use toolsmith_net::{Request, Response, Url};

use super::provider::{Account, Hit, Provider, Question};
use crate::network::page::dom;

/// The engine turns away what does not look like a browser.
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

pub(super) struct Duckduckgo;

impl Provider for Duckduckgo {
    fn request(&self, question: &Question<'_>, account: &Account) -> Result<Request, ToolError> {
        let query = [("q", question.text)];
        let url = account.url("https://html.duckduckgo.com", "/html/", &query)?;
        Ok(Request::get(url)
            .with_header("user-agent", BROWSER)?
            .with_header("accept", "text/html")?)
    }

    fn read(&self, response: &Response) -> Result<Vec<Hit>, ToolError> {
        let text = response.text();
        if text.contains("anomaly-modal") || response.status.as_u16() == 202 {
            return Err(ToolError::upstream(
                "The search engine takes us for a robot and gives no results. Try again later, or \
                 ask the operator to configure another search provider.",
            ));
        }
        let document = dom::parse(&text);
        let mut hits = Vec::new();
        for block in dom::all(&document).filter(|node| dom::has_class(node, "result")) {
            if dom::has_class(&block, "result--ad") {
                continue;
            }
            let part = |class| dom::all(&block).find(|node| dom::has_class(node, class));
            let Some(link) = part("result__a") else { continue };
            hits.push(Hit {
                title: dom::words(&link),
                url: dom::attribute(&link, "href")
                    .and_then(|href| target(&href))
                    .unwrap_or_default(),
                snippet: part("result__snippet").map(|node| dom::words(&node)).unwrap_or_default(),
            });
        }
        Ok(hits)
    }
}

/// Takes an address out of the counting link around it.
fn target(href: &str) -> Option<String> {
    let url = Url::parse("https://duckduckgo.com/").ok()?.join(href).ok()?;
    if url.path() != "/l/" {
        return Some(url.into());
    }
    let inner = url.query_pairs().find(|(name, _)| name == "uddg");
    inner.map(|(_, address)| address.into_owned())
}
