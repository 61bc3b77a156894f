//! Calls over HTTP, and all that may come in place of a plain answer.

use toolsmith_core::{Advice, Answer, Call, Outcome, StreamItem, json};
use toolsmith_engine::Followed;

use crate::{
    asking::Someone,
    bench::{Bench, poll},
    http::Service,
};

/// Makes a call; returns how far it said to be, and what came of it.
async fn follow(bench: &Bench, call: Call) -> (Vec<f64>, Outcome) {
    let mut stream = bench.engine.stream(call);
    let mut steps = Vec::new();
    loop {
        match stream.next().await.unwrap() {
            Followed::Item(StreamItem::Progress { done, .. }) => steps.push(done),
            Followed::Item(_) => {}
            Followed::Outcome(outcome) => return (steps, *outcome),
        }
    }
}

#[tokio::test]
async fn what_comes_on_the_stream_of_an_answer_gets_where_it_belongs() {
    let Some(service) = Service::start("json") else { return };
    let bench = Bench::started(vec![service.settings()]).await;
    let someone = Someone::who_says(Answer::Accept(json!({ "name": "Ada" })));
    let call = Call::new("far__steps", json!({})).with_asker(someone.clone());
    let (steps, outcome) = follow(&bench, call).await;
    let expected = json!({ "action": "accept", "content": { "name": "Ada" } });
    assert_eq!(*outcome.output(), expected, "{outcome:?}");
    assert_eq!(steps, [1.0, 2.0]);
    assert_eq!(someone.asked.lock().len(), 1);
    // The list that the server said to have changed is read again.
    poll("the tool that was added", || bench.names().contains(&"far__added".to_owned())).await;
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_taken_up_again() {
    let Some(service) = Service::start("json") else { return };
    let bench = Bench::started(vec![service.settings()]).await;
    let (steps, outcome) = follow(&bench, Call::new("far__torn", json!({}))).await;
    assert_eq!(*outcome.output(), json!("session-1"), "{outcome:?}");
    assert_eq!(steps, [1.0, 2.0]);
    let outcome = bench.call("far__torn_off", json!({})).await;
    let error = outcome.error().unwrap();
    assert!(error.message().contains("closed the connection"), "{error}");
    assert!(bench.call("far__echo", json!({})).await.is_success());
    let outcome = bench.call("far__count", json!({})).await;
    assert_eq!(outcome.output()["calls"], json!(4), "no call is sent twice");
}

#[tokio::test]
async fn an_answer_may_come_on_the_stream_of_the_session() {
    let Some(service) = Service::start("common") else { return };
    let bench = Bench::started(vec![service.settings()]).await;
    let outcome = bench.call("far__elsewhere", json!({ "x": 1 })).await;
    assert_eq!(*outcome.output(), json!({ "x": 1 }), "{outcome:?}");
}

#[tokio::test]
async fn a_refusal_says_what_is_wrong() {
    for (how, said, advice) in [
        ("error", "refused the call: not so", Advice::Differently),
        ("unauthorized", "asks for authorization", Advice::Final),
        ("forbidden", "asks for authorization", Advice::Final),
        ("missing", "answered with HTTP status 405.", Advice::Later),
        ("patience", "answered with HTTP status 429.", Advice::Later),
        ("busy", "answered with HTTP status 503.", Advice::Later),
        ("prose", "broke the connection off.", Advice::Later),
        ("garbled", "broke the connection off.", Advice::Later),
    ] {
        let Some(service) = Service::start("json") else { return };
        let bench = Bench::started(vec![service.settings()]).await;
        let outcome = bench.call("far__refuse", json!({ "how": how })).await;
        let error = outcome.error().unwrap();
        assert!(error.message().contains(said), "{how}: {error}");
        assert_eq!(error.advice(), advice, "{how}: {error}");
        assert!(bench.call("far__echo", json!({})).await.is_success(), "{how}");
    }
}
