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
use toolsmith_core::{Answer, JsonText, Map, Question, ToolContext, ToolError, Value, json};
use toolsmith_engine::schema::Schema;
use url::Url;

use super::settings::ServerSettings;

/// The longest message that a person is shown, in characters.
const LONGEST: usize = 4_000;

/// The largest schema that a person can be asked by, in bytes of JSON.
const LARGEST_SCHEMA: usize = 64 * 1024;

/// The code of a refusal that wants an address to be visited first (revision 2025-11-25).
const VISIT_FIRST: i32 = -32042;

/// What the caller said of its folders cannot be handed on.
const NO_ROOTS: &str = "The caller's list of folders is not of the protocol.";

/// How many addresses a refusal may name.
const MOST_VISITS: usize = 5;

/// Puts a question to whoever made a call.
///
/// Under a name the answer may have been given beforehand.
pub(super) async fn elicit(
    cx: &ToolContext,
    server: &str,
    name: Option<&str>,
    request: ElicitRequestParams,
) -> ElicitResult {
    let (question, form) = match question(cx, server, request) {
        Ok(question) => question,
        Err(why) => return declined(server, &why),
    };
    let answer = match name {
        Some(name) => cx.ask_as(name, question).await,
        None => cx.ask(question).await,
    };
    match answer {
        Answer::Decline => ElicitResult::new(ElicitationAction::Decline),
        Answer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        Answer::Accept(value) => match form {
            Some(form) => match form.filled(value) {
                Some(value) => ElicitResult::new(ElicitationAction::Accept).with_content(value),
                None => declined(server, "the answer does not fit what was asked"),
            },
            None => ElicitResult::new(ElicitationAction::Accept),
        },
    }
}

/// What an answer must be.
struct Form {
    schema: Schema,
    defaults: Map<String, Value>,
}

impl Form {
    fn read(text: &JsonText, schema: &Value) -> Result<Self, ToolError> {
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let default =
            |(name, field): (&String, &Value)| Some((name.clone(), field.get("default")?.clone()));
        let defaults = fields.filter_map(default).collect();
        Ok(Self { schema: Schema::compile(text)?, defaults })
    }

    /// Gives fields that were left empty what they are then; nothing when the answer does not fit.
    fn filled(&self, answer: Value) -> Option<Value> {
        let mut answer = match answer {
            Value::Object(fields) => fields,
            Value::Null => Map::new(),
            _ => return None,
        };
        for (name, default) in &self.defaults {
            answer.entry(name).or_insert_with(|| default.clone());
        }
        let answer = Value::Object(answer);
        self.schema.is_valid(&answer).then_some(answer)
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
) -> Result<(Question, Option<Form>), String> {
    let from = format!("`{}` (MCP server `{server}`)", cx.tool_name());
    match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(requested_schema).unwrap_or_default();
            let text = JsonText::of(&schema);
            if text.as_str().len() > LARGEST_SCHEMA {
                return Err("what it asks is too large for a person".to_owned());
            }
            let form = Form::read(&text, &schema)
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
    name: Option<&str>,
    request: CreateMessageRequestParams,
) -> Result<CreateMessageResult, ToolError> {
    let request = serde_json::to_value(request).map_err(|error| {
        ToolError::upstream("The question for a model is not of the protocol.").with_source(error)
    })?;
    let answer = match name {
        Some(name) => cx.sample_as(name, request).await?,
        None => cx.sample(request).await?,
    };
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
        if elicit(cx, server, None, visit).await.action != ElicitationAction::Accept {
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

/// Answers what a server wants to know, under its own name for it, before it goes on.
pub(super) async fn fulfil(
    cx: &ToolContext,
    settings: &ServerSettings,
    key: &str,
    request: InputRequest,
) -> Result<Value, ToolError> {
    let written = match request {
        InputRequest::Elicitation(request) => {
            serde_json::to_value(elicit(cx, &settings.name, Some(key), request.params).await)
        }
        InputRequest::CreateMessage(request) => {
            serde_json::to_value(sample(cx, Some(key), request.params).await?)
        }
        InputRequest::ListRoots(_) if settings.roots.is_empty() => {
            let roots: ListRootsResult = serde_json::from_value(cx.roots_as(key).await?)
                .map_err(|error| ToolError::failed(NO_ROOTS).with_source(error))?;
            serde_json::to_value(roots)
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
