//! Services elsewhere: `entry.type` `remote`.
//!
//! ```yaml
//! entry:
//!   type: remote
//!   url: https://tools.example.com:8443
//!   endpoint_path: /run
//!   headers: { X-Team: blue }
//!   token: ${TOOLS_TOKEN}         # sent as `Authorization: Bearer …`
//! ```
//!
//! Calls are forwarded as to a process. A remote service is `running` at once: it is not started,
//! and a breaker leaves it alone when it fails time after time. With `health.path` it is asked for
//! its health before a call when the last one failed.

mod service;

use std::sync::Arc;

use toolsmith_core::{Draft, Fields, Kind, Made, Maker, Template, Value, Work, describe};
use toolsmith_net::{Client, HeaderName};
use url::Url;

use self::service::Remote;
use crate::{
    endpoint::{Convention, Health},
    life::{Single, Source},
    texts,
};

/// Makes tools that are services elsewhere.
#[derive(Clone, Debug)]
pub struct RemoteMaker {
    client: Client,
}

impl RemoteMaker {
    /// Sends the requests of its tools with a client.
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    pub(crate) fn source(
        &self,
        draft: &Draft<'_>,
        fields: &mut Fields<'_>,
    ) -> Option<Box<dyn Source>> {
        Some(Box::new(self.remote(draft, fields)?))
    }

    fn remote(&self, draft: &Draft<'_>, fields: &mut Fields<'_>) -> Option<Remote> {
        let (client, vault) = (self.client.clone(), draft.vault.clone());
        let url = read_url(fields);
        let remote = Remote {
            client,
            vault,
            convention: Convention::read(fields),
            health: Health::read(fields),
            headers: read_headers(fields),
            token: texts::template(fields, "token").map(Template::into_secret),
            is_suspect: false.into(),
            is_reached: false.into(),
            url: url?,
        };
        (fields.is_fine() && texts::are_readable(fields.object())).then_some(remote)
    }
}

impl Maker for RemoteMaker {
    fn types(&self) -> &'static [&'static str] {
        &["remote"]
    }

    fn kind(&self) -> Kind {
        Kind::Remote
    }

    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made> {
        let remote = self.remote(draft, entry)?;
        // Shown with `***` for what is filled in, so that no key stands in a message.
        let upstream = Some(remote.url.to_string());
        Some(Work::Async(Arc::new(Single { source: Box::new(remote), upstream })).into())
    }
}

fn read_url(fields: &mut Fields<'_>) -> Option<Template> {
    if fields.any("url").is_none() {
        fields.miss("url", "say where the service is, for example https://host:8443");
        return None;
    }
    let text = fields.text("url")?;
    // What is filled in later is looked at when it is used.
    if !texts::has_variable(text) {
        let is_fine = Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !is_fine {
            fields.blame(
                "url",
                format!("expected an address such as https://host:8443, found {text:?}"),
            );
            return None;
        }
    }
    Template::parse(text).ok()
}

fn read_headers(fields: &mut Fields<'_>) -> Vec<(String, Template)> {
    let mut headers = Vec::new();
    for (name, value) in fields.map("headers").into_iter().flatten() {
        let place = format!("headers/{}", texts::escaped(name));
        if HeaderName::from_bytes(name.as_bytes()).is_err() {
            fields.blame_at(&place, format!("{name:?} is no name of a header"));
            continue;
        }
        match value {
            Value::String(text) => {
                headers.extend(Template::parse(text).ok().map(|text| (name.clone(), text)));
            }
            other => fields.blame_at(&place, format!("expected text, found {}", describe(other))),
        }
    }
    headers
}

#[cfg(test)]
mod tests;
