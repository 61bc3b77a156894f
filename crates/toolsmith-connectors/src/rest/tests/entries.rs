//! What a definition may say, and what is said about a wrong one.

use toolsmith_core::json;

use super::make;

#[test]
fn wrong_entries_are_told_what_is_expected() {
    let address = "https://api.example";
    for (entry, fault) in [
        (
            json!({ "base_url": "api.example" }),
            "/entry/base_url: expected an address that begins with http:// or https://",
        ),
        (
            json!({ "base_url": address, "url": address }),
            "/entry/url: `base_url` says the same; write one of them",
        ),
        (
            json!({ "base_url": address, "method": "PSOT" }),
            "/entry/method: expected one of `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD`, `OPTIONS`, found \"PSOT\". Did you mean `POST`?",
        ),
        (
            json!({ "base_url": address, "path": "/{nam}" }),
            "/entry/path: the tool has no parameter `nam`. Did you mean `name`?",
        ),
        (
            json!({ "base_url": address, "body": { "x": ["{zzzz}"] } }),
            "/entry/body/x/0: the tool has no parameter `zzzz`. Write `{{zzzz}}` for a plain `{zzzz}`",
        ),
        (
            json!({ "base_url": address, "query": { "a": 1, "x/y": "{nam}" } }),
            "/entry/query/x~1y: the tool has no parameter `nam`. Did you mean `name`?",
        ),
        (
            json!({ "base_url": address, "headers": { "a b": "c" } }),
            "/entry/headers/a b: `a b` is no name of a header",
        ),
        (
            json!({ "base_url": address, "headers": { "a": ["c"] } }),
            "/entry/headers/a: expected text, found a list",
        ),
        (
            json!({ "base_url": address, "response": { "fields": { "a": 5 } } }),
            "/entry/response/fields/a: expected text, found the number 5",
        ),
        (
            json!({ "base_url": address, "body_type": "xml" }),
            "/entry/body_type: expected one of `json`, `form`, `text`, `multipart`, `binary`, found \"xml\"",
        ),
        (
            json!({ "base_url": address, "auth": { "type": "bearer" } }),
            "/entry/auth: `token` is missing: it is needed for this kind of authorization",
        ),
        (
            json!({ "base_url": address, "auth": { "type": "beaer", "token": "x" } }),
            "/entry/auth/type: expected one of `api_key`, `bearer`, `basic`, `oauth2`, found \"beaer\". Did you mean `bearer`?",
        ),
        (
            json!({ "base_url": address, "auth": { "token": "x" } }),
            "/entry/auth: `type` is missing: one of `api_key`, `bearer`, `basic`, `oauth2`",
        ),
        (
            json!({ "base_url": address, "auth": { "type": "bearer", "token": "x", "user": "y" } }),
            "/entry/auth/user: unknown key `user`. Known are: type, token",
        ),
        (
            json!({ "base_url": address, "response": { "headers": { "a": "b" } } }),
            "/entry/response/headers: it goes with `fields`, which says what the output is made of",
        ),
        (
            json!({ "base_url": address, "pth": "/x" }),
            "/entry/pth: unknown key `pth`. Did you mean `path`?",
        ),
        (
            json!({}),
            "/entry: `base_url` is missing: say where requests go, or give the tool a parameter `url`",
        ),
    ] {
        let faults = make(&entry, &["id", "name"]).err().unwrap();
        assert_eq!(faults, [fault], "{entry}");
    }
}

#[test]
fn wrong_styles_are_told_what_is_expected() {
    let address = "https://api.example";
    for (entry, fault) in [
        (
            json!({ "base_url": address, "query": { "q/r": { "value": "{id}", "style": "deepobject" } } }),
            "/entry/query/q~1r/style: expected one of `form`, `spaceDelimited`, `pipeDelimited`, `tabDelimited`, `deepObject`, `json`, found \"deepobject\". Did you mean `deepObject`?",
        ),
        (
            json!({ "base_url": address, "path": "/{id}", "path_styles": { "nam": "matrix" } }),
            "/entry/path_styles/nam: there is no `{nam}` in the path",
        ),
        (
            json!({ "base_url": address, "cookies": { "a b": "c" } }),
            "/entry/cookies/a b: `a b` is no name of a cookie",
        ),
    ] {
        let faults = make(&entry, &["id", "name"]).err().unwrap();
        assert_eq!(faults, [fault], "{entry}");
    }
}

#[test]
fn variables_where_none_are_filled_in_are_faults() {
    let address = "https://api.example";
    let key = |name: &str| json!({ "type": "api_key", "name": name, "value": "x" });
    for (entry, place) in [
        (json!({ "base_url": address, "method": "${METHOD:GET}" }), "method"),
        (json!({ "base_url": address, "auth": key("${NAME}") }), "auth/name"),
        (json!({ "base_url": address, "response": { "path": "/${A}" } }), "response/path"),
        (
            json!({ "base_url": address, "response": { "fields": { "a": "${A}" } } }),
            "response/fields/a",
        ),
    ] {
        let why = "variables are not filled in here; write the text itself";
        assert_eq!(make(&entry, &[]).err().unwrap(), [format!("/entry/{place}: {why}")]);
    }
}

/// Whoever loads definitions checks the variables of every entry, and tells where it stands.
#[test]
fn a_variable_that_cannot_be_read_is_not_told_twice() {
    let address = "https://api.example";
    let oauth = json!({
        "type": "oauth2", "token_url": "${A", "client_id": "${A", "client_secret": "${A", "scope": "${A"
    });
    for entry in [
        json!({ "base_url": "https://${A" }),
        json!({ "base_url": address, "path": "/${a b}" }),
        json!({ "base_url": address, "query": { "a": "${A" } }),
        json!({ "base_url": address, "headers": { "a": "${A" } }),
        json!({ "base_url": address, "body": { "a": ["${A"] } }),
        json!({ "base_url": address, "auth": { "type": "bearer", "token": "${A" } }),
        json!({ "base_url": address, "auth": oauth }),
    ] {
        assert_eq!(make(&entry, &[]).err(), Some(Vec::new()), "{entry}");
    }
}

#[test]
fn secrets_cannot_be_sent_where_the_input_says() {
    for (entry, fault) in [
        (
            json!({ "headers": { "X-Key": "${TOKEN}" } }),
            "/entry/headers: a variable here would be sent to any address",
        ),
        (
            json!({ "auth": { "type": "bearer", "token": "${TOKEN}" } }),
            "/entry/auth: it needs `base_url`",
        ),
        (json!({ "base_url": "{url}" }), "/entry/base_url: leave it out"),
        (json!({ "response": { "path": "/a" } }), "/entry/response: it needs `base_url`"),
    ] {
        let faults = make(&entry, &["url"]).err().unwrap();
        assert!(faults[0].starts_with(fault), "{faults:?}");
    }
}

#[test]
fn tools_of_one_origin_share_a_breaker() {
    for (base, upstream) in [
        ("https://api.example/v1", "https://api.example"),
        ("https://api.example:8443", "https://api.example:8443"),
        ("${API}/v1", "${API}"),
    ] {
        let tool = make(&json!({ "base_url": base, "path": "/x" }), &["a"]).unwrap();
        assert_eq!(tool.executor.upstream(), Some(upstream));
    }
    // Every value of the input is another server: one that is down must not close the others.
    let tool = make(&json!({ "base_url": "https://{a}.example/v1" }), &["a"]).unwrap();
    assert_eq!(tool.executor.upstream(), None);
}
