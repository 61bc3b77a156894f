//! Reads the answer of a service.

use base64::{Engine, engine::general_purpose::STANDARD};
use toolsmith_core::{Advice, Redactor, ToolError, Value, json};
use toolsmith_net::Response;

/// How much of what the service says stands in a message, in characters.
const EXCERPT: usize = 600;

/// How many bytes a body may have to be shown whole in the details of an error.
const IN_DETAILS: usize = 4 * 1024;

/// Returns the output of a success, and an error otherwise.
pub(super) fn read(
    who: &str,
    response: &Response,
    redactor: &Redactor,
) -> Result<Value, ToolError> {
    let body = body(response);
    if response.status.is_success() {
        return Ok(body);
    }
    // Before it is cut: the rest of a secret that is cut in two is not recognised any more.
    let said = redactor.text(&message(&body)).into_owned();
    let status = response.status;
    let message = match excerpt(&said) {
        _ if status.is_redirection() => format!(
            "{who} answered {status} and leads elsewhere, which is not followed: correct \
             `endpoint_path`, or where the tool is."
        ),
        said if said.is_empty() => format!("{who} answered {status}."),
        said => format!("{who} answered {status}: {said}"),
    };
    let error = match status.as_u16() {
        300..=399 | 401 | 403 | 405 | 407 | 501 => {
            ToolError::upstream(message).with_advice(Advice::Final)
        }
        408 | 425 | 429 | 500.. => ToolError::upstream(message),
        _ => ToolError::try_differently(message),
    };
    let error = match response.retry_after() {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    };
    let body = if response.body.len() <= IN_DETAILS { body } else { Value::Null };
    Err(error.with_details(json!({ "status": status.as_u16(), "body": body })))
}

/// Returns the body: JSON as its value, text as text, nothing as null, bytes as a data URL.
fn body(response: &Response) -> Value {
    if response.body.is_empty() {
        return Value::Null;
    }
    let media_type = response.media_type();
    let first = response.body.iter().find(|byte| !byte.is_ascii_whitespace());
    // Small servers often forget the media type; text that happens to be a number stays text.
    let is_json = media_type.contains("json") || first.is_some_and(|byte| b"{[".contains(byte));
    if is_json && let Ok(value) = serde_json::from_slice(&response.body) {
        return value;
    }
    match str::from_utf8(&response.body) {
        Ok(text) => text.into(),
        Err(_) if media_type.starts_with("text/") => response.text().into(),
        Err(_) => format!("data:{media_type};base64,{}", STANDARD.encode(&response.body)).into(),
    }
}

/// Finds what a service says about its failure.
fn message(body: &Value) -> String {
    let pointers = ["/error/message", "/error", "/message", "/detail", "/title"];
    let said = pointers.iter().filter_map(|pointer| body.pointer(pointer));
    for value in said {
        match value {
            Value::String(text) => return text.clone(),
            Value::Array(items) => return items.iter().map(item).collect::<Vec<_>>().join("; "),
            _ => {}
        }
    }
    match body {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Writes one of several problems; some frameworks list them as `{loc, msg}`.
fn item(value: &Value) -> String {
    let Some(said) = value.get("msg").or_else(|| value.get("message")).and_then(Value::as_str)
    else {
        return value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    };
    let place = value.get("loc").and_then(Value::as_array).into_iter().flatten();
    let place: Vec<String> =
        place.map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned)).collect();
    if place.is_empty() { said.to_owned() } else { format!("{}: {said}", place.join(".")) }
}

fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_service_says_is_found() {
        for (body, expected) in [
            (json!({ "error": "no" }), "no"),
            (json!({ "error": { "message": "no", "code": 1 } }), "no"),
            (json!({ "detail": [{ "loc": ["body", "x"], "msg": "missing" }] }), "body.x: missing"),
            (json!({ "message": "no", "x": 1 }), "no"),
            (json!("plain"), "plain"),
            (json!({ "x": 1 }), "{\"x\":1}"),
            (json!(null), ""),
        ] {
            assert_eq!(message(&body), expected);
        }
    }
}
