//! Servers that are reached by streamable HTTP.

use std::{collections::HashMap, io, sync::Arc, time::Duration};

use rmcp::{
    ServiceError,
    service::ClientInitializeError,
    transport::{
        DynamicTransportError, StreamableHttpClientTransport,
        auth::{AuthClient, AuthError},
        streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError},
    },
};
use tokio::time::timeout;
use toolsmith_core::{Advice, Fields, Secret, Template, ToolError, Vault, json};
use toolsmith_net::{Client, Guard, HeaderName, HeaderValue, NetError, Overflow, Request, Url};

use super::{
    joined::Joined,
    login,
    open::Opener,
    posts::Line,
    routes::Routes,
    session::Session,
    settings::Address,
    wire::{HttpError, LONGEST_MESSAGE, Wire},
    words,
};
use crate::rest::{ClientCredentials, TokenSource};

/// How long it is looked whether a server speaks the old transport.
const LOOK: Duration = Duration::from_secs(2);

/// What the stream of the old transport begins with.
const OLD_GREETING: &str = "event: endpoint";

/// How we say who we are: a token that is fetched for it (`OAuth` 2, client credentials).
#[derive(Clone, Debug)]
pub struct Credentials(Arc<TokenSource>);

impl Credentials {
    /// Fetches tokens with the client's own credentials.
    pub fn client(credentials: ClientCredentials) -> Self {
        Self(Arc::new(TokenSource::new(credentials)))
    }

    /// Reads the key `auth` of an entry.
    pub(super) fn read(entry: &mut Fields<'_>) -> Option<Self> {
        let mut fields = entry.enter("auth")?;
        if fields.word("type", &["oauth2"]).is_none() && fields.any("type").is_none() {
            fields.miss("type", "`oauth2`; a fixed token goes into `headers`");
        }
        let source = TokenSource::read(&mut fields);
        entry.leave(fields);
        Some(Self(Arc::new(source)))
    }

    pub(super) async fn token(&self, net: &Client, vault: &Vault) -> Result<Secret, ToolError> {
        self.0.token(net, vault).await
    }

    /// Lets the next session fetch another token.
    pub(super) fn renew(&self) {
        self.0.forget_any();
    }
}

/// What messages go over.
pub(super) enum HttpTransport {
    Plain(Joined, Box<Line>),
    /// Somebody has logged in.
    Known(StreamableHttpClientTransport<AuthClient<Wire>>),
}

/// Makes the transport; nothing is sent yet but for a token.
pub(super) async fn transport(
    opener: Opener<'_>,
    address: &Address,
    routes: &Arc<Routes>,
) -> Result<HttpTransport, ToolError> {
    let (net, vault) = (&opener.surroundings.net, &opener.surroundings.vault);
    let url = vault.fill(&address.url)?.expose().clone();
    let place = net.check(&url, Guard::Trusted).map_err(NetError::into_tool_error)?;
    // Written as it is taken apart, so that it is known again.
    let url = place.as_str().to_owned();
    let mut headers = HashMap::new();
    for (name, value) in &address.headers {
        let (name, value) = header(opener, name, value)?;
        headers.insert(name, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers.clone())
        // We open another session ourselves, and read what the server lists by then.
        .reinit_on_expired_session(false)
        .max_sse_event_size(LONGEST_MESSAGE);
    let mut token = None;
    if let Some(credentials) = &address.credentials {
        let token = token.insert(credentials.token(net, vault).await?);
        config = config.auth_header(token.expose());
    }
    let connections = net.connections(Guard::Trusted).map_err(NetError::into_tool_error)?;
    let (routes, session) = (Arc::clone(routes), Arc::default());
    let wire = Wire { connections, place, routes, session };
    let has_token =
        address.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    if address.credentials.is_none()
        && !has_token
        && let Some(known) =
            login::client(opener.settings, opener.surroundings, wire.clone()).await?
    {
        let transport = StreamableHttpClientTransport::with_client(known, config);
        return Ok(HttpTransport::Known(transport));
    }
    let uri = Arc::clone(&config.uri);
    let transport = StreamableHttpClientTransport::with_client(wire.clone(), config);
    let transport = Joined::new(transport);
    let line = Line { wire, uri, headers, token, ends: transport.ends() };
    Ok(HttpTransport::Plain(transport, Box::new(line)))
}

fn header(
    opener: Opener<'_>,
    name: &str,
    value: &Template,
) -> Result<(HeaderName, HeaderValue), ToolError> {
    let wrong = |what: &str| {
        let server = &opener.settings.name;
        ToolError::failed(format!(
            "The MCP server `{server}` cannot be asked: the {what} of its header `{name}` is not legal."
        ))
    };
    let key: HeaderName = name.parse().map_err(|_| wrong("name"))?;
    let value = opener.surroundings.vault.fill(value)?;
    let mut value = HeaderValue::from_str(value.expose()).map_err(|_| wrong("value"))?;
    value.set_sensitive(true);
    Ok((key, value))
}

/// Says why no session came about.
pub(super) async fn not_opened(
    opener: Opener<'_>,
    address: &Address,
    error: &ClientInitializeError,
) -> ToolError {
    let name = &opener.settings.name;
    let place = place(opener, address);
    let why = match transport_error(error) {
        Some(failed) => match Trouble::of(failed) {
            Trouble::Unreachable => format!("it cannot be reached at {place}"),
            Trouble::Unauthorized => format!(
                "it asks for authorization. Log in by `toolsmith tools login {name}`, or set its \
                 `headers` (such as `Authorization: Bearer ${{VAR}}`) or `auth`"
            ),
            Trouble::TooLong => "its answer is longer than 16 MiB".to_owned(),
            Trouble::NotRenewed => {
                "the login cannot be renewed at the moment; try again later".to_owned()
            }
            Trouble::Status(status, _) => {
                if is_old(opener, address).await {
                    return old_transport(name);
                }
                format!("it answered with HTTP status {status} at {place}. Check its `url`")
            }
            Trouble::NotOfTheProtocol | Trouble::Other => {
                if is_old(opener, address).await {
                    return old_transport(name);
                }
                format!("what answers at {place} does not speak the protocol. Check its `url`")
            }
        },
        None if is_old(opener, address).await => return old_transport(name),
        None => words::refusal(error),
    };
    ToolError::upstream(format!("The MCP server `{name}` is not available: {why}."))
        .with_details(json!({ "server": name }))
}

/// Names the other end without what may be a secret in its address.
fn place(opener: Opener<'_>, address: &Address) -> String {
    let url = opener.surroundings.vault.fill(&address.url).ok();
    let url = url.and_then(|url| Url::parse(url.expose()).ok());
    url.map_or_else(|| address.url.to_string(), |url| url.origin().ascii_serialization())
}

/// The transport that was given up in 2025, and what stands in its place.
pub(super) fn old_transport(name: &str) -> ToolError {
    ToolError::upstream(format!(
        "The MCP server `{name}` speaks the old HTTP+SSE transport, which is not supported. Use its \
         streamable HTTP address (often ending in `/mcp` where the old one ends in `/sse`), or update \
         the server."
    ))
    .with_advice(Advice::Final)
    .with_details(json!({ "server": name }))
}

/// Looks whether a server greets as the old transport does.
async fn is_old(opener: Opener<'_>, address: &Address) -> bool {
    let Ok(url) = opener.surroundings.vault.fill(&address.url) else { return false };
    let request = Request::get(url.expose().as_str()).trusted();
    let Ok(mut request) = request.with_header("accept", "text/event-stream") else { return false };
    // The stream does not end; its first words are enough.
    request.max_bytes = Some(OLD_GREETING.len());
    request.overflow = Overflow::Cut;
    let answer = timeout(LOOK, opener.surroundings.net.send(request)).await;
    answer.is_ok_and(|answer| answer.is_ok_and(|answer| answer.text() == OLD_GREETING))
}

/// A request of a session could not be sent, or has no answer.
pub(super) fn not_sent(
    server: &str,
    session: &Session,
    error: &DynamicTransportError,
) -> ToolError {
    let (mut details, mut wait) = (json!({ "server": server }), None);
    let trouble = error.error.downcast_ref::<HttpError>().map_or(Trouble::Other, Trouble::of);
    let (why, advice) = match trouble {
        Trouble::Unreachable => ("cannot be reached".to_owned(), Advice::Later),
        Trouble::Unauthorized => {
            let why = format!(
                "asks for authorization: its credentials may have ended. `toolsmith tools login \
                 {server}` logs in again"
            );
            (why, Advice::Final)
        }
        Trouble::TooLong => ("sent a message of more than 16 MiB".to_owned(), Advice::Final),
        Trouble::NotRenewed => {
            ("cannot be asked: the login cannot be renewed at the moment".to_owned(), Advice::Later)
        }
        Trouble::Status(status, after) => {
            details["status"] = status.into();
            wait = after;
            let advice = match status {
                408 | 425 | 429 | 500.. => Advice::Later,
                _ => Advice::Differently,
            };
            (format!("answered with HTTP status {status}"), advice)
        }
        Trouble::NotOfTheProtocol => {
            ("gave an answer that is not of the protocol".to_owned(), Advice::Final)
        }
        Trouble::Other => ("broke the connection off".to_owned(), Advice::Later),
    };
    // Whatever state the session is in, a fresh one is in a better.
    session.retire();
    let error = ToolError::upstream(format!("The MCP server `{server}` {why}."))
        .with_advice(advice)
        .with_details(details);
    match wait {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    }
}

/// Tells whether a request was refused before the server looked into it.
pub(super) fn is_refused_unread(error: &ServiceError) -> bool {
    let ServiceError::TransportSend(error) = error else { return false };
    let error = error.error.downcast_ref::<HttpError>();
    error.is_some_and(|error| {
        matches!(
            error,
            StreamableHttpError::AuthRequired(_)
                | StreamableHttpError::SessionExpired
                | StreamableHttpError::ReinitializationFailed(_)
        ) || matches!(Trouble::of(error), Trouble::Unreachable)
    })
}

fn transport_error(error: &ClientInitializeError) -> Option<&HttpError> {
    match error {
        ClientInitializeError::TransportError { error, .. } => error.error.downcast_ref(),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => transport_error(fallback),
        _ => None,
    }
}

/// What is wrong with an exchange.
enum Trouble {
    Unreachable,
    Unauthorized,
    NotRenewed,
    TooLong,
    /// The status, and how long the server wants to be left alone.
    Status(u16, Option<Duration>),
    /// It came whole, and is something else than was asked for.
    NotOfTheProtocol,
    Other,
}

impl Trouble {
    fn of(error: &HttpError) -> Self {
        match error {
            StreamableHttpError::Client(error) if error.is_connect() || error.is_timeout() => {
                Self::Unreachable
            }
            StreamableHttpError::Client(error) => {
                error.status().map_or(Self::Other, |status| Self::Status(status.as_u16(), None))
            }
            StreamableHttpError::AuthRequired(_)
            | StreamableHttpError::InsufficientScope(_)
            | StreamableHttpError::Auth(AuthError::AuthorizationRequired) => Self::Unauthorized,
            StreamableHttpError::Auth(_) => Self::NotRenewed,
            StreamableHttpError::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Self::TooLong
            }
            StreamableHttpError::HttpStatus(error) => {
                let seconds = error.retry_after.as_deref().and_then(|wait| wait.parse().ok());
                Self::Status(error.status, seconds.map(Duration::from_secs))
            }
            StreamableHttpError::Deserialize(_) | StreamableHttpError::UnexpectedContentType(_) => {
                Self::NotOfTheProtocol
            }
            StreamableHttpError::UnexpectedServerResponse(text) => {
                // The library has put the status into words.
                let status =
                    text.strip_prefix("HTTP ").and_then(|rest| rest.get(..3)?.parse().ok());
                match status {
                    Some(401 | 403) => Self::Unauthorized,
                    Some(status) => Self::Status(status, None),
                    None => Self::NotOfTheProtocol,
                }
            }
            _ => Self::Other,
        }
    }
}
