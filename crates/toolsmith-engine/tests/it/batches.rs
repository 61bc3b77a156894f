//! Many calls at once.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use toolsmith_core::{Tool, ToolSpec, json};

use crate::fakes::{call, call_with, crash, echo, engine, engine_with, fail, slots, spec, verdict};

#[tokio::test]
async fn outcomes_keep_the_order_and_one_failure_does_not_stop_the_others() {
    let (engine, sink) = engine_with(slots(2, 0), [echo(), fail(), crash()]);
    let mut calls: Vec<_> =
        (0..20).map(|n| call_with("echo", json!({ "text": n.to_string() }))).collect();
    calls.insert(5, call("fail"));
    calls.insert(9, call("crash"));
    let outcomes = engine.batch(calls).await;
    let verdicts: Vec<_> = outcomes.iter().map(verdict).collect();
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "ok").count(), 20, "{verdicts:?}");
    assert_eq!((verdicts[5], verdicts[9]), ("execution_error", "execution_error"));
    assert_eq!(outcomes[21].output(), &json!({"text": "19"}));
    assert_eq!(sink.count(), 22);
    assert!(engine.batch(Vec::new()).await.is_empty());
}

fn noting(spec: ToolSpec, order: &Arc<Mutex<Vec<String>>>) -> Tool {
    let order = Arc::clone(order);
    Tool::function(spec, move |cx, _input| {
        let order = Arc::clone(&order);
        async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            order.lock().push(cx.tool_name().to_string());
            Ok(json!(null))
        }
    })
}

fn needing(name: &str, needs: &str) -> ToolSpec {
    spec(name).with(|spec| spec.depends_on = vec![needs.parse().unwrap()])
}

#[tokio::test(start_paused = true)]
async fn a_call_runs_after_those_that_its_tool_depends_on() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let (engine, _) = engine([
        noting(spec("first"), &order),
        noting(needing("second", "first"), &order),
        noting(needing("third", "second"), &order),
    ]);
    let outcomes = engine.batch(vec![call("third"), call("second"), call("first")]).await;
    assert!(outcomes.iter().all(toolsmith_core::Outcome::is_success));
    assert_eq!(*order.lock(), ["first", "second", "third"]);
}

#[tokio::test]
async fn a_failed_dependency_is_a_dependency_error_and_is_recorded() {
    let order = Arc::default();
    let (engine, sink) = engine([fail(), noting(needing("after", "fail"), &order), echo()]);
    let outcomes = engine.batch(vec![call("after"), call("fail"), call("echo")]).await;
    let verdicts: Vec<_> = outcomes.iter().map(verdict).collect();
    assert_eq!(verdicts, ["dependency_error", "execution_error", "ok"]);
    assert!(order.lock().is_empty());
    assert_eq!(sink.count(), 3);
}
