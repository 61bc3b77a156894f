//! Questions of servers: put to the caller, in the words of the protocol and back.

#![expect(
    deprecated,
    reason = "the newest revision gives up sampling and roots, and older servers still ask for them"
)]

use rmcp::{
    ErrorData,
    model::{
        CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
        ElicitationAction, InputRequest, ListRootsResult, Root,
    },
};
use toolsmith_core::{Answer, JsonText, Question, ToolContext, ToolError, Value, json};
use toolsmith_engine::schema::Schema;
use url::Url;

use super::settings::ServerSettings;

/// The longest message that a person is shown, in characters.
const LONGEST: usize = 4_000;

/// The largest schema that a person can be asked by, in bytes of JSON.
const LARGEST_SCHEMA: usize = 64 * 1024;

/// The code of a refusal that wants an address to be visited first (revision 2025-11-25).
const VISIT_FIRST: i32 = -32042;

/// How many addresses a refusal may name.
const MOST_VISITS: usize = 5;

/// Puts a question to whoever made a call.
pub(super) async fn elicit(
    cx: &ToolContext,
    server: &str,
    request: ElicitRequestParams,
) -> ElicitResult {
    let (question, form) = match question(cx, server, request) {
        Ok(question) => question,
        Err(why) => return declined(server, &why),
    };
    match cx.ask(question).await {
        Answer::Decline => ElicitResult::new(ElicitationAction::Decline),
        Answer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        Answer::Accept(value) => match form {
            Some(form) if !form.is_valid(&value) => {
                declined(server, "the answer does not fit what was asked")
            }
            Some(_) => ElicitResult::new(ElicitationAction::Accept).with_content(value),
            None => ElicitResult::new(ElicitationAction::Accept),
        },
    }
}

/// Declines by ourselves, and says why.
pub(super) fn declined(server: &str, why: &str) -> ElicitResult {
    tracing::info!(server, "declined a question of an MCP server: {why}");
    let meta = json!({ "toolsmith/reason": why });
    let result = ElicitResult::new(ElicitationAction::Decline);
    match serde_json::from_value(meta) {
        Ok(meta) => result.with_meta(meta),
        Err(_) => result,
    }
}

/// Reads a question, and what an answer to it must be.
fn question(
    cx: &ToolContext,
    server: &str,
    request: ElicitRequestParams,
) -> Result<(Question, Option<Schema>), String> {
    let from = format!("`{}` (MCP server `{server}`)", cx.tool_name());
    match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(requested_schema).unwrap_or_default();
            let text = JsonText::of(&schema);
            if text.as_str().len() > LARGEST_SCHEMA {
                return Err("what it asks is too large for a person".to_owned());
            }
            let form = Schema::compile(&text)
                .map_err(|error| format!("its schema is not legal: {}", error.message()))?;
            let message = shortened(message);
            Ok((Question::Form { from, message, schema }, Some(form)))
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            let legal =
                Url::parse(&url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let url = legal.ok_or("its address is not one of the web")?.to_string();
            Ok((Question::Visit { from, message: shortened(message), url }, None))
        }
        _ => Err("it is of a kind that is not known here".to_owned()),
    }
}

fn shortened(message: String) -> String {
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => message.get(..end).unwrap_or_default().to_owned() + "…",
        None => message,
    }
}

/// Lets the model of whoever made a call answer.
pub(super) async fn sample(
    cx: &ToolContext,
    request: CreateMessageRequestParams,
) -> Result<CreateMessageResult, ToolError> {
    let request = serde_json::to_value(request).map_err(|error| {
        ToolError::upstream("The question for a model is not of the protocol.").with_source(error)
    })?;
    let answer = cx.sample(request).await?;
    serde_json::from_value(answer).map_err(|error| {
        ToolError::failed("The answer of the caller's model is not of the protocol.")
            .with_source(error)
    })
}

/// Asks for the visits without which a server refuses a call; tells whether all were agreed to.
pub(super) async fn visit_first(cx: &ToolContext, server: &str, error: &ErrorData) -> bool {
    let wanted = error.data.as_ref().filter(|_| error.code.0 == VISIT_FIRST);
    let wanted = wanted.and_then(|data| data.get("elicitations")?.as_array());
    let Some(wanted) = wanted.filter(|wanted| (1..=MOST_VISITS).contains(&wanted.len())) else {
        return false;
    };
    for visit in wanted {
        let Ok(visit) = serde_json::from_value(visit.clone()) else { return false };
        if elicit(cx, server, visit).await.action != ElicitationAction::Accept {
            return false;
        }
    }
    true
}

/// Returns the folders that a server may know of.
pub(super) fn roots(settings: &ServerSettings) -> ListRootsResult {
    let roots = settings.roots.iter().filter_map(|path| {
        let path = std::path::absolute(settings.folder.join(path)).ok()?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let root = Root::new(Url::from_file_path(&path).ok()?);
        Some(match name {
            Some(name) => root.with_name(name),
            None => root,
        })
    });
    ListRootsResult::new(roots.collect())
}

/// Answers what a server wants to know before it goes on with a call.
pub(super) async fn fulfil(
    cx: &ToolContext,
    settings: &ServerSettings,
    request: InputRequest,
) -> Result<Value, ToolError> {
    let written = match request {
        InputRequest::Elicitation(request) => {
            serde_json::to_value(elicit(cx, &settings.name, request.params).await)
        }
        InputRequest::CreateMessage(request) => {
            serde_json::to_value(sample(cx, request.params).await?)
        }
        InputRequest::ListRoots(_) => serde_json::to_value(roots(settings)),
        _ => {
            let name = &settings.name;
            let message = format!("The MCP server `{name}` asks for what is not known here.");
            return Err(ToolError::upstream(message));
        }
    };
    written.map_err(|error| ToolError::failed("An answer cannot be written.").with_source(error))
}
