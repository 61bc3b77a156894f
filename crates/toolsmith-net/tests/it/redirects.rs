//! Answers that lead elsewhere.

use toolsmith_core::Secret;
use toolsmith_net::{NetError, Request};

use crate::{
    client,
    server::{Reply, Server},
};

#[tokio::test]
async fn a_redirect_to_a_closed_port_is_not_followed() {
    let canary = Server::canary().await;
    let port = canary.port();
    let targets = [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://user@127.0.0.1:{port}/"),
        format!("\\\\127.0.0.1:{port}\\"),
        "file:///etc/passwd".to_owned(),
        "http://169.254.169.254/".to_owned(),
    ];
    for target in targets {
        for status in [301, 302, 303, 307, 308] {
            let to = target.clone();
            let open = Server::start(move |_| Reply::redirect(status, &to)).await;
            for request in [Request::get(open.url("/")), Request::get(open.url("/")).trusted()] {
                let error = client(&[&open]).send(request).await.unwrap_err();
                let is_refused = matches!(error, NetError::Denied(_) | NetError::Invalid(_));
                assert!(is_refused, "{target}: {error:?}");
            }
        }
    }
    assert_eq!(canary.contacts(), 0);
}

#[tokio::test]
async fn a_long_way_to_a_closed_place_ends_there() {
    let canary = Server::canary().await;
    let last = canary.url("/");
    let open = Server::start(move |seen| match seen.target.as_str() {
        "/3" => Reply::redirect(302, &last),
        "/2" => Reply::redirect(307, "/3"),
        "/1" => Reply::redirect(301, "2"),
        _ => Reply::redirect(308, "./1"),
    });
    let open = open.await;
    let error = client(&[&open]).send(Request::get(open.url("/0"))).await.unwrap_err();
    assert!(matches!(error, NetError::Denied(_)), "{error:?}");
    assert_eq!((open.contacts(), canary.contacts()), (4, 0));
}

#[tokio::test]
async fn circles_end_after_five_turns() {
    let open = Server::start(|_| Reply::redirect(302, "/again")).await;
    let error = client(&[&open]).send(Request::get(open.url("/"))).await.unwrap_err();
    assert!(matches!(error, NetError::Redirects { limit: 5 }), "{error:?}");
    assert_eq!(open.contacts(), 6);
    let mut plain = Request::get(open.url("/"));
    plain.max_redirects = Some(0);
    assert_eq!(client(&[&open]).send(plain).await.unwrap().status.as_u16(), 302);
}

#[tokio::test]
async fn credentials_stay_with_the_origin_that_they_were_given_to() {
    let other = Server::start(|_| Reply::new(200, "text/plain", "other")).await;
    let to = other.url("/there");
    let first = Server::start(move |seen| match seen.target.as_str() {
        "/" => Reply::redirect(307, "/second"),
        _ => Reply::redirect(307, &to),
    });
    let first = first.await;
    let request = Request::get(first.url("/"))
        .with_header("Authorization", "Bearer abc")
        .unwrap()
        .with_header("Cookie", "c=1")
        .unwrap()
        .with_secret_header("X-Api-Key", &Secret::new("key".to_owned()))
        .unwrap()
        .with_header("X-Plain", "kept")
        .unwrap();
    let answer = client(&[&first, &other]).send(request).await.unwrap();
    assert_eq!(answer.url.as_str(), other.url("/there"));
    let second = &first.seen()[1];
    assert_eq!(second.header("authorization"), Some("Bearer abc"));
    assert_eq!(second.header("x-api-key"), Some("key"));
    let last = &other.seen()[0];
    for name in ["authorization", "cookie", "x-api-key"] {
        assert_eq!(last.header(name), None, "{name}");
    }
    assert_eq!(last.header("x-plain"), Some("kept"));
    assert_eq!(last.header("host"), Some(other.address.to_string().as_str()));
}

#[tokio::test]
async fn a_body_stays_with_the_origin_that_it_was_meant_for() {
    let other = Server::canary().await;
    let to = other.url("/there");
    for status in [307, 308] {
        let to = to.clone();
        let first = Server::start(move |seen| match seen.target.as_str() {
            "/" => Reply::redirect(status, "/second"),
            _ => Reply::redirect(status, &to),
        });
        let first = first.await;
        let plain = Request::post(first.url("/"), "text/plain", "payload");
        for request in [plain.clone(), plain.trusted()] {
            let error = client(&[&first, &other]).send(request).await.unwrap_err();
            assert!(matches!(error, NetError::BodyElsewhere { .. }), "{error:?}");
        }
        let second = &first.seen()[1];
        assert_eq!((second.method.as_str(), second.text().as_str()), ("POST", "payload"));
    }
    assert_eq!(other.contacts(), 0);
}
