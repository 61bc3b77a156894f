//! Calls over HTTP, and all that may come in place of a plain answer.

use std::{sync::Arc, time::Duration};

use futures_util::future::{join, join_all};
use tokio::time::{Instant, sleep};
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
    let call = Call::new("far__steps", json!({})).with_asker(Arc::<Someone>::clone(&someone));
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
        ("missing", "answered with HTTP status 405.", Advice::Differently),
        ("patience", "answered with HTTP status 429.", Advice::Later),
        ("busy", "answered with HTTP status 503.", Advice::Later),
        ("prose", "gave an answer that is not of the protocol.", Advice::Final),
        ("garbled", "gave an answer that is not of the protocol.", Advice::Final),
        ("other", "gave an answer that is not of the protocol.", Advice::Final),
        ("nothing", "gave an answer that is not of the protocol.", Advice::Final),
    ] {
        let Some(service) = Service::start("json") else { return };
        let bench = Bench::started(vec![service.settings()]).await;
        let outcome = bench.call("far__refuse", json!({ "how": how })).await;
        let error = outcome.error().unwrap();
        assert!(error.message().contains(said), "{how}: {error}");
        assert_eq!(error.advice(), advice, "{how}: {error}");
        let wait = matches!(how, "patience" | "busy").then_some(Duration::from_secs(3));
        assert_eq!(error.retry_after(), wait, "{how}: {error}");
        assert!(bench.call("far__echo", json!({})).await.is_success(), "{how}");
    }
}

#[tokio::test]
async fn many_calls_at_once_have_each_its_own_answer() {
    for mode in ["json", "sse"] {
        let Some(service) = Service::start(mode) else { return };
        let bench = Bench::started(vec![service.settings()]).await;
        let calls = (0..64).map(|n| bench.call("far__echo", json!({ "n": n })));
        for (n, outcome) in join_all(calls).await.iter().enumerate() {
            assert_eq!(*outcome.output(), json!({ "n": n }), "{mode}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn a_call_hears_of_the_end_of_its_session() {
    let Some(service) = Service::start("json") else { return };
    let bench = Bench::started(vec![service.settings()]).await;
    let end = async {
        let until = Instant::now() + Duration::from_secs(20);
        while bench.call("far__count", json!({})).await.output()["waiting"] != json!(1) {
            assert!(Instant::now() < until, "the call was not sent");
            sleep(Duration::from_millis(5)).await;
        }
        bench.servers.stop("far").await.unwrap();
    };
    let (outcome, ()) = join(bench.call("far__wait", json!({})), end).await;
    let error = outcome.error().unwrap();
    assert!(error.message().contains("closed the connection"), "{error}");
}
