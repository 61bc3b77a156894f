//! The request of a call, made of the templates of its definition.

use toolsmith_core::{Map, Secret, ToolError, Value, Vault};
use toolsmith_net::{Method, Request, Url};

use super::{
    body::Shape,
    pattern::{Pattern, Values, plain},
    plan::Plan,
};

/// What is asked for when the definition does not say.
const ACCEPT: &str = "application/json, text/plain;q=0.9, */*;q=0.8";

/// Fills in the templates.
pub(super) fn build(
    plan: &Plan,
    vault: &Vault,
    input: &Map<String, Value>,
) -> Result<Request, ToolError> {
    let values = Values { input, vault };
    let Some(address) = &plan.address else {
        return Err(ToolError::failed("The tool has no address."));
    };
    let mut url = address.fill(values)?;
    let method = plan.method(None);
    let takes_body = matches!(method, Method::POST | Method::PUT | Method::PATCH);
    let spare: Vec<(&str, &Value)> =
        plan.spare.iter().filter_map(|name| Some((name.as_str(), values.get(name)?))).collect();
    let to_query = if takes_body && plan.body.is_none() { &[] } else { spare.as_slice() };
    add_query(&mut url, plan, values, to_query)?;
    let mut request = Request::new(method, url);
    request.guard = address.guard();
    request = request.with_header("accept", ACCEPT)?;
    for (name, value) in &plan.headers {
        request = with_pattern(request, name.as_str(), value, values)?;
    }
    let body = match &plan.body {
        Some(shape) => shape.fill(values)?,
        None if takes_body && !plan.spare.is_empty() => {
            Some(spare.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect())
        }
        None => None,
    };
    let Some(body) = body else { return Ok(request) };
    if !request.headers.contains_key("content-type") {
        request = request.with_header("content-type", plan.body_type.media_type())?;
    }
    request.body = plan.body_type.write(&body);
    Ok(request)
}

/// Sets a header; what holds something of the operator's does not follow to other origins.
pub(super) fn with_pattern(
    request: Request,
    name: &str,
    value: &Pattern,
    values: Values<'_>,
) -> Result<Request, ToolError> {
    let Some(text) = value.fill_plain(values)? else { return Ok(request) };
    let set = if value.has_secret {
        request.with_secret_header(name, &Secret::new(text))
    } else {
        request.with_header(name, &text)
    };
    Ok(set?)
}

fn add_query(
    url: &mut Url,
    plan: &Plan,
    values: Values<'_>,
    spare: &[(&str, &Value)],
) -> Result<(), ToolError> {
    let mut pairs = Vec::new();
    for (name, shape) in &plan.query {
        if let Some(value) = Shape::fill(shape, values)? {
            add_pairs(&mut pairs, name, &value);
        }
    }
    for (name, value) in spare {
        add_pairs(&mut pairs, name, value);
    }
    append(url, &pairs);
    Ok(())
}

/// Adds a pair, or one for each item of a list; null is left out.
pub(super) fn add_pairs(pairs: &mut Vec<(String, String)>, name: &str, value: &Value) {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    let items = items.iter().filter(|item| !item.is_null());
    pairs.extend(items.map(|item| (name.to_owned(), plain(item))));
}

/// Appends pairs to the query of an address; without any it stays as it is.
pub(super) fn append(url: &mut Url, pairs: &[(String, String)]) {
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
}
