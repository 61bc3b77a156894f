//! A request made of a tool's input, and the output made of its answer.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use toolsmith_core::{Map, ToolError, Value, json};
use toolsmith_net::{Client, Method, Request, Response, Url};

use super::page::charset;

/// What the tools `http_get`, `http_post` and `http_request` take.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Ask {
    pub(super) method: Option<String>,
    pub(super) url: String,
    #[serde(default)]
    pub(super) query: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) headers: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) body: Option<Value>,
    #[serde(default)]
    pub(super) timeout: Option<f64>,
}

/// Sends a request and returns `{status, headers, body}`, whatever the status is.
pub(super) async fn run(client: &Client, ask: Ask) -> Result<Value, ToolError> {
    let response = client.send(request(ask)?).await?;
    Ok(output(&response))
}

/// The JSON Schema of what every request returns.
pub(super) fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": { "type": "integer", "description": "The HTTP status." },
            "headers": {
                "type": "object",
                "description": "The headers, with names in lower case.",
                "additionalProperties": { "type": "string" }
            },
            "body": {
                "description": "A JSON answer as its value, text as text, anything else as a data URL."
            }
        },
        "required": ["status", "headers", "body"],
        "additionalProperties": false
    })
}

fn request(ask: Ask) -> Result<Request, ToolError> {
    let method = ask.method.as_deref().unwrap_or("GET").to_ascii_uppercase();
    let method = Method::from_bytes(method.as_bytes())
        .map_err(|_| ToolError::validation(format!("`{method}` is no HTTP method.")))?;
    let mut request = Request::new(method, with_query(ask.url, ask.query)?);
    for (name, value) in ask.headers.into_iter().flatten() {
        if let Some(text) = scalar(&value) {
            request = request.with_header(&name, &text)?;
        }
    }
    let Some(body) = ask.body.filter(|body| !body.is_null()) else { return Ok(request) };
    let (media_type, text) = match body {
        Value::String(text) if is_json(&text) => ("application/json", text),
        Value::String(text) => ("text/plain; charset=utf-8", text),
        other => ("application/json", other.to_string()),
    };
    if !request.headers.contains_key("content-type") {
        request = request.with_header("content-type", media_type)?;
    }
    request.body = text.into();
    Ok(request)
}

/// Models often write JSON as text; an API takes it only under its own name.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_ok()
}

fn with_query(url: String, query: Option<Map<String, Value>>) -> Result<String, ToolError> {
    let Some(query) = query.filter(|query| !query.is_empty()) else { return Ok(url) };
    let mut parsed = Url::parse(&url).map_err(|error| {
        ToolError::validation(format!("`url` is no address: {error}. Write it with its https://."))
    })?;
    let mut pairs = parsed.query_pairs_mut();
    for (name, value) in &query {
        let items = match value {
            Value::Array(items) => items.iter().collect(),
            other => vec![other],
        };
        for item in items.into_iter().filter_map(scalar) {
            pairs.append_pair(name, &item);
        }
    }
    drop(pairs);
    // The client reads the address as it was written, so a strange one is still refused there.
    let plain = url.split(['?', '#']).next().unwrap_or_default();
    Ok(format!("{plain}?{}", parsed.query().unwrap_or_default()))
}

/// Returns a value as text; nothing for null.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn output(response: &Response) -> Value {
    let mut headers = Map::new();
    for (name, value) in &response.headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        match headers.get_mut(name.as_str()) {
            Some(Value::String(before)) => *before = format!("{before}, {value}"),
            _ => drop(headers.insert(name.to_string(), value.into())),
        }
    }
    json!({ "status": response.status.as_u16(), "headers": headers, "body": body(response) })
}

fn body(response: &Response) -> Value {
    let media_type = response.media_type();
    if (media_type.ends_with("/json") || media_type.ends_with("+json"))
        && let Ok(value) = serde_json::from_slice(&response.body)
    {
        return value;
    }
    match charset::text_of(response) {
        Some(text) => text.into(),
        None => format!("data:{media_type};base64,{}", STANDARD.encode(&response.body)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(ask: Value) -> Request {
        request(serde_json::from_value(ask).unwrap()).unwrap()
    }

    #[test]
    fn a_query_is_added_to_the_one_that_is_there() {
        let request = ask(json!({
            "url": "https://a.example/x?p=1#part",
            "query": { "q": "a b&c", "n": 3, "tags": ["x", "y"], "none": null }
        }));
        assert_eq!(request.url, "https://a.example/x?p=1&q=a+b%26c&n=3&tags=x&tags=y");
        assert_eq!(ask(json!({ "url": "https://a.example/x#y" })).url, "https://a.example/x#y");
    }

    #[test]
    fn bodies_say_what_they_are() {
        for (body, media_type, sent) in [
            (json!("hello"), "text/plain; charset=utf-8", "hello"),
            (json!("{\"a\": 1}"), "application/json", "{\"a\": 1}"),
            (json!("[broken"), "text/plain; charset=utf-8", "[broken"),
            (json!({ "a": [1, null] }), "application/json", "{\"a\":[1,null]}"),
        ] {
            let request =
                ask(json!({ "method": "post", "url": "https://a.example/", "body": body }));
            assert_eq!(request.method, Method::POST);
            assert_eq!(request.headers["content-type"], media_type);
            assert_eq!(request.body, sent);
        }
        let own = ask(json!({
            "url": "https://a.example/", "body": "a=1", "headers": { "Content-Type": "x/y", "n": 1 }
        }));
        assert_eq!(
            (&own.headers["content-type"], &own.headers["n"]),
            (&"x/y".parse().unwrap(), &"1".parse().unwrap())
        );
    }
}
