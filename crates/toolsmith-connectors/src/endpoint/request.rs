//! Makes the request of a call.

use toolsmith_core::{ToolError, Value};
use toolsmith_net::{Method, Request};
use url::form_urlencoded::Serializer;

use super::Convention;

/// Returns the request of a call; the base is scheme, host and port.
pub(super) fn of_call(
    base: &str,
    convention: &Convention,
    input: &Value,
) -> Result<Request, ToolError> {
    let Convention { path, method } = convention;
    let mut url = format!("{base}{path}");
    if [Method::POST, Method::PUT, Method::PATCH].contains(method) {
        let mut request = Request::post(url, "application/json", input.to_string());
        request.method = method.clone();
        return Ok(request);
    }
    let Value::Object(fields) = input else {
        return Err(ToolError::validation("The input must be an object."));
    };
    let mut query = Serializer::new(String::new());
    for (name, value) in fields {
        match value {
            Value::Array(items) => items.iter().for_each(|item| {
                query.append_pair(name, &written(item));
            }),
            Value::Null => {}
            single => drop(query.append_pair(name, &written(single))),
        }
    }
    let query = query.finish();
    if !query.is_empty() {
        url.push(if path.contains('?') { '&' } else { '?' });
        url.push_str(&query);
    }
    Ok(Request::new(method.clone(), url))
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    fn convention(method: Method) -> Convention {
        Convention { path: "/run?v=1".to_owned(), method }
    }

    #[test]
    fn params_are_a_body_or_a_query() {
        let input = json!({ "q": "a b&c", "n": [1, 2], "m": { "k": true }, "none": null });
        let sent = of_call("http://h:1", &convention(Method::POST), &input).unwrap();
        assert_eq!((sent.url.as_str(), sent.method), ("http://h:1/run?v=1", Method::POST));
        assert_eq!(sent.body, input.to_string());
        let sent = of_call("http://h:1", &convention(Method::GET), &input).unwrap();
        let query = "q=a+b%26c&n=1&n=2&m=%7B%22k%22%3Atrue%7D";
        assert_eq!(sent.url, format!("http://h:1/run?v=1&{query}"));
        assert!(sent.body.is_empty());
    }
}
