//! The request of a call whose input says where it goes.

use toolsmith_core::{Map, ToolError, Value, Vault};
use toolsmith_net::{Guard, Method, Request, Url};

use super::{
    pattern::{Values, plain},
    plan::{Plan, read_method},
    request::{add_pairs, append, with_line},
};

/// Makes a request of the parameters `url`, `method`, `headers`, `query` and `body`.
pub(super) fn request(
    plan: &Plan,
    vault: &Vault,
    input: &Map<String, Value>,
) -> Result<Request, ToolError> {
    let values = Values { input, vault, nulls: &plan.nulls };
    let Some(url) = values.get("url").and_then(Value::as_str) else {
        return Err(ToolError::validation("The input needs a text `url`."));
    };
    let method = method(plan, values)?;
    let mut request = Request::new(method, with_query(url, values)?);
    request.guard = Guard::Public;
    for (name, value) in &plan.headers {
        request = with_line(request, name.as_str(), value, values)?;
    }
    let headers = values.get("headers").and_then(Value::as_object);
    for (name, value) in headers.into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        request = request.with_header(name, &plain(value))?;
    }
    let (media_type, body) = match values.get("body") {
        None => return Ok(request),
        Some(Value::String(text)) => ("text/plain; charset=utf-8", text.clone()),
        Some(other) => ("application/json", other.to_string()),
    };
    if !request.headers.contains_key("content-type") {
        request = request.with_header("content-type", media_type)?;
    }
    request.body = body.into();
    Ok(request)
}

fn method(plan: &Plan, values: Values<'_>) -> Result<Method, ToolError> {
    let Some(given) = values.get("method") else { return Ok(plan.method(values.get("body"))) };
    let text = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
    read_method(&text).map_err(|why| ToolError::validation(format!("`method`: {why}.")))
}

/// Adds the query; the address itself stays as it was written, so that it is checked as such.
fn with_query(url: &str, values: Values<'_>) -> Result<String, ToolError> {
    let mut pairs = Vec::new();
    let query = values.get("query").and_then(Value::as_object);
    for (name, value) in query.into_iter().flatten() {
        add_pairs(&mut pairs, name, value);
    }
    if pairs.is_empty() {
        return Ok(url.to_owned());
    }
    let mut parsed = Url::parse(url).map_err(|error| {
        ToolError::validation(format!("`url` is no address: {error}. Write it with its https://."))
    })?;
    append(&mut parsed, &pairs);
    let plain = url.split(['?', '#']).next().unwrap_or_default();
    Ok(format!("{plain}?{}", parsed.query().unwrap_or_default()))
}
