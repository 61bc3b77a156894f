//! Tools that hold their thread.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    time::Duration,
};

use parking_lot::Mutex;
use toolsmith_core::{Context, Tool, json};
use toolsmith_engine::EngineConfig;

use crate::fakes::{call, engine, engine_with, slots, spec, verdict};

/// A tool that holds its thread until it is let go.
fn stuck() -> (Tool, mpsc::Sender<()>) {
    let (release, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let tool = Tool::blocking(spec("stuck"), move |_cx, _input| {
        wait.lock().recv().ok();
        Ok(json!("late"))
    });
    (tool, release)
}

fn briefly() -> Context {
    Context::default().with_timeout(Duration::from_millis(50))
}

#[tokio::test]
async fn a_plain_function_answers_from_a_thread_of_its_own() {
    let here = std::thread::current().id();
    let tool = Tool::blocking(spec("where"), move |_cx, _input| {
        Ok(json!(std::thread::current().id() == here))
    });
    let (engine, _) = engine([tool]);
    assert_eq!(engine.call(call("where")).await.output(), &json!(false));
}

#[tokio::test]
async fn a_stuck_thread_lets_its_caller_go_is_counted_and_frees_the_slot() {
    let (tool, release) = stuck();
    let (engine, _) = engine_with(slots(1, 0), [tool]);
    let outcome = engine.call(call("stuck").with_context(briefly())).await;
    assert_eq!(verdict(&outcome), "timeout");
    let metrics = engine.metrics();
    assert_eq!(metrics.limits.current_concurrent, 0);
    assert_eq!(metrics.threads.stuck.get("stuck"), Some(&1));
    release.send(()).unwrap();
    while !engine.metrics().threads.stuck.is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn when_every_thread_is_stuck_new_calls_are_rejected_by_name() {
    let (tool, release) = stuck();
    let config = EngineConfig { blocking_threads: 1, ..EngineConfig::default() };
    let (engine, _) = engine_with(config, [tool]);
    engine.call(call("stuck").with_context(briefly())).await;
    let outcome = engine.call(call("stuck").with_context(briefly())).await;
    assert_eq!(verdict(&outcome), "rejected");
    assert!(outcome.error().unwrap().message().contains("stuck"), "{outcome:?}");
    drop(release);
}

#[tokio::test]
async fn a_call_that_gives_up_while_waiting_for_a_thread_is_never_run() {
    let (tool, release) = stuck();
    let ran = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ran);
    let later = Tool::blocking(spec("later"), move |_cx, _input| {
        flag.store(true, SeqCst);
        Ok(json!(null))
    });
    let config = EngineConfig { blocking_threads: 2, ..EngineConfig::default() };
    let (engine, _) = engine_with(config, [tool, later]);
    let holders: Vec<_> = (0..2)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move { engine.call(call("stuck")).await })
        })
        .collect();
    while engine.metrics().threads.threads < 2 {
        tokio::task::yield_now().await;
    }
    let outcome = engine.call(call("later").with_context(briefly())).await;
    assert_eq!(verdict(&outcome), "timeout");
    drop(release);
    for holder in holders {
        assert_eq!(verdict(&holder.await.unwrap()), "ok");
    }
    assert!(!ran.load(SeqCst));
}

#[tokio::test]
async fn a_panic_on_a_thread_is_an_error_and_the_thread_lives_on() {
    let tool = Tool::blocking(spec("crash"), |_cx, _input| panic!("no floor"));
    let (engine, _) = engine([tool]);
    for _ in 0..3 {
        let outcome = engine.call(call("crash")).await;
        assert_eq!(verdict(&outcome), "execution_error");
    }
    assert!(engine.metrics().threads.stuck.is_empty());
}

#[tokio::test]
async fn a_long_loop_can_ask_whether_its_caller_has_gone() {
    let ended = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ended);
    let tool = Tool::blocking(spec("loop"), move |cx, _input| {
        while !cx.is_cancelled() {
            std::thread::yield_now();
        }
        flag.store(true, SeqCst);
        Ok(json!(null))
    });
    let (engine, _) = engine([tool]);
    engine.call(call("loop").with_context(briefly())).await;
    while !ended.load(SeqCst) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_async_tool_that_holds_its_thread_is_named() {
    let busy = |briefly: bool| {
        Tool::function(
            spec(if briefly { "first" } else { "later" }),
            move |_cx, _input| async move {
                if !briefly {
                    tokio::task::yield_now().await;
                }
                let start = std::time::Instant::now();
                while start.elapsed() < Duration::from_millis(5) {
                    std::hint::spin_loop();
                }
                Ok(json!(null))
            },
        )
    };
    let config = EngineConfig { longest_poll: Duration::from_millis(2), ..EngineConfig::default() };
    let (engine, _) = engine_with(config, [busy(true), busy(false), crate::fakes::echo()]);
    let mut events = engine.subscribe();
    for tool in ["first", "later"] {
        engine.call(call(tool)).await;
    }
    assert!(engine.metrics().held_threads >= 2);
    let mut named = Vec::new();
    while let Some(toolsmith_engine::Heard::Event(event)) = events.try_next() {
        if event.kind == toolsmith_core::EventKind::ThreadHeld {
            named.push(event.tool_name.clone().unwrap());
        }
    }
    assert!(named.iter().any(|tool| tool == "first") && named.iter().any(|tool| tool == "later"));
}

#[tokio::test]
async fn plain_functions_that_call_plain_functions_do_not_wait_for_their_own_threads() {
    let inner = Tool::blocking(spec("inner"), |_cx, _input| Ok(json!("deep")));
    let outer = Tool::blocking(spec("outer"), |cx, _input| {
        let runtime = tokio::runtime::Handle::current();
        runtime.block_on(cx.call("inner", json!({}))).result
    });
    let config = EngineConfig { blocking_threads: 2, ..EngineConfig::default() };
    let (engine, _) = engine_with(config, [inner, outer]);
    let outcomes = engine.batch((0..4).map(|_| call("outer")).collect()).await;
    assert!(outcomes.iter().all(|outcome| outcome.output() == "deep"), "{outcomes:?}");
}
