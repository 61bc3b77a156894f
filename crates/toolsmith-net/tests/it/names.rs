//! Names that lead to other addresses than they should, or to another one each time.

use std::{collections::VecDeque, io, net::IpAddr, sync::Arc, time::Duration};

use parking_lot::Mutex;
use toolsmith_core::BoxFuture;
use toolsmith_net::{Allow, Client, NetError, Request, Resolve, Settings};

use crate::server::{Reply, Server};

/// Answers from a list, one after the other, and counts how often it was asked.
#[derive(Debug, Default)]
struct Script {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Script {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|ip| ip.parse().unwrap()).collect();
        let answers = Mutex::new(answers.iter().map(parse).collect());
        Arc::new(Self { answers, asked: Mutex::default() })
    }

    fn client(self: &Arc<Self>, open: &[&str]) -> Client {
        Client::new(Settings {
            allow: Allow::parse(open).unwrap(),
            resolver: Arc::<Self>::clone(self),
            connect_timeout: Duration::from_millis(300),
            ..Settings::default()
        })
        .unwrap()
    }
}

impl Resolve for Script {
    fn resolve(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        self.asked.lock().push(host.to_owned());
        let answer = self.answers.lock().pop_front();
        let answer = answer.ok_or_else(|| io::Error::other("no such name"));
        Box::pin(std::future::ready(answer))
    }
}

#[tokio::test]
async fn a_public_name_with_a_private_address_is_refused() {
    let canary = Server::canary().await;
    for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "64:ff9b::7f00:1"] {
        let script = Script::new(&[&[address]]);
        let url = format!("http://evil.example:{}/", canary.port());
        let error = script.client(&[]).send(Request::get(url)).await.unwrap_err();
        assert!(matches!(error, NetError::Denied(_)), "{address}: {error:?}");
        assert_eq!(*script.asked.lock(), ["evil.example"]);
    }
    assert_eq!(canary.contacts(), 0);
}

#[tokio::test]
async fn an_answer_that_changes_cannot_slip_past_its_check() {
    // The first answer is open, the second one is not: they are two loopback addresses.
    let open = Server::start_at("127.0.0.2:0", |_| Reply::new(200, "text/plain", "ok")).await;
    let place = format!("127.0.0.1:{}", open.port());
    let canary = Server::start_at(&place, |_| Reply::new(200, "text/plain", "no")).await;
    let script = Script::new(&[&["127.0.0.2"], &["127.0.0.1"], &["127.0.0.1"]]);
    let client = script.client(&["127.0.0.2"]);
    let url = format!("http://rebind.example:{}/", open.port());
    let answer = client.send(Request::get(&url)).await.unwrap();
    assert_eq!(answer.text(), "ok");
    assert_eq!(script.asked.lock().len(), 1, "one lookup for one connection");
    let error = client.send(Request::get(&url)).await.unwrap_err();
    assert!(matches!(error, NetError::Denied(_)), "{error:?}");
    assert_eq!((open.contacts(), canary.contacts()), (1, 0));
}

#[tokio::test]
async fn of_mixed_answers_only_the_open_addresses_are_tried() {
    let open = Server::start_at("127.0.0.2:0", |_| Reply::new(200, "text/plain", "ok")).await;
    let place = format!("127.0.0.1:{}", open.port());
    let canary = Server::start_at(&place, |_| Reply::new(200, "text/plain", "no")).await;
    let script = Script::new(&[&["127.0.0.1", "10.0.0.1", "127.0.0.2", "::1"]]);
    let client = script.client(&["127.0.0.2"]);
    let url = format!("http://mixed.example:{}/", open.port());
    assert_eq!(client.send(Request::get(url)).await.unwrap().text(), "ok");
    assert_eq!((open.contacts(), canary.contacts()), (1, 0));
}

#[tokio::test]
async fn a_public_address_beside_a_private_one_leads_nowhere_else() {
    let canary = Server::canary().await;
    // Nothing answers at the public one here; what matters is that the other is not tried.
    let script = Script::new(&[&["192.31.196.1", "127.0.0.1"]]);
    let url = format!("http://mixed.example:{}/", canary.port());
    let error = script.client(&[]).send(Request::get(url)).await.unwrap_err();
    assert!(matches!(error, NetError::Connect { .. } | NetError::Timeout { .. }), "{error:?}");
    assert_eq!(canary.contacts(), 0);
}

#[tokio::test]
async fn a_port_that_is_open_for_an_address_opens_no_other_port_for_its_names() {
    let (open, canary) = (Server::canary().await, Server::canary().await);
    let here: &[&str] = &["127.0.0.1"];
    let script = Script::new(&[here, here, here]);
    let client = script.client(&[&open.address.to_string()]);
    let url = |port| format!("http://name.example:{port}/");
    assert!(client.send(Request::get(url(open.port()))).await.is_ok());
    let error = client.send(Request::get(url(canary.port()))).await.unwrap_err();
    assert!(matches!(error, NetError::Denied(_)), "{error:?}");
    assert_eq!(canary.contacts(), 0);
}

#[tokio::test]
async fn an_opened_name_may_be_private_but_never_a_metadata_service() {
    let server = Server::canary().await;
    let script = Script::new(&[&["127.0.0.1"], &["169.254.169.254"]]);
    let client = script.client(&["intranet.example"]);
    let url = format!("http://Intranet.Example.:{}/", server.port());
    assert!(client.send(Request::get(&url)).await.is_ok());
    assert!(matches!(client.send(Request::get(&url)).await, Err(NetError::Denied(_))));
}

#[tokio::test]
async fn trust_in_a_host_is_not_lent_to_inputs_that_name_it() {
    let server = Server::canary().await;
    let here: &[&str] = &["127.0.0.1"];
    let script = Script::new(&[here, here]);
    let client = script.client(&[]);
    let url = format!("http://upstream.example:{}/", server.port());
    assert!(client.send(Request::get(&url).trusted()).await.is_ok());
    let error = client.send(Request::get(&url)).await.unwrap_err();
    assert!(matches!(error, NetError::Denied(_)), "{error:?}");
    assert_eq!(server.contacts(), 1);
}

#[tokio::test]
async fn an_unknown_name_is_a_failure_of_the_other_end() {
    let error = Script::new(&[]).client(&[]).send(Request::get("http://no.example/")).await;
    let error = error.unwrap_err().into_tool_error();
    assert_eq!(error.kind(), toolsmith_core::ErrorKind::UpstreamError);
    assert!(error.message().contains("`no.example` could not be reached"), "{error}");
}
