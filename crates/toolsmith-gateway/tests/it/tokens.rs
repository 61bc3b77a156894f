//! Tokens of an issuer: which of them open the door, and what they allow.

use std::{slice, time::Duration};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use http_body_util::Full;
use hyper::{HeaderMap, Method};
use ring::hmac;
use toolsmith_core::{Value, json};
use toolsmith_gateway::{Algorithm, Doorkeeper, GatewayConfig, Issuer, KeySource, WithoutKey};

use crate::{
    issuer::{AUDIENCE, Published, Signer, door, now, unsigned},
    support::{Running, within},
};

const ECHO: &str = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;

async fn behind(published: &Published) -> Running {
    Running::behind(published.door(), Vec::new(), GatewayConfig::default()).await
}

async fn status(gateway: &Running, token: &str) -> u16 {
    gateway.get_as(token, "/tools").await.0.as_u16()
}

/// Sends a request; returns the status and what would help.
async fn challenged(
    gateway: &Running,
    token: &str,
    (method, path): (Method, &str),
    body: &str,
) -> (u16, String) {
    let request = gateway.request(method, path, token);
    let request = request.header("content-type", "application/json");
    let accepted = if path == "/mcp" { "application/json, text/event-stream" } else { "*/*" };
    let request = request.header("accept", accepted);
    let body = Full::new(body.to_owned().into());
    let (status, headers, _) = gateway.send_and_see(request.body(body).unwrap()).await;
    (status.as_u16(), asked(&headers))
}

fn asked(headers: &HeaderMap) -> String {
    headers.get("www-authenticate").map_or("", |value| value.to_str().unwrap()).to_owned()
}

#[tokio::test]
async fn an_issuer_that_cannot_be_asked_for_its_keys_shows_in_the_health() {
    let ours = Signer::ed("a");
    let published = Published::start(&[&ours]).await;
    published.set_down(true);
    let door = Doorkeeper { without_key: WithoutKey::Local, ..published.door() };
    let gateway = Running::behind(door, Vec::new(), GatewayConfig::default()).await;
    let is_told = async {
        loop {
            let (_, health) = gateway.get("/health").await;
            if health["parts"]["issuers"]["ok"] == false {
                return health;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let health = within(is_told).await;
    assert_eq!(health["status"], "degraded");
    let note = health["parts"]["issuers"]["note"].as_str().unwrap();
    assert!(
        note.starts_with(&format!("the keys of {} cannot be fetched: ", published.url())),
        "{note}"
    );
    assert_eq!(gateway.get("/health/ready").await.0.as_u16(), 200, "calls can be made");
}

#[tokio::test]
async fn tokens_of_every_kind_of_key_open_the_door() {
    let signers =
        [Signer::rsa("r", "RS256"), Signer::rsa("p", "PS256"), Signer::p256("e"), Signer::ed("d")];
    let published = Published::start(&signers.each_ref()).await;
    let gateway = behind(&published).await;
    for signer in &signers {
        let token = signer.sign(&published.claims("tools:call"));
        let (status, outcome) = gateway.post_as(&token, "/run_tool", ECHO).await;
        assert_eq!(status.as_u16(), 200, "{}: {outcome}", signer.algorithm);
    }
    // One look for all of them.
    assert_eq!(published.fetches(), 1);
}

#[tokio::test]
async fn tokens_that_prove_nothing_open_nothing() {
    let (ours, other) = (Signer::p256("a"), Signer::p256("a"));
    let rsa = Signer::rsa("r", "RS256");
    let published = Published::start(&[&ours, &rsa]).await;
    let gateway = behind(&published).await;
    let claims = published.claims("tools:call");
    assert_eq!(status(&gateway, &ours.sign(&claims)).await, 200);

    let text = claims.to_string();
    let none = format!("{}.", unsigned(r#"{"alg":"none"}"#, &text));
    // Signed with the public key, as though that were a secret.
    let confused = unsigned(r#"{"alg":"HS256","kid":"r"}"#, &text);
    let public = BASE64_URL_SAFE_NO_PAD.decode(rsa.public()["n"].as_str().unwrap()).unwrap();
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &public), confused.as_bytes());
    let confused = format!("{confused}.{}", BASE64_URL_SAFE_NO_PAD.encode(tag));
    // A key that comes with the token, or an address of one, proves nothing.
    let brought = |extra: Value| {
        let mut head = json!({ "alg": "ES256" });
        head.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        other.sign_text(&head.to_string(), &text)
    };
    let url = published.url();
    let twice = text.replacen('{', r#"{"sub":"boss","#, 1);
    let head = r#"{"alg":"ES256","kid":"a"}"#;
    let good = ours.sign(&claims);
    let (start, end) = good.rsplit_once('.').unwrap();
    let tampered = format!("{}.{end}", unsigned(head, &text.replace("ann", "bob")));
    for (what, token) in [
        ("none", none),
        ("none, with a signature", format!("{}.{end}", unsigned(r#"{"alg":"none"}"#, &text))),
        ("no signature", format!("{start}.")),
        ("HMAC with the public key", confused),
        ("a key of somebody else", other.sign(&claims)),
        ("another kind of key", ours.sign_text(r#"{"alg":"RS256","kid":"a"}"#, &text)),
        ("the key of another kind", ours.sign_text(r#"{"alg":"ES256","kid":"r"}"#, &text)),
        ("jwk", brought(json!({ "jwk": other.public() }))),
        ("jku", brought(json!({ "jku": format!("{url}/keys"), "kid": "evil" }))),
        ("x5u", brought(json!({ "x5u": format!("{url}/keys") }))),
        ("crit", ours.sign_text(r#"{"alg":"ES256","kid":"a","crit":["exp"]}"#, &text)),
        ("a path for a key", ours.sign_text(r#"{"alg":"ES256","kid":"../../dev/null"}"#, &text)),
        ("a query for a key", ours.sign_text(r#"{"alg":"ES256","kid":"a' OR '1'='1"}"#, &text)),
        ("a name that is there twice", ours.sign_text(head, &twice)),
        ("other claims", tampered),
        ("huge", ours.sign_text(head, &text.replace("ann", &"x".repeat(20_000)))),
        ("a proof of something else", ours.sign_text(r#"{"alg":"ES256","typ":"dpop+jwt"}"#, &text)),
    ] {
        let (status, answer) = gateway.get_as(&token, "/tools").await;
        assert_eq!(status.as_u16(), 401, "{what}: {answer}");
    }
}

#[tokio::test]
async fn tokens_of_others_for_others_or_for_another_time_open_nothing() {
    let ours = Signer::ed("a");
    let published = Published::start(&[&ours]).await;
    let gateway = behind(&published).await;
    for (name, value) in [
        ("iss", json!("https://evil.example")),
        ("iss", json!(format!("{}/", published.url()))),
        ("iss", Value::Null),
        ("aud", json!("https://other.example")),
        ("aud", json!([])),
        ("aud", Value::Null),
        ("exp", json!(now() - 60)),
        ("exp", json!("never")),
        ("exp", Value::Null),
        ("nbf", json!(now() + 60)),
        ("sub", json!("")),
        ("sub", Value::Null),
    ] {
        let mut claims = published.claims("tools:call");
        claims[name] = value.clone();
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(status(&gateway, &ours.sign(&claims)).await, 401, "{name} {value}");
    }
    // Clocks differ a little.
    let mut claims = published.claims("tools:call");
    (claims["exp"], claims["nbf"]) = (json!(now() - 10), json!(now() + 10));
    claims["aud"] = json!(["x", AUDIENCE]);
    assert_eq!(status(&gateway, &ours.sign(&claims)).await, 200);
}

#[tokio::test]
async fn a_token_is_read_from_the_bearer_header_alone() {
    let ours = Signer::ed("a");
    let published = Published::start(&[&ours]).await;
    let gateway = behind(&published).await;
    let token = ours.sign(&published.claims("tools:call"));
    for request in [
        format!("GET /tools?access_token={token} HTTP/1.1\r\nhost: localhost\r\n"),
        format!("GET /tools HTTP/1.1\r\nhost: localhost\r\nx-api-key: {token}\r\n"),
        format!("GET /tools HTTP/1.1\r\nhost: localhost\r\nauthorization: Basic {token}\r\n"),
    ] {
        let answer = gateway.raw(format!("{request}connection: close\r\n\r\n").as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{request}: {answer}");
    }
}

#[tokio::test]
async fn only_the_ways_of_signing_that_are_set_are_accepted() {
    let signers = [Signer::ed("d"), Signer::p256("e")];
    let published = Published::start(&signers.each_ref()).await;
    let issuer = Issuer { algorithms: vec![Algorithm::Es256], ..published.issuer() };
    let gateway = Running::behind(door(vec![issuer]), vec![], GatewayConfig::default()).await;
    let claims = published.claims("");
    assert_eq!(status(&gateway, &signers[0].sign(&claims)).await, 401);
    assert_eq!(status(&gateway, &signers[1].sign(&claims)).await, 200);
}

#[tokio::test]
async fn new_keys_are_found_and_old_ones_stay_while_the_issuer_is_down() {
    let (old, new, newest) = (Signer::p256("old"), Signer::ed("new"), Signer::ed("newest"));
    let published = Published::start(&[&old]).await;
    let gateway = behind(&published).await;
    let claims = published.claims("tools:call");
    assert_eq!(status(&gateway, &old.sign(&claims)).await, 200);
    published.publish(&[&old, &new]);
    assert_eq!(status(&gateway, &new.sign(&claims)).await, 200);
    published.set_down(true);
    published.publish(&[&newest]);
    // Other claims, so that it is not one of the tokens that are known already.
    let other = published.claims("tools:read");
    assert_eq!(status(&gateway, &newest.sign(&other)).await, 401);
    assert_eq!(status(&gateway, &old.sign(&other)).await, 200);
    assert_eq!(status(&gateway, &new.sign(&other)).await, 200);
    published.set_down(false);
    assert_eq!(status(&gateway, &newest.sign(&other)).await, 200);
    assert_eq!(status(&gateway, &old.sign(&published.claims("x"))).await, 401);
}

#[tokio::test]
async fn unknown_keys_do_not_make_us_ask_the_issuer_again_and_again() {
    let ours = Signer::ed("a");
    let published = Published::start(&[&ours]).await;
    let issuer = Issuer { pause: Duration::from_hours(1), ..published.issuer() };
    let gateway = Running::behind(door(vec![issuer]), vec![], GatewayConfig::default()).await;
    let claims = published.claims("tools:call").to_string();
    for number in 0..30 {
        let head = json!({ "alg": "EdDSA", "kid": format!("k{number}") }).to_string();
        assert_eq!(status(&gateway, &ours.sign_text(&head, &claims)).await, 401);
    }
    assert_eq!(published.fetches(), 1);
}

#[tokio::test]
async fn an_issuer_that_is_down_from_the_start_is_no_fault_of_the_token() {
    let ours = Signer::ed("a");
    let published = Published::start(&[&ours]).await;
    published.set_down(true);
    let gateway = behind(&published).await;
    let token = ours.sign(&published.claims("tools:call"));
    let (status_, answer) = gateway.get_as(&token, "/tools").await;
    assert_eq!((status_.as_u16(), &answer["error"]["type"]), (503, &json!("unavailable")));
    published.set_down(false);
    assert_eq!(status(&gateway, &token).await, 200);

    let nowhere =
        Issuer { keys: KeySource::Address("http://127.0.0.1:1/".into()), ..published.issuer() };
    let gateway = Running::behind(door(vec![nowhere]), vec![], GatewayConfig::default()).await;
    assert_eq!(status(&gateway, &token).await, 503);
}

#[tokio::test]
async fn keys_may_be_in_a_file() {
    let (ours, new) = (Signer::p256("a"), Signer::p256("b"));
    let published = Published::start(&[]).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let write = |signers: &[&Signer]| {
        let keys: Vec<_> = signers.iter().map(|signer| signer.public()).collect();
        std::fs::write(&path, json!({ "keys": keys }).to_string()).unwrap();
    };
    let issuer = Issuer { keys: KeySource::File(path.clone()), ..published.issuer() };
    let unready = door(vec![issuer.clone()]).tokens.unwrap().check().await.unwrap_err();
    assert!(unready.contains("there is no such file; name the file"), "{unready}");
    write(slice::from_ref(&&ours));
    let gateway = Running::behind(door(vec![issuer]), vec![], GatewayConfig::default()).await;
    let claims = published.claims("tools:call");
    assert_eq!(status(&gateway, &ours.sign(&claims)).await, 200);
    write(&[&new]);
    assert_eq!(status(&gateway, &new.sign(&claims)).await, 200);
    assert_eq!(published.fetches(), 0);
}

#[tokio::test]
async fn a_token_allows_what_its_scopes_say_and_tells_what_is_missing() {
    let ours = Signer::ed("a");
    let published = Published::start(&[&ours]).await;
    let gateway = behind(&published).await;
    let reader = ours.sign(&published.claims("tools:read"));
    assert_eq!(status(&gateway, &reader).await, 200);
    let run = (Method::POST, "/run_tool");
    let (status_, asked) = challenged(&gateway, &reader, run.clone(), ECHO).await;
    assert_eq!(status_, 403);
    assert!(asked.contains(r#"scope="tools:call", error="insufficient_scope""#), "{asked}");
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "echo", "arguments": { "message": "hi" } },
    });
    let mcp = (Method::POST, "/mcp");
    let (status_, asked) = challenged(&gateway, &reader, mcp, &call.to_string()).await;
    assert_eq!(status_, 403);
    let described = "/.well-known/oauth-protected-resource/mcp\"";
    assert!(asked.contains(described) && asked.contains("insufficient_scope"), "{asked}");

    let caller = ours.sign(&published.claims("tools:call"));
    assert_eq!(challenged(&gateway, &caller, run.clone(), ECHO).await, (200, String::new()));
    let (status_, asked) = challenged(&gateway, &caller, (Method::GET, "/stats"), "").await;
    assert_eq!(status_, 403);
    assert!(asked.contains(r#"scope="tools:admin""#), "{asked}");

    let narrow = ours.sign(&published.claims("tool:calc*"));
    assert_eq!(challenged(&gateway, &narrow, run, ECHO).await.0, 404);
    let (_, table) = gateway.get_as(&narrow, "/tools").await;
    let names: Vec<&Value> =
        table["tools"].as_array().unwrap().iter().map(|row| &row["tool_id"]).collect();
    assert_eq!(names, ["calculator"]);
}

#[tokio::test]
async fn strangers_learn_where_to_get_a_token() {
    let ours = Signer::ed("a");
    let published = Published::start(&[&ours]).await;
    let gateway = behind(&published).await;
    let base = format!("http://{}", gateway.address);
    let described = format!("{base}/.well-known/oauth-protected-resource");
    for (path, suffix) in [("/tools", ""), ("/mcp", "/mcp"), ("/mcp/texts", "/mcp/texts")] {
        let (status, asked) = challenged(&gateway, "", (Method::POST, path), "{}").await;
        assert_eq!(status, 401);
        let expected = format!(
            "Bearer resource_metadata=\"{described}{suffix}\", scope=\"tools:call tools:read\""
        );
        assert_eq!(asked, expected);
        let (status, answer) =
            gateway.get(&format!("/.well-known/oauth-protected-resource{suffix}")).await;
        assert_eq!(status.as_u16(), 200);
        assert_eq!(
            answer,
            json!({
                "resource": format!("{base}{suffix}"),
                "resource_name": "Toolsmith",
                "authorization_servers": [published.url()],
                "scopes_supported": ["tools:call", "tools:read"],
                "bearer_methods_supported": ["header"],
            })
        );
    }
    let (_, asked) = challenged(&gateway, "a.b.c", (Method::GET, "/tools"), "").await;
    assert!(asked.ends_with("error=\"invalid_token\""), "{asked}");

    let config = GatewayConfig {
        public_url: Some("https://tools.example/".to_owned()),
        ..GatewayConfig::default()
    };
    let public = Running::behind(published.door(), vec![], config).await;
    let (_, answer) = public.get("/.well-known/oauth-protected-resource/mcp").await;
    assert_eq!(answer["resource"], AUDIENCE);
    let without = Running::start().await;
    let (status, _) = without.get("/.well-known/oauth-protected-resource").await;
    assert_eq!(status.as_u16(), 404);
}

#[tokio::test]
async fn callers_of_two_issuers_and_of_keys_are_never_one() {
    let (one, two) = (Signer::ed("a"), Signer::ed("a"));
    let (first, second) = (Published::start(&[&one]).await, Published::start(&[&two]).await);
    let issuers = vec![first.issuer(), Issuer { prefix: "corp".into(), ..second.issuer() }];
    let gateway = Running::behind(door(issuers), vec![], GatewayConfig::default()).await;
    let mine = one.sign(&first.claims("tools:call"));
    let (_, call) = gateway.post_as(&mine, "/run_tool?async=true", ECHO).await;
    let place = format!("/calls/{}", call["call_id"].as_str().unwrap());
    assert_eq!(gateway.get_as(&mine, &place).await.0.as_u16(), 200);
    let theirs = two.sign(&second.claims("tools:call"));
    assert_eq!(gateway.get_as(&theirs, &place).await.0.as_u16(), 404);
}
