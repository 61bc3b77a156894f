//! What a caller is told when a server fails.

use std::{borrow::Cow, time::Duration};

use rmcp::{ErrorData, ServiceError, model::ErrorCode, service::ClientInitializeError};
use tokio::{task::JoinSet, time::timeout};
use toolsmith_children::Child;
use toolsmith_core::{Advice, ErrorKind, ToolError, json};

use super::{
    keeper::End,
    open::Opener,
    session::{Session, Unanswered},
};

/// How long a server that failed to start is listened to.
const LAST_WORDS: Duration = Duration::from_millis(400);

/// The code of a refusal because the caller cannot be asked what would be needed.
const MISSING_ABILITY: i32 = -32021;

/// How much of what a server says about a failure is handed on, in bytes.
const MOST_SAID: usize = 32 * 1024;

/// The server could not be asked to do what a session needs.
pub(super) async fn not_opened(
    opener: Opener<'_>,
    error: &ClientInitializeError,
    child: &mut Child,
    listening: &mut JoinSet<()>,
) -> ToolError {
    let exit = timeout(LAST_WORDS, child.exited()).await.ok();
    timeout(LAST_WORDS, listening.join_next()).await.ok();
    let name = &opener.settings.name;
    let redactor = opener.surroundings.vault.redactor();
    let stderr = redactor.text(&opener.vitals.complaints()).into_owned();
    let end = End { exit, fault: opener.vitals.fault(), stderr };
    let noise = opener.vitals.noise().map_or_else(String::new, |line| {
        let line = redactor.text(&line).into_owned();
        format!(" It wrote a line that is no message of the protocol: {line:?}.")
    });
    let why = match error {
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => {
            format!("it {}", end.describe())
        }
        other => refusal(other),
    };
    ToolError::upstream(format!("The MCP server `{name}` did not start: {why}.{noise}"))
        .with_details(details(name, &end))
}

/// Says why a handshake failed, without a full stop.
pub(super) fn refusal(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refused the session: {}", error.message)
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => refusal(fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<&str> =
                server_supported.iter().map(rmcp::model::ProtocolVersion::as_str).collect();
            format!(
                "it speaks only protocol revisions that are not known here ({})",
                versions.join(", ")
            )
        }
        ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "it answered another question than it was asked".to_owned()
        }
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => {
            "its answer to the first question is not of the protocol".to_owned()
        }
        _ => "the session did not come about".to_owned(),
    }
}

/// A server took longer to start than it may.
pub(super) fn too_slow(opener: Opener<'_>, limit: Duration) -> ToolError {
    let name = &opener.settings.name;
    let redactor = opener.surroundings.vault.redactor();
    let stderr = redactor.text(&opener.vitals.complaints()).into_owned();
    let said = match tail(&stderr) {
        "" => String::new(),
        said => format!(" Its last words: {said}"),
    };
    ToolError::upstream(format!(
        "The MCP server `{name}` did not answer within {} s of being started; its `start_timeout` \
         can be longer.{said}",
        limit.as_secs_f64()
    ))
    .with_details(json!({ "server": name, "stderr": stderr }))
}

/// A call has no answer.
pub(super) async fn unanswered(server: &str, session: &Session, reason: Unanswered) -> ToolError {
    match reason {
        Unanswered::Service(ServiceError::McpError(error)) => refused(server, &error),
        Unanswered::Service(ServiceError::TransportSend(error)) => {
            super::http::not_sent(server, session, &error)
        }
        Unanswered::Service(ServiceError::TransportClosed) | Unanswered::Unsent => {
            let end = session.end().await;
            lost(server, end.as_ref())
        }
        Unanswered::Service(ServiceError::Cancelled { .. }) => {
            ToolError::new(ErrorKind::Cancelled, "The call was cancelled.")
        }
        Unanswered::Service(error) => not_of_the_protocol(server).with_source(error),
    }
}

/// The server answered something else than it was asked.
pub(super) fn not_of_the_protocol(server: &str) -> ToolError {
    let message = format!("The MCP server `{server}` gave an answer that is not of the protocol.");
    ToolError::upstream(message).with_details(json!({ "server": server }))
}

/// The session ended during a call.
fn lost(server: &str, end: Option<&End>) -> ToolError {
    let how = end.map_or_else(|| "closed the connection".to_owned(), End::describe);
    let error = ToolError::upstream(format!(
        "The MCP server `{server}` {how}. The call may or may not have done its work; the next call \
         starts the server again."
    ));
    match end {
        Some(end) => error.with_details(details(server, end)),
        None => error.with_details(json!({ "server": server })),
    }
}

/// The server answered with an error of the protocol.
pub(super) fn refused(server: &str, error: &ErrorData) -> ToolError {
    let data = error.data.as_ref().filter(|data| data.to_string().len() <= MOST_SAID);
    let mut details = json!({ "server": server, "code": error.code.0, "data": data });
    if let (MISSING_ABILITY, Some(required)) =
        (error.code.0, data.and_then(|data| data.get("requiredCapabilities")))
    {
        // Doors tell their client in the words of the protocol what it would have to be able to do.
        details["required_capabilities"] = required.clone();
    }
    let message = format!("The MCP server `{server}` refused the call: {}", cut(&error.message));
    let error = match error.code {
        ErrorCode::INVALID_PARAMS => ToolError::try_differently(message),
        ErrorCode::METHOD_NOT_FOUND | ErrorCode::RESOURCE_NOT_FOUND => ToolError::failed(message),
        ErrorCode::INTERNAL_ERROR => {
            // It has run into its own mistake, which the same call may meet again.
            ToolError::upstream(message).with_advice(Advice::Final)
        }
        _ => ToolError::upstream(message).with_advice(Advice::Differently),
    };
    error.with_details(details)
}

pub(super) fn details(server: &str, end: &End) -> toolsmith_core::Value {
    json!({
        "server": server,
        "exit_code": end.exit.and_then(toolsmith_children::Exit::code),
        "signal": end.exit.and_then(toolsmith_children::Exit::signal_name),
        "stderr": end.stderr,
    })
}

/// Returns the beginning of what a server says, as much of it as an error can hold.
pub(super) fn cut(said: &str) -> Cow<'_, str> {
    if said.len() <= MOST_SAID {
        return Cow::Borrowed(said);
    }
    let end = said.floor_char_boundary(MOST_SAID);
    Cow::Owned(format!("{}… ({} bytes)", said.get(..end).unwrap_or_default(), said.len()))
}

fn tail(text: &str) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(1_000));
    text.get(start..).unwrap_or_default().trim()
}
