//! Addresses that try to reach what they may not.

use toolsmith_core::ErrorKind;
use toolsmith_net::{Client, NetError, Request, Settings};

use crate::{client, server::Server};

/// Addresses of a listener on this machine, in every disguise; `{port}` is its port.
const DISGUISES: &[&str] = &[
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0x7f.1:{port}/",
    "http://017700000001:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://0177.1:{port}/",
    "http://127.000.000.001:{port}/",
    "http://127.0.0.2:{port}/",
    "http://127.255.255.254:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://00.00:{port}/",
    "http://[::]:{port}/",
    "http://[::1]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::0001]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::ffff:0:127.0.0.1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[64:ff9b:1::127.0.0.1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::1]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://[fe80::1%25eth0]:{port}/",
    "http://[::1%25lo]:{port}/",
    "http://localhost:{port}/",
    "http://localhost.:{port}/",
    "http://LOCALHOST:{port}/",
    "http://LocalHost.LocalDomain:{port}/",
    "http://x.localhost:{port}/",
    "http://ip6-localhost.local:{port}/",
    "http://lоcalhost:{port}/", // a Cyrillic o
    "http://ⓛocalhost:{port}/",
    "http://１２７.０.０.１:{port}/",
    "http://127。0。0。1:{port}/",
    "http://127．0．0．1:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://127.0.0.1%2f@example.com:{port}/",
    "http://xn--localhost-.:{port}/",
    "http://good.example@127.0.0.1:{port}/",
    "http://good.example:pass@127.0.0.1:{port}/",
    "http://good.example%40127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@good.example/",
    "http://127.0.0.1:{port}?@good.example/",
    "http://127.0.0.1:{port}\\@good.example/",
    "http://good.example\\@127.0.0.1:{port}/",
    "http:\\\\127.0.0.1:{port}\\",
    "http:/127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "http:////127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "127.0.0.1:{port}/",
    "ht\ttp://127.0.0.1:{port}/",
    "http://127.0.\n0.1:{port}/",
    " http://127.0.0.1:{port}/",
    "http://127.0.0.1\u{0}:{port}/",
    "http://127.0.0.1\r\nHost: x:{port}/",
    "http://127.0.0.1:{port}/ HTTP/1.1\r\nX: y",
    "hTTp://127.0.0.1:{port}/",
    "https://127.0.0.1:{port}/",
];

/// Other places, which nobody may be led to.
const PLACES: &[&str] = &[
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://[::ffff:169.254.169.254]/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://metadata/",
    "http://instance-data/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://198.18.0.1/",
    "http://203.0.113.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://240.0.0.1/",
    "http://[fc00::1]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "http://printer.local/",
    "http://db.internal/",
    "http://router.home.arpa/",
    "http://9.9.9.9:25/",
    "http://9.9.9.9:6379/",
    "http://mail.example:22/",
];

const SCHEMES: &[&str] = &[
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "ftp://example.com/",
    "gopher://127.0.0.1:6379/_INFO",
    "dict://127.0.0.1:6379/info",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "unix:/var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
    "ldap://127.0.0.1/",
    "ws://127.0.0.1/",
    "jar:http://127.0.0.1!/",
    "about:blank",
    "http://",
    "http:///",
    "",
    "http://[::1",
    "http://a b/",
    "http://1.2.3.4.5/",
    "http://256.256.256.256/",
];

#[tokio::test]
async fn no_disguise_reaches_a_listener_on_this_machine() {
    let (canary, client) = (Server::canary().await, client(&[]));
    for disguise in DISGUISES {
        let url = disguise.replace("{port}", &canary.port().to_string());
        let error = client.send(Request::get(&url)).await.unwrap_err();
        let is_refused = matches!(error, NetError::Denied(_) | NetError::Invalid(_))
            // Names that are only spelled like an address lead nowhere.
            || matches!(&error, NetError::Connect { host, .. } if host.starts_with("xn--"));
        assert!(is_refused, "{url:?}: {error:?}");
    }
    assert_eq!(canary.contacts(), 0);
    assert!(DISGUISES.len() >= 60);
}

#[tokio::test]
async fn closed_places_are_refused_with_words_that_a_model_understands() {
    let client = client(&[]);
    for url in PLACES {
        let error = client.send(Request::get(*url)).await.unwrap_err().into_tool_error();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{url}");
        assert!(error.message().starts_with("Access denied: `"), "{url}: {error}");
        assert!(!error.is_retryable(), "{url}");
    }
}

#[tokio::test]
async fn nothing_but_http_is_spoken() {
    let client = client(&[]);
    for url in SCHEMES {
        let error = client.send(Request::get(*url)).await.unwrap_err();
        assert!(matches!(error, NetError::Invalid(_)), "{url}: {error:?}");
    }
    let long = format!("http://example.com/{}", "a".repeat(9_000));
    assert!(matches!(client.send(Request::get(long)).await, Err(NetError::Invalid(_))));
}

#[tokio::test]
async fn headers_of_the_connection_cannot_be_given() {
    let (canary, client) = (Server::canary().await, Client::new(Settings::default()).unwrap());
    for name in ["Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Expect"] {
        let request = Request::get("http://example.com/").with_header(name, "x").unwrap();
        let error = client.send(request).await.unwrap_err();
        assert!(matches!(error, NetError::Invalid(_)), "{name}");
    }
    for value in ["a\r\nX: y", "a\nb", "a\0b"] {
        assert!(Request::get(canary.url("/")).with_header("X", value).is_err());
    }
    assert!(Request::get(canary.url("/")).with_header("X: y\r\nZ", "v").is_err());
    assert_eq!(canary.contacts(), 0);
}

#[tokio::test]
async fn what_an_operator_opened_is_reached_and_its_neighbour_is_not() {
    let (open, canary) = (Server::canary().await, Server::canary().await);
    let client = client(&[&open]);
    let answer = client.send(Request::get(open.url("/x?y=1"))).await.unwrap();
    assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, "the canary sings"));
    assert_eq!(open.seen()[0].target, "/x?y=1");
    assert!(client.send(Request::get(canary.url("/"))).await.is_err());
    let trusted = client.send(Request::get(open.url("/")).trusted()).await.unwrap();
    assert_eq!(trusted.status.as_u16(), 200);
    assert_eq!((open.contacts(), canary.contacts()), (2, 0));
}
