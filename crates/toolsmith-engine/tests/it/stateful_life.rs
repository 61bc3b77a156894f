//! Whose an object is, how many there may be, and how its life ends.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep, timeout};
use toolsmith_core::{
    BoxFuture, Call, CallerType, Context, Factory, Sharing, Stateful, Tool, ToolContext, ToolError,
    Value, json,
};
use toolsmith_engine::{Engine, EngineConfig, registry::OnClash};

use crate::fakes::{call_with, engine, engine_with, spec, verdict};

/// How an object closes.
#[derive(Clone, Copy, Default)]
enum Close {
    #[default]
    Well,
    Slowly,
    Never,
    Panicking,
}

/// Makes objects that tell who they are, and remembers how they ended.
#[derive(Clone, Default)]
struct Den {
    name: &'static str,
    sharing: Sharing,
    close: Close,
    made: Arc<AtomicU32>,
    closed: Arc<AtomicU32>,
    was_closed_in_use: Arc<AtomicBool>,
}

impl Den {
    fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    fn tool(&self, name: &str) -> Tool {
        Tool::stateful_factory(spec(name), self.clone())
    }

    fn closed(&self) -> u32 {
        self.closed.load(SeqCst)
    }
}

impl Factory for Den {
    fn create<'a>(
        &'a self,
        _cx: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Arc<dyn Stateful>, ToolError>> {
        self.made.fetch_add(1, SeqCst);
        let bear = Bear { den: self.clone(), calls: AtomicU32::new(0), running: AtomicU32::new(0) };
        Box::pin(async move { Ok(Arc::new(bear) as Arc<dyn Stateful>) })
    }

    fn sharing(&self) -> Sharing {
        self.sharing
    }
}

/// Answers with its name and the number of the call; `text` is what it does before.
struct Bear {
    den: Den,
    calls: AtomicU32,
    running: AtomicU32,
}

/// Counts a call for as long as it runs, however it ends.
struct Running<'a>(&'a AtomicU32);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Stateful for Bear {
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            self.running.fetch_add(1, SeqCst);
            let _running = Running(&self.running);
            match input["text"].as_str().unwrap_or_default() {
                "panic" => panic!("a bad dream"),
                "call itself" => return cx.call("bear", json!({})).await.result,
                "call another" => return cx.call("pair", json!({})).await.result,
                "sleep" => sleep(Duration::from_secs(20)).await,
                _ => {}
            }
            Ok(json!(format!("{} {}", self.den.name, self.calls.fetch_add(1, SeqCst) + 1)))
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match self.den.close {
                Close::Well => {}
                Close::Slowly => sleep(Duration::from_secs(5)).await,
                Close::Never => std::future::pending().await,
                Close::Panicking => panic!("the lid is stuck"),
            }
            self.den.closed.fetch_add(1, SeqCst);
            self.den.was_closed_in_use.fetch_or(self.running.load(SeqCst) > 0, SeqCst);
        })
    }
}

fn in_thread(tool: &str, thread: &str, text: &str) -> Call {
    let context = Context {
        thread_id: Some(thread.into()),
        // A node of a workflow is not limited, so many may run at once.
        caller_type: CallerType::WorkflowNode,
        ..Context::default()
    };
    call_with(tool, json!({ "text": text })).with_context(context)
}

fn within(seconds: u64, mut call: Call) -> Call {
    call.context.timeout = Some(Duration::from_secs(seconds));
    call
}

async fn answer(engine: &Engine, call: Call) -> Value {
    engine.call(call).await.output().clone()
}

fn spawned(engine: &Engine, call: Call) -> tokio::task::JoinHandle<&'static str> {
    let engine = engine.clone();
    tokio::spawn(async move { verdict(&engine.call(call).await) })
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_was_replaced_leaves_its_objects_to_be_closed() {
    let (old, new) = (Den::new("old"), Den::new("new"));
    let (engine, _) = engine([old.tool("bear")]);
    assert_eq!(answer(&engine, in_thread("bear", "a", "")).await, "old 1");
    let sleeping = spawned(&engine, in_thread("bear", "b", "sleep"));
    tokio::task::yield_now().await;
    engine.registry().register_many([new.tool("bear")], OnClash::Replace).unwrap();
    assert_eq!(answer(&engine, in_thread("bear", "a", "")).await, "new 1");
    assert_eq!(old.closed(), 0, "a call still runs the old definition");
    assert_eq!(sleeping.await.unwrap(), "ok");
    sleep(Duration::from_secs(1)).await;
    assert_eq!((old.closed(), new.closed(), engine.metrics().instances), (2, 0, 1));
    assert!(engine.registry().unregister("bear"));
    sleep(Duration::from_secs(1)).await;
    assert_eq!((new.closed(), engine.metrics().instances), (1, 0));
}

#[tokio::test]
async fn a_tool_that_is_removed_without_a_runtime_has_its_objects_closed_all_the_same() {
    let den = Den::new("old");
    let (engine, _) = engine([den.tool("bear")]);
    answer(&engine, in_thread("bear", "a", "")).await;
    let removing = engine.clone();
    assert!(std::thread::spawn(move || removing.registry().unregister("bear")).join().unwrap());
    engine.shutdown(Duration::from_secs(1)).await;
    assert_eq!(den.closed(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_is_dropped_has_its_objects_closed() {
    let den = Den { close: Close::Slowly, ..Den::new("bear") };
    let (engine, _) = engine([den.tool("bear")]);
    answer(&engine, in_thread("bear", "a", "")).await;
    drop(engine);
    sleep(Duration::from_secs(6)).await;
    assert_eq!(den.closed(), 1);
}

#[tokio::test]
async fn an_object_belongs_to_one_person_and_one_namespace() {
    let (engine, _) = engine([Den::new("shared").tool("bear")]);
    let of_user = |user: &str| {
        let mut call = in_thread("bear", "a", "");
        call.context.user_id = Some(user.into());
        call
    };
    assert_eq!(answer(&engine, of_user("ann")).await, "shared 1");
    assert_eq!(answer(&engine, of_user("ann")).await, "shared 2");
    assert_eq!(answer(&engine, of_user("mallory")).await, "shared 1");
    for (namespace, name) in [("ann", "ann's"), ("bob", "bob's")] {
        let tool = Den::new(name).tool("mine");
        engine.registry().register_private(&namespace.into(), tool).unwrap();
        let mut call = in_thread("mine", "a", "");
        call.context.rights.namespace = Some(namespace.into());
        assert_eq!(answer(&engine, call).await, format!("{name} 1"));
    }
    assert_eq!(engine.end_instances("mine").await, 2);
    assert_eq!(engine.end_thread("a").await, 2);
}

#[tokio::test(start_paused = true)]
async fn one_object_too_many_ends_the_idle_one_that_was_used_least_recently() {
    let den = Den::new("bear");
    let (engine, _) = engine([den.tool("bear")]);
    let busy = spawned(&engine, in_thread("bear", "busy", "sleep"));
    tokio::task::yield_now().await;
    for thread in 1..10_000 {
        answer(&engine, in_thread("bear", &thread.to_string(), "")).await;
    }
    assert_eq!(answer(&engine, in_thread("bear", "1", "")).await, "bear 2");
    assert_eq!((engine.metrics().instances, den.closed()), (10_000, 0));
    assert_eq!(answer(&engine, in_thread("bear", "more", "")).await, "bear 1");
    tokio::task::yield_now().await;
    assert_eq!((engine.metrics().instances, den.closed()), (10_000, 1));
    assert_eq!(answer(&engine, in_thread("bear", "1", "")).await, "bear 3");
    assert_eq!(answer(&engine, in_thread("bear", "2", "")).await, "bear 1", "it was the one");
    assert_eq!(busy.await.unwrap(), "ok");
}

#[tokio::test(start_paused = true)]
async fn an_object_is_refused_when_too_many_are_in_use() {
    let (engine, _) = engine([Den::new("bear").tool("bear")]);
    let mut running: Vec<_> = Vec::new();
    for thread in 0..10_000 {
        running.push(spawned(&engine, in_thread("bear", &thread.to_string(), "sleep")));
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!(verdict(&engine.call(in_thread("bear", "more", "")).await), "rejected");
    for call in running {
        assert_eq!(call.await.unwrap(), "ok");
    }
    assert_eq!(answer(&engine, in_thread("bear", "more", "")).await, "bear 1");
}

#[tokio::test(start_paused = true)]
async fn an_object_given_up_by_two_calls_is_closed_once_and_after_the_third() {
    let den = Den { sharing: Sharing::Concurrent, ..Den::new("bear") };
    let (engine, _) = engine([den.tool("bear")]);
    let calls =
        [1, 2, 60].map(|limit| spawned(&engine, within(limit, in_thread("bear", "a", "sleep"))));
    sleep(Duration::from_secs(3)).await;
    assert_eq!(den.closed(), 0, "one call is still using it");
    assert_eq!(answer(&engine, in_thread("bear", "a", "")).await, "bear 1", "not the same one");
    let [first, second, third] = calls;
    assert_eq!((first.await.unwrap(), second.await.unwrap()), ("timeout", "timeout"));
    assert_eq!(third.await.unwrap(), "ok");
    sleep(Duration::from_secs(1)).await;
    assert_eq!((den.closed(), den.was_closed_in_use.load(SeqCst)), (1, false));
}

#[tokio::test(start_paused = true)]
async fn a_fresh_object_is_closed_after_a_timeout_or_a_panic_too() {
    for (accident, expected) in [("sleep", "timeout"), ("panic", "execution_error")] {
        let den = Den::new("bear");
        let (engine, _) = engine([den.tool("bear")]);
        let call = within(1, call_with("bear", json!({ "text": accident })));
        assert_eq!(verdict(&engine.call(call).await), expected);
        engine.shutdown(Duration::from_secs(1)).await;
        assert_eq!(den.closed(), 1, "{accident}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fresh_object_that_never_closes_does_not_cost_the_call_its_answer() {
    let den = Den { close: Close::Never, ..Den::new("bear") };
    let (engine, _) = engine([den.tool("bear")]);
    assert_eq!(answer(&engine, within(4, call_with("bear", json!({})))).await, "bear 1");
}

#[tokio::test(start_paused = true)]
async fn sweeping_goes_on_when_objects_panic_or_hang_in_closing() {
    for close in [Close::Panicking, Close::Never] {
        let idle_instances = Duration::from_mins(10);
        let (bad, good) = (Den { close, ..Den::new("bad") }, Den::new("good"));
        let config = EngineConfig { idle_instances, ..EngineConfig::default() };
        let (engine, _) = engine_with(config, [bad.tool("bad"), good.tool("good")]);
        for round in 1..4 {
            answer(&engine, in_thread("bad", "a", "")).await;
            answer(&engine, in_thread("good", "a", "")).await;
            sleep(idle_instances * 2).await;
            assert_eq!((engine.metrics().instances, good.closed()), (0, round));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn closing_that_hangs_or_panics_holds_neither_others_nor_the_end_up() {
    let bad = [Close::Never, Close::Panicking].map(|close| Den { close, ..Den::new("bad") });
    let good = Den::new("good");
    let tools = [bad[0].tool("hanging"), bad[1].tool("panicking"), good.tool("good")];
    let (engine, _) = engine(tools);
    for tool in ["hanging", "panicking", "good"] {
        for thread in ["a", "b"] {
            answer(&engine, in_thread(tool, thread, "")).await;
        }
    }
    let begun = Instant::now();
    assert_eq!(engine.end_thread("a").await, 3);
    assert_eq!(good.closed(), 1);
    engine.shutdown(Duration::from_secs(1)).await;
    assert_eq!(good.closed(), 2);
    assert!(begun.elapsed() <= Duration::from_secs(21), "each is given ten seconds, beside others");
}

#[tokio::test(start_paused = true)]
async fn who_stops_waiting_for_the_end_leaves_no_object_unclosed() {
    let den = Den { close: Close::Slowly, ..Den::new("bear") };
    let (engine, _) = engine([den.tool("bear")]);
    answer(&engine, in_thread("bear", "a", "")).await;
    answer(&engine, in_thread("bear", "b", "")).await;
    let (second, minute) = (Duration::from_secs(1), Duration::from_mins(1));
    assert!(timeout(second, engine.end_instances("bear")).await.is_err());
    assert!(timeout(second, engine.shutdown(minute)).await.is_err());
    assert_eq!((engine.metrics().instances, den.closed()), (0, 0));
    engine.shutdown(minute).await;
    assert_eq!(den.closed(), 2);
}

/// Calls `bear` twice at the same time.
fn pair() -> Tool {
    Tool::function(spec("pair"), |cx, _input| async move {
        let (one, two) = tokio::join!(cx.call("bear", json!({})), cx.call("bear", json!({})));
        Ok(json!([one.result?, two.result?]))
    })
}

#[tokio::test(start_paused = true)]
async fn an_object_that_calls_itself_is_told_so_at_once() {
    for text in ["call itself", "call another"] {
        let (engine, _) = engine([Den::new("bear").tool("bear"), pair()]);
        let outcome = engine.call(in_thread("bear", "a", text)).await;
        assert_eq!(verdict(&outcome), "execution_error");
        assert!(outcome.error().unwrap().message().contains("cannot call itself"), "{text}");
        assert_eq!(outcome.duration, Duration::ZERO);
        assert_eq!(answer(&engine, in_thread("bear", "a", "")).await, "bear 1");
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_copes_with_several_calls_may_call_itself() {
    let den = Den { sharing: Sharing::Concurrent, ..Den::new("bear") };
    let (engine, _) = engine([den.tool("bear")]);
    assert_eq!(answer(&engine, in_thread("bear", "a", "call itself")).await, "bear 1");
}

#[tokio::test(start_paused = true)]
async fn nested_calls_that_are_not_in_each_others_way_wait_for_their_turn() {
    let (engine, _) = engine([Den::new("bear").tool("bear"), pair()]);
    let sleeping = spawned(&engine, in_thread("bear", "a", "sleep"));
    tokio::task::yield_now().await;
    let both = answer(&engine, in_thread("pair", "a", "")).await;
    assert_eq!(both, json!(["bear 2", "bear 3"]));
    assert_eq!(sleeping.await.unwrap(), "ok");
}

/// Calls in a few threads with hardly any time, ending and replacing things in between.
async fn disturb(engine: Engine, den: Den, caller: usize) {
    for step in caller..caller + 200 {
        let thread = (step % 3).to_string();
        let text = ["", "", "call itself", "sleep"][step % 4];
        let mut call = in_thread("bear", &thread, text);
        call.context.timeout = Some(Duration::from_micros(500));
        engine.call(call).await;
        match step % 40 {
            7 => drop(engine.end_thread(&thread).await),
            13 => drop(engine.end_idle(Duration::ZERO).await),
            21 => {
                let again = [den.tool("bear")];
                engine.registry().register_many(again, OnClash::Replace).unwrap();
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_happens_at_once_every_object_is_closed_and_none_in_use() {
    for sharing in [Sharing::OneCallAtATime, Sharing::Concurrent] {
        let den = Den { sharing, ..Den::new("bear") };
        let (engine, _) = engine([den.tool("bear")]);
        let callers = (0..8).map(|caller| disturb(engine.clone(), den.clone(), caller));
        let callers: tokio::task::JoinSet<()> = callers.collect();
        timeout(Duration::from_mins(1), callers.join_all()).await.unwrap();
        engine.shutdown(Duration::from_secs(10)).await;
        assert_eq!(den.made.load(SeqCst), den.closed(), "{sharing:?}");
        assert!(den.closed() > 0 && !den.was_closed_in_use.load(SeqCst));
        assert_eq!(engine.metrics().instances, 0);
    }
}
