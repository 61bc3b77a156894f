//! Tools that are HTTP APIs: `entry.type` `http` or `rest`.
//!
//! ```yaml
//! entry:
//!   type: http
//!   base_url: ${API:https://api.example.com}/v1   # or `url`
//!   method: POST                  # GET unless said, POST with a body
//!   path: /users/{user_id}/notes  # `{parameter}` of the input, which cannot leave its place
//!   path_styles: { user_id: simple }  # or `label`, `matrix`: how lists and objects stand there
//!   query: { lang: "{lang}" }     # a pair with an absent parameter is left out, a list repeats it
//!                                 # or `{ value: "{lang}", style: form, explode: false }`
//!   headers: { X-Trace: "{trace}" }
//!   cookies: { session: "{session}" }
//!   body: { text: "{text}", tags: "{tags}" }  # a whole placeholder keeps its type
//!   body_type: json               # or `form`, `text`, `multipart`, `binary`
//!   keep_null: [tags]             # parameters whose null is sent; else it counts as absent
//!   auth: { type: bearer, token: "${TOKEN}" } # or `api_key`, `basic`, `oauth2`
//!   response: { path: /data, fields: { id: note.id } }
//! ```
//!
//! Parameters that no template uses go to the body of POST, PUT and PATCH when there is no `body`,
//! and to the query of the other methods. A success returns the body: JSON as its value, text as
//! text; `response` chooses a part. Any other status is an error, and so is an answer without the
//! part that `response.path` names.
//!
//! Without `base_url` the parameters `url`, `method`, `headers`, `query` and `body` of the input are
//! the request, and `{status, headers, body}` is returned whatever the status is. Such addresses are
//! under [`toolsmith_net::Guard::Public`], like those whose host the input takes part in.

mod address;
mod answer;
mod auth;
mod body;
mod files;
mod open;
mod pattern;
mod plan;
mod request;
mod slot;
mod style;
#[cfg(test)]
pub(crate) mod tests;
mod token;

use std::sync::Arc;

use toolsmith_core::{
    BoxFuture, Draft, Executor, Fields, Kind, Made, Maker, Map, Secret, ToolContext, ToolError,
    Value, Vault, Work,
};
use toolsmith_net::{Client, Response};

pub use self::token::ClientCredentials;
pub(crate) use self::token::TokenSource;
use self::{auth::Signed, plan::Plan};

/// Makes tools of HTTP APIs.
#[derive(Clone, Debug)]
pub struct RestMaker {
    client: Client,
}

impl RestMaker {
    /// Sends the requests of its tools with a client.
    pub fn new(client: Client) -> Self {
        Self { client }
    }
}

impl Maker for RestMaker {
    fn types(&self) -> &'static [&'static str] {
        &["http", "rest"]
    }

    fn kind(&self) -> Kind {
        Kind::Rest
    }

    fn verbatim(&self) -> &'static [&'static str] {
        &["method", "response"]
    }

    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made> {
        let plan = Plan::read(draft, entry)?;
        let (client, vault) = (self.client.clone(), draft.vault.clone());
        Some(Work::Async(Arc::new(Rest { client, vault, plan })).into())
    }
}

/// Runs one tool: one request for each call.
#[derive(Debug)]
struct Rest {
    client: Client,
    vault: Vault,
    plan: Plan,
}

impl Executor for Rest {
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            let Value::Object(input) = input else {
                return Err(ToolError::validation("The input must be an object."));
            };
            if self.plan.address.is_none() {
                let request = open::request(&self.plan, &self.vault, &input)?;
                return Ok(answer::whole(&self.client.send(request).await?));
            }
            let (mut response, token) = self.send(cx, &input).await?;
            // A token can end before its time; a second one that is refused means what it says.
            if let Some(token) = token.filter(|_| response.status.as_u16() == 401) {
                self.plan.auth.forget(&token);
                (response, _) = self.send(cx, &input).await?;
            }
            self.plan.mapping.apply(&response.into_success(self.vault.redactor())?)
        })
    }

    fn upstream(&self) -> Option<&str> {
        self.plan.address.as_ref()?.upstream.as_deref()
    }
}

impl Rest {
    /// Sends one request; returns also the token that was fetched for it.
    async fn send(
        &self,
        cx: &ToolContext,
        input: &Map<String, Value>,
    ) -> Result<(Response, Option<Secret>), ToolError> {
        let mut request = request::build(&self.plan, &self.vault, input)?;
        // Who is called writes its part of the trace below ours, unless the definition says otherwise.
        if let Some(trace) = cx.context().trace
            && !request.headers.contains_key("traceparent")
        {
            request = request.with_header("traceparent", &trace.to_string())?;
        }
        let Signed { request, token } =
            self.plan.auth.sign(&self.client, &self.vault, request).await?;
        Ok((self.client.send(request).await?, token))
    }
}
