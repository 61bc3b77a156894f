//! Logging in to servers that ask who we are.

use std::{fs, os::unix::fs::PermissionsExt};

use toolsmith_connectors::mcp::{Link, Login, Registered};
use toolsmith_core::{ErrorKind, Template, json};
use toolsmith_net::{Client, Request, Response};

use crate::{bench::Bench, http::Service};

/// Asks for an address as a browser does, and stops where it is led elsewhere.
async fn get(url: &str) -> Response {
    let net = Client::new(toolsmith_net::Settings::default()).unwrap();
    let mut request = Request::get(url).trusted();
    request.max_redirects = Some(0);
    net.send(request).await.unwrap()
}

/// Agrees as a person does; returns the way back.
async fn agree(login: &Login) -> String {
    let answer = get(login.url()).await;
    answer.headers["location"].to_str().unwrap().to_owned()
}

async fn log_in(bench: &Bench) {
    let login = bench.servers.login("far").await.unwrap();
    let back = agree(&login).await;
    let (waited, page) = tokio::join!(login.wait(), get(&back));
    waited.unwrap();
    assert!(page.text().contains("Logged in"), "{page:?}");
}

#[tokio::test]
async fn whoever_logs_in_is_known_from_then_on() {
    let Some(service) = Service::start("oauth") else { return };
    let bench = Bench::discreet(tempfile::tempdir().unwrap(), vec![service.settings()]);
    let failed = bench.servers.load().await;
    let message = failed[0].1.message();
    assert!(message.contains("Log in by `toolsmith tools login far`"), "{message}");
    log_in(&bench).await;
    assert!(bench.servers.load().await.is_empty());
    let outcome = bench.call("far__echo", json!({ "x": 1 })).await;
    assert!(outcome.is_success(), "{outcome:?}");
    // The server repeats the token, and nobody sees it.
    assert!(!serde_json::to_string(&outcome).unwrap().contains("access-token"), "{outcome:?}");
    let file = bench.folder.path().join("mcp/logins/far.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let folder = fs::metadata(file.parent().unwrap()).unwrap();
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    // The next run knows it too, and another address does not get it.
    bench.servers.close().await;
    let Bench { folder, .. } = bench;
    let bench = Bench::discreet(folder, vec![service.settings()]);
    let outcome = bench.call("far__echo", json!({})).await;
    assert_eq!(outcome.output()["seen"], json!("Bearer ***"), "{outcome:?}");
    let Bench { folder, .. } = bench;
    let Some(other) = Service::start("oauth") else { return };
    let bench = Bench::in_folder(folder, vec![other.settings()]);
    assert_eq!(bench.servers.load().await.len(), 1);
}

#[tokio::test]
async fn a_token_that_has_ended_is_renewed() {
    let Some(service) = Service::start("oauth_short") else { return };
    let bench = Bench::new(vec![service.settings()]);
    log_in(&bench).await;
    // A life of seconds is as good as none: each use asks for another token.
    assert!(bench.servers.load().await.is_empty());
    let outcome = bench.call("far__count", json!({})).await;
    assert!(outcome.output()["tokens"].as_u64() > Some(1), "{outcome:?}");
}

#[tokio::test]
async fn a_token_that_the_server_takes_back_is_renewed_during_the_call() {
    let Some(service) = Service::start("oauth") else { return };
    let bench = Bench::new(vec![service.settings()]);
    log_in(&bench).await;
    assert!(bench.servers.load().await.is_empty());
    assert!(bench.call("far__expire", json!({})).await.is_success());
    let outcome = bench.call("far__count", json!({})).await;
    assert_eq!(outcome.output()["tokens"], json!(2), "{outcome:?}");
}

#[tokio::test]
async fn a_login_that_cannot_be_renewed_is_asked_for_again() {
    let Some(service) = Service::start("oauth_refused") else { return };
    let bench = Bench::new(vec![service.settings()]);
    log_in(&bench).await;
    let failed = bench.servers.load().await;
    let message = failed[0].1.message();
    assert!(message.contains("`toolsmith tools login far`"), "{message}");
}

#[tokio::test]
async fn a_denied_login_is_told_as_such() {
    let Some(service) = Service::start("oauth_denied") else { return };
    let bench = Bench::new(vec![service.settings()]);
    let login = bench.servers.login("far").await.unwrap();
    let back = agree(&login).await;
    let (waited, page) = tokio::join!(login.wait(), get(&back));
    let error = waited.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(error.message().contains("was refused: access was denied"), "{error}");
    assert!(page.text().contains("refused"), "{page:?}");
    assert!(!bench.folder.path().join("mcp/logins/far.json").exists());
}

#[tokio::test]
async fn only_who_repeats_the_state_is_heard() {
    let Some(service) = Service::start("oauth") else { return };
    let bench = Bench::new(vec![service.settings()]);
    let login = bench.servers.login("far").await.unwrap();
    let back = agree(&login).await;
    let place = back.split('?').next().unwrap().to_owned();
    let knocking = async {
        for wrong in ["?code=evil&state=wrong", "?code=evil", "?error=access_denied", ""] {
            assert_eq!(get(&format!("{place}{wrong}")).await.status.as_u16(), 400, "{wrong}");
        }
        get(&back).await
    };
    let (waited, page) = tokio::join!(login.wait(), knocking);
    waited.unwrap();
    assert!(page.text().contains("Logged in"), "{page:?}");
}

#[tokio::test]
async fn a_client_that_was_registered_by_hand_needs_no_registration() {
    let Some(service) = Service::start("oauth_unregistered") else { return };
    let bench = Bench::new(vec![service.settings()]);
    let error = bench.servers.login("far").await.unwrap_err();
    assert!(error.message().contains("set `client_id` in its `auth`"), "{error}");
    let mut settings = service.settings();
    if let Link::Http(address) = &mut settings.link {
        address.login =
            Registered { client_id: Some(Template::literal("by-hand")), ..Registered::default() };
    }
    let bench = Bench::new(vec![settings]);
    log_in(&bench).await;
    assert!(bench.servers.load().await.is_empty());
}

#[tokio::test]
async fn logging_out_forgets_the_tokens() {
    let Some(service) = Service::start("oauth") else { return };
    let bench = Bench::new(vec![service.settings()]);
    assert!(!bench.servers.logout("far").await.unwrap());
    log_in(&bench).await;
    assert!(bench.servers.logout("far").await.unwrap());
    assert_eq!(bench.servers.load().await.len(), 1);
    let Some(service) = Service::start("json") else { return };
    let bench = Bench::new(vec![service.settings()]);
    let error = bench.servers.login("far").await.unwrap_err();
    assert!(error.message().contains("does not say where one logs in"), "{error}");
}
