//! The request of a call, made of the templates of its definition.

use toolsmith_core::{Map, Secret, ToolError, Value, Vault};
use toolsmith_net::{HeaderValue, Method, Request, Url};
use url::form_urlencoded::byte_serialize;

use super::{
    body::{BodyType, Filled, Written},
    pattern::{Values, plain},
    plan::{Body, Plan},
    slot::Line,
};

/// What is asked for when the definition does not say.
const ACCEPT: &str = "application/json, text/plain;q=0.9, */*;q=0.8";

/// Fills in the templates.
pub(super) fn build(
    plan: &Plan,
    vault: &Vault,
    input: &Map<String, Value>,
) -> Result<Request, ToolError> {
    let values = Values { input, vault, nulls: &plan.nulls };
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
        request = with_line(request, name.as_str(), value, values)?;
    }
    request = add_cookies(request, plan, values)?;
    let spare = (takes_body && !plan.spare.is_empty()).then_some(spare.as_slice());
    let Some(body) = body(plan, values, spare)? else { return Ok(request) };
    // What separates the parts stands in the media type, so no other will do.
    let is_ours = plan.body_type == BodyType::Multipart;
    if is_ours || !request.headers.contains_key("content-type") {
        request = request.with_header("content-type", &body.media_type)?;
    }
    request.body = body.bytes;
    Ok(request)
}

fn body(
    plan: &Plan,
    values: Values<'_>,
    spare: Option<&[(&str, &Value)]>,
) -> Result<Option<Written>, ToolError> {
    match (&plan.body, spare) {
        (Some(Body::Whole(shape)), _) => {
            shape.fill(values)?.map(|body| plan.body_type.write(&body)).transpose()
        }
        (Some(Body::Parts(parts)), _) => {
            let filled =
                parts.iter().filter_map(|(name, part)| Filled::of(name, part, values).transpose());
            let filled = filled.collect::<Result<Vec<_>, _>>()?;
            plan.body_type.write_fields(&filled).map(Some)
        }
        (None, Some(spare)) => {
            let body = spare.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone()));
            plan.body_type.write(&Value::Object(body.collect())).map(Some)
        }
        (None, None) => Ok(None),
    }
}

/// Sets a header; what holds something of the operator's does not follow to other origins.
pub(super) fn with_line(
    request: Request,
    name: &str,
    line: &Line,
    values: Values<'_>,
) -> Result<Request, ToolError> {
    let Some(text) = line.header(values)? else { return Ok(request) };
    let set = if line.pattern.has_secret {
        request.with_secret_header(name, &Secret::new(text))
    } else {
        request.with_header(name, &text)
    };
    Ok(set?)
}

fn add_cookies(
    mut request: Request,
    plan: &Plan,
    values: Values<'_>,
) -> Result<Request, ToolError> {
    for (name, line) in &plan.cookies {
        let showing = if line.pattern.has_secret { Showing::Never } else { Showing::AsUsual };
        request = with_cookies(request, &line.cookies(name, values)?, showing)?;
    }
    Ok(request)
}

/// Whether a header may be shown and follow a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Showing {
    AsUsual,
    Never,
}

/// Adds cookies to those that are there.
pub(super) fn with_cookies(
    request: Request,
    pairs: &[String],
    showing: Showing,
) -> Result<Request, ToolError> {
    if pairs.is_empty() {
        return Ok(request);
    }
    let before = request.headers.get("cookie");
    let is_secret = showing == Showing::Never || before.is_some_and(HeaderValue::is_sensitive);
    let before = before.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let text = before.into_iter().chain(pairs.iter().cloned()).collect::<Vec<_>>().join("; ");
    let set = if is_secret {
        request.with_secret_header("cookie", &Secret::new(text))
    } else {
        request.with_header("cookie", &text)
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
    for (name, slot) in &plan.query {
        match slot.shape.fill(values)? {
            Some(value) if slot.style.is_usual() => add_pairs(&mut pairs, name, &value),
            Some(value) => pairs.extend(slot.style.pairs(name, &value)),
            None => {}
        }
    }
    for (name, value) in spare {
        add_pairs(&mut pairs, name, value);
    }
    append(url, &pairs);
    Ok(())
}

/// Adds a pair, or one for each item of a list, escaped as forms are; null is left out.
pub(super) fn add_pairs(pairs: &mut Vec<String>, name: &str, value: &Value) {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    let escape = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let items = items.iter().filter(|item| !item.is_null());
    pairs.extend(items.map(|item| format!("{}={}", escape(name), escape(&plain(item)))));
}

/// Appends escaped pairs to the query of an address; without any it stays as it is.
pub(super) fn append(url: &mut Url, pairs: &[String]) {
    if pairs.is_empty() {
        return;
    }
    let pairs = pairs.join("&");
    let query = match url.query().filter(|before| !before.is_empty()) {
        Some(before) => format!("{before}&{pairs}"),
        None => pairs,
    };
    url.set_query(Some(&query));
}
