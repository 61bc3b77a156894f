//! What servers offer besides tools, for whoever may see one of their tools.

use std::{collections::HashSet, sync::Arc, time::Duration};

use rmcp::{
    ErrorData, ServiceError,
    model::{
        CompleteRequestParams, ErrorCode, GetPromptRequestParams, ReadResourceRequestParams,
        ServerResult,
    },
};
use tokio::{
    sync::watch,
    time::{Instant, timeout},
};
use toolsmith_core::{
    BoxFuture, Call, CallId, Caller, Context, Editions, Found, Library, Map, Outcome, Reader,
    Rights, Text, Timestamp, ToolContext, ToolError, Value, Watched, json,
};

use super::{
    offer::{FROM, Offered},
    roster::Roster,
    rounds::{Party, Repeated},
    server::Server,
    session::Unanswered,
    words,
};

/// How long a request may take to a server whose calls may take for ever.
const LONGEST: Duration = Duration::from_mins(10);

/// How many servers are asked for a resource that none of them lists.
const MOST_ASKED: usize = 5;

/// What the servers of a roster offer besides tools.
#[derive(Debug)]
pub(super) struct Offerings(pub(super) Arc<Roster>);

/// Why there is no result.
enum Refused {
    /// The server says so, in the words of the protocol.
    Protocol(ErrorData),
    Other(ToolError),
}

impl Offerings {
    fn shown(&self, items: &[Offered], rights: &Rights) -> Vec<Value> {
        let sees = self.0.seen_by(rights);
        let mut keys = HashSet::new();
        let items = items.iter().filter(|offered| sees(&offered.server));
        let first = items.filter(|offered| keys.insert(offered.key.as_str()));
        first.map(|offered| offered.item.clone()).collect()
    }

    /// Returns the servers that may have the resource at an address.
    fn servers_of(&self, uri: &str, rights: &Rights) -> Vec<Arc<Server>> {
        let sees = self.0.seen_by(rights);
        let offer = self.0.offer();
        let names = offer.servers_of(uri, &sees).into_iter().take(MOST_ASKED);
        names.filter_map(|name| self.0.find(name).ok().cloned()).collect()
    }

    /// Finds a prompt that a reader may see: its server, and the server's name for it.
    fn prompt_of(&self, name: &str, rights: &Rights) -> Option<(Arc<Server>, String)> {
        let offer = self.0.offer();
        let offered = offer.prompts.iter().find(|offered| offered.key == name)?;
        let server = Some(&offered.server).filter(|server| self.0.seen_by(rights)(server))?;
        Some((Arc::clone(self.0.find(server).ok()?), offered.own_key.clone()))
    }

    async fn read_one(&self, uri: &str, reader: Reader) -> Found {
        for server in self.servers_of(uri, &reader.rights) {
            let cx = context(&server, uri, &reader);
            match ask(&server, &cx, ReadResourceRequestParams::new(uri)).await {
                Err(Refused::Protocol(error)) if is_missing(&error) => {}
                answer => return Some(result(&server, "contents", answer)),
            }
        }
        None
    }

    async fn make(&self, name: &str, arguments: Map<String, Value>, reader: Reader) -> Found {
        let (server, own_name) = self.prompt_of(name, &reader.rights)?;
        let cx = context(&server, name, &reader);
        let mut params = GetPromptRequestParams::new(own_name);
        params.arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
        Some(result(&server, "messages", ask(&server, &cx, params).await))
    }

    async fn complete_one(&self, request: &Value, rights: &Rights) -> Found {
        let mut request = request.clone();
        let named = |member: &str| Some(request.get("ref")?.get(member)?.as_str()?.to_owned());
        let server = match (named("name"), named("uri")) {
            (Some(name), _) => {
                let (server, own_name) = self.prompt_of(&name, rights)?;
                request["ref"]["name"] = own_name.into();
                server
            }
            (None, Some(uri)) => self.owner_of(&uri, rights)?,
            (None, None) => return None,
        };
        if !self.0.stock_of(&server.settings.name).completes {
            return None;
        }
        let params: CompleteRequestParams = match serde_json::from_value(request) {
            Ok(params) => params,
            Err(error) => return Some(Err(ToolError::validation(error.to_string()))),
        };
        let reader = Reader { rights: rights.clone(), asker: None };
        let cx = context(&server, "completion", &reader);
        Some(result(&server, "completion", ask(&server, &cx, params).await))
    }

    /// Returns the server that lists a template, or else the one that has the resource.
    fn owner_of(&self, uri: &str, rights: &Rights) -> Option<Arc<Server>> {
        let (offer, sees) = (self.0.offer(), self.0.seen_by(rights));
        let mut templates = offer.templates.iter().filter(|offered| sees(&offered.server));
        match templates.find(|offered| offered.key == uri) {
            Some(offered) => self.0.find(&offered.server).ok().cloned(),
            None => self.servers_of(uri, rights).into_iter().next(),
        }
    }

    async fn watch_one(&self, uri: &str, rights: &Rights) -> Option<Watched> {
        let mut servers = self.servers_of(uri, rights).into_iter();
        let server = servers.find(|server| self.0.stock_of(&server.settings.name).tells)?;
        // Changes are heard of while there is a session.
        server.session().await.ok()?;
        server.watching.follow(uri).await
    }
}

impl Library for Offerings {
    fn resources<'a>(&'a self, rights: &'a Rights) -> BoxFuture<'a, Vec<Value>> {
        Box::pin(async { self.shown(&self.0.offer().resources, rights) })
    }

    fn templates<'a>(&'a self, rights: &'a Rights) -> BoxFuture<'a, Vec<Value>> {
        Box::pin(async { self.shown(&self.0.offer().templates, rights) })
    }

    fn prompts<'a>(&'a self, rights: &'a Rights) -> BoxFuture<'a, Vec<Value>> {
        Box::pin(async { self.shown(&self.0.offer().prompts, rights) })
    }

    fn read<'a>(&'a self, uri: &'a str, reader: Reader) -> BoxFuture<'a, Found> {
        Box::pin(self.read_one(uri, reader))
    }

    fn prompt<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        reader: Reader,
    ) -> BoxFuture<'a, Found> {
        Box::pin(self.make(name, arguments, reader))
    }

    fn complete<'a>(&'a self, request: &'a Value, rights: &'a Rights) -> BoxFuture<'a, Found> {
        Box::pin(self.complete_one(request, rights))
    }

    fn watch<'a>(&'a self, uri: &'a str, rights: &'a Rights) -> BoxFuture<'a, Option<Watched>> {
        Box::pin(self.watch_one(uri, rights))
    }

    fn changes(&self) -> watch::Receiver<Editions> {
        self.0.editions()
    }
}

/// Makes a request to a server, once more when the session turns out to be over.
async fn ask<P: Repeated>(
    server: &Arc<Server>,
    cx: &ToolContext,
    params: P,
) -> Result<ServerResult, Refused> {
    let asking = async {
        let mut session = server.session().await?;
        let settings = &server.settings;
        let mut answer = params.send(Party { cx, settings, session: &session }).await;
        if server.may_heal(&session, answer.as_ref().err()) {
            session = server.session().await?;
            answer = params.send(Party { cx, settings, session: &session }).await;
        }
        let party = Party { cx, settings, session: &session };
        match party.settle(params, answer).await? {
            Ok(result) => Ok(Ok(result)),
            Err(Unanswered::Service(ServiceError::McpError(error))) => Ok(Err(error)),
            Err(reason) => Err(party.refusal(reason).await),
        }
    };
    let answer = match timeout(cx.remaining(), asking).await {
        Ok(answer) => answer.map_err(Refused::Other)?,
        Err(_) => {
            let name = &server.settings.name;
            let message = format!("The MCP server `{name}` did not answer in time.");
            return Err(Refused::Other(ToolError::upstream(message)));
        }
    };
    server.note_success();
    answer.map_err(Refused::Protocol)
}

/// Reads a result, which has a certain member.
fn result(
    server: &Server,
    member: &str,
    answer: Result<ServerResult, Refused>,
) -> Result<Value, ToolError> {
    let name = &server.settings.name;
    let answer = match answer {
        Ok(answer) => answer,
        Err(Refused::Protocol(error)) => return Err(refusal(name, &error)),
        Err(Refused::Other(error)) => return Err(error),
    };
    let mut value = serde_json::to_value(answer).unwrap_or_default();
    if value.get(member).is_none() {
        return Err(words::not_of_the_protocol(name));
    }
    let mut meta = match value.get_mut("_meta").map(Value::take) {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    meta.remove("io.modelcontextprotocol/serverInfo");
    meta.insert(FROM.to_owned(), json!(name));
    value["_meta"] = meta.into();
    Ok(value)
}

/// Says why a server does not give what it was asked for.
fn refusal(server: &str, error: &ErrorData) -> ToolError {
    if error.code == ErrorCode::INVALID_PARAMS {
        let said = words::cut(&error.message);
        return ToolError::validation(format!("The MCP server `{server}` says: {said}"));
    }
    words::refused(server, error)
}

/// Tells whether a server says that it has no such resource.
///
/// The newest revision has no code of its own for that.
fn is_missing(error: &ErrorData) -> bool {
    matches!(error.code, ErrorCode::RESOURCE_NOT_FOUND | ErrorCode::INVALID_PARAMS)
}

/// Makes a context for questions that a server asks on the way.
fn context(server: &Server, name: &str, reader: &Reader) -> ToolContext {
    let limit = server.settings.call_timeout;
    let limit = if limit.is_zero() { LONGEST } else { limit };
    let id = CallId::from_parts(server.surroundings.clock.now(), 0);
    let context = Context { rights: reader.rights.clone(), ..Context::default() };
    let shown: String = name.chars().take(200).collect();
    ToolContext::new(
        id,
        Text::from(shown.as_str()),
        context,
        Instant::now() + limit,
        Arc::new(Alone),
    )
    .with_asker(reader.asker.clone())
}

/// Stands where a call has its engine: nothing is called on the way to a resource.
#[derive(Debug)]
struct Alone;

impl Caller for Alone {
    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        let now = Timestamp::from_millis(0);
        let outcome = Outcome {
            call_id: CallId::first_at(now),
            tool_name: call.tool.as_str().into(),
            version: None,
            result: Err(ToolError::failed("No tool can be called from here.")),
            started_at: now,
            duration: Duration::ZERO,
            metadata: Map::new(),
        };
        Box::pin(std::future::ready(outcome))
    }
}
