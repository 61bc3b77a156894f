//! Calls that a person must agree to.

use std::{sync::atomic::Ordering::SeqCst, time::Duration};

use toolsmith_core::{Approval, Call, CallId, Context, Outcome, RateBy, RateLimit, json};
use toolsmith_engine::{Decision, Engine};

use crate::fakes::{call_with, counting, engine, spec, verdict};

fn guarded() -> (Engine, std::sync::Arc<std::sync::atomic::AtomicU32>) {
    let approval = Approval { expires: Duration::from_mins(10) };
    let spec = spec("delete").with(|spec| spec.approval = Some(approval));
    let (tool, runs) = counting(spec, Duration::ZERO);
    (engine([tool]).0, runs)
}

fn delete(caller: &'static str, what: &str) -> Call {
    call_with("delete", json!({ "text": what })).with_context(Context::direct(caller))
}

fn approval_id(outcome: &Outcome) -> CallId {
    let id = &outcome.error().unwrap().details()["approval_id"];
    id.as_str().unwrap().parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_grant_is_for_one_caller_one_input_and_one_use() {
    let (engine, runs) = guarded();
    let asked = engine.call(delete("agent", "a.txt")).await;
    assert_eq!(verdict(&asked), "approval_required");
    let id = approval_id(&asked);
    let again = engine.call(delete("agent", "a.txt")).await;
    assert_eq!(approval_id(&again), id, "the same question is asked once");

    engine.decide(id, Decision::Grant, "boss").unwrap();
    assert_eq!(verdict(&engine.call(delete("agent", "b.txt")).await), "approval_required");
    assert_eq!(verdict(&engine.call(delete("other", "a.txt")).await), "approval_required");
    assert_eq!(verdict(&engine.call(delete("agent", "a.txt")).await), "ok");
    assert_eq!(verdict(&engine.call(delete("agent", "a.txt")).await), "approval_required");
    assert_eq!(runs.load(SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn questions_count_against_the_callers_rate_and_what_was_granted_runs_without_a_second_charge()
 {
    let (engine, runs) = guarded();
    let delete = |what: &str| {
        let mut call = delete("agent", what);
        let rate = RateLimit { calls: 2, per: Duration::from_mins(1), by: RateBy::Caller };
        call.context.rights.allowance.rate = Some(rate);
        call
    };
    let asked = engine.call(delete("a.txt")).await;
    assert_eq!(verdict(&engine.call(delete("a.txt")).await), "approval_required");
    for what in ["a.txt", "b.txt"] {
        let refused = engine.call(delete(what)).await;
        assert_eq!(verdict(&refused), "rate_limited");
        assert!(refused.error().unwrap().retry_after().is_some());
    }
    assert_eq!(engine.approvals().pending().len(), 1, "nothing is asked for who asks too often");
    engine.decide(approval_id(&asked), Decision::Grant, "boss").unwrap();
    assert_eq!(verdict(&engine.call(delete("a.txt")).await), "ok");
    assert_eq!(runs.load(SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn nobody_takes_the_places_of_others_and_nothing_is_asked_that_cannot_be_shown() {
    let (engine, _) = guarded();
    let mut verdicts = Vec::new();
    for n in 0..600 {
        verdicts.push(verdict(&engine.call(delete("greedy", &n.to_string())).await));
    }
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "approval_required").count(), 500);
    assert_eq!(verdicts.last().map(|verdict| &**verdict), Some("rejected"));
    assert_eq!(verdict(&engine.call(delete("other", "x")).await), "approval_required");
    let long = engine.call(delete("other", &"x".repeat(100_000))).await;
    assert_eq!(verdict(&long), "validation_error");
}

#[tokio::test(start_paused = true)]
async fn a_repetition_by_idempotency_key_asks_nobody_again() {
    let (engine, runs) = guarded();
    let keyed = |what: &str| {
        let context = Context { idempotency_key: Some("k".into()), ..Context::direct("agent") };
        delete("agent", what).with_context(context)
    };
    let id = approval_id(&engine.call(keyed("a.txt")).await);
    engine.decide(id, Decision::Grant, "boss").unwrap();
    assert_eq!(verdict(&engine.call(keyed("a.txt")).await), "ok");
    assert_eq!(verdict(&engine.call(keyed("a.txt")).await), "ok");
    assert_eq!(verdict(&engine.call(keyed("b.txt")).await), "validation_error");
    assert_eq!(runs.load(SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_caller_cannot_grant_its_own_call_and_a_late_decision_is_refused() {
    let (engine, runs) = guarded();
    let id = approval_id(&engine.call(delete("agent", "a.txt")).await);
    let refused = engine.decide(id, Decision::Grant, "agent").unwrap_err();
    assert_eq!(refused.kind().as_str(), "permission_denied");
    tokio::time::advance(Duration::from_mins(11)).await;
    engine.decide(id, Decision::Grant, "boss").unwrap_err();
    assert_eq!(runs.load(SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_denied_call_is_told_so_and_an_unused_grant_expires() {
    let (engine, runs) = guarded();
    let id = approval_id(&engine.call(delete("agent", "a.txt")).await);
    engine.decide(id, Decision::Deny, "boss").unwrap();
    assert_eq!(verdict(&engine.call(delete("agent", "a.txt")).await), "permission_denied");

    let id = approval_id(&engine.call(delete("agent", "b.txt")).await);
    assert_eq!(engine.approvals().pending().len(), 1);
    engine.decide(id, Decision::Grant, "boss").unwrap();
    tokio::time::advance(Duration::from_mins(11)).await;
    assert_eq!(verdict(&engine.call(delete("agent", "b.txt")).await), "approval_required");
    assert_eq!(runs.load(SeqCst), 0);
}

#[tokio::test]
async fn nobody_is_asked_about_an_invalid_call() {
    let (engine, _) = guarded();
    let wrong = call_with("delete", json!({"text": 5})).with_context(Context::direct("agent"));
    assert_eq!(verdict(&engine.call(wrong).await), "validation_error");
    assert!(engine.approvals().pending().is_empty());
}

#[tokio::test]
async fn agents_of_one_person_do_not_share_grants_and_people_see_no_secrets() {
    let (engine, runs) = guarded();
    engine.redactor().add(&toolsmith_core::Secret::new("hunter2-hunter2".to_owned()));
    let by = |agent: &'static str| {
        let context = Context { user_id: Some("ann".into()), ..Context::direct(agent) };
        call_with("delete", json!({ "text": "hunter2-hunter2" })).with_context(context)
    };
    let id = approval_id(&engine.call(by("agent-a")).await);
    let shown = serde_json::to_string(&engine.approvals().pending()).unwrap();
    assert!(shown.contains("***") && !shown.contains("hunter2"), "{shown}");
    engine.decide(id, Decision::Grant, "boss").unwrap();
    assert_eq!(verdict(&engine.call(by("agent-b")).await), "approval_required");
    assert_eq!(verdict(&engine.call(by("agent-a")).await), "ok");
    assert_eq!(runs.load(SeqCst), 1);
}
