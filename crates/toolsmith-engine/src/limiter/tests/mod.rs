//! Sentences about the limiter, one situation each.

mod model;
mod random;
mod stress;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use serde::Deserialize;
use tokio::time::advance;

use toolsmith_core::{ErrorKind, Value, json};

use std::time::Duration;

use tokio::time::Instant;
use toolsmith_core::Category;

use super::{state::Entry, waiting::Waiting, *};

type Answer<'a> = Result<Permit<'a>, Refusal>;
type Attempt<'a> = Pin<Box<dyn Future<Output = Answer<'a>> + Send + 'a>>;

fn limiter(config: Value) -> Limiter {
    Limiter::new(LimiterConfig::deserialize(config).unwrap())
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn poll<'a>(attempt: &mut Attempt<'a>) -> Poll<Answer<'a>> {
    attempt.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// Starts a call that finds no slot and so waits, for a day if need be.
fn queue(limiter: &Limiter, bucket: BucketId, priority: i32) -> Attempt<'_> {
    let deadline = Instant::now() + Duration::from_hours(24);
    let mut attempt: Attempt<'_> = Box::pin(limiter.acquire(bucket, priority, deadline));
    assert!(poll(&mut attempt).is_pending(), "no slot is free");
    attempt
}

fn is_granted(attempt: &mut Attempt<'_>) -> bool {
    matches!(poll(attempt), Poll::Ready(Ok(_)))
}

/// Takes a slot at once, or tells why there is none to take or to wait for.
fn take(limiter: &Limiter, bucket: BucketId) -> Answer<'_> {
    let mut attempt: Attempt<'_> = Box::pin(limiter.acquire(bucket, 0, Instant::now()));
    match poll(&mut attempt) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("the call waits"),
    }
}

/// Gives the only slot back, again and again, and lists who got it.
fn order_of_service(
    held: Permit<'_>,
    mut waiting: Vec<(&'static str, Attempt<'_>)>,
) -> Vec<&'static str> {
    let mut order = Vec::new();
    drop(held);
    while !waiting.is_empty() {
        let served = waiting.iter_mut().position(|(_, attempt)| is_granted(attempt));
        order.push(waiting.remove(served.expect("somebody is next")).0);
    }
    order
}

#[tokio::test(start_paused = true)]
async fn fifo_serves_in_order_of_arrival_whatever_the_priority_and_bucket() {
    let limiter = limiter(json!({ "max_concurrent": 1, "bucket_limits": { "ai": 1 } }));
    let ai = limiter.bucket(&Category::new("ai"));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let first = queue(&limiter, ai, -5);
    let second = queue(&limiter, BucketId::UNLIMITED, 9);
    let third = queue(&limiter, ai, 0);
    let waiting = vec![("third", third), ("first", first), ("second", second)];
    assert_eq!(order_of_service(held, waiting), ["first", "second", "third"]);
}

#[tokio::test(start_paused = true)]
async fn higher_priority_is_served_first_and_equals_in_order_of_arrival() {
    let limiter = limiter(json!({ "max_concurrent": 1, "strategy": "priority" }));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let arrivals = [
        ("never", i32::MIN),
        ("low", -1),
        ("usual", 0),
        ("usual too", 0),
        ("high", 7),
        ("always", i32::MAX),
    ];
    let waiting = arrivals.map(|(name, priority)| {
        let attempt = queue(&limiter, BucketId::UNLIMITED, priority);
        (name, attempt)
    });
    assert_eq!(
        order_of_service(held, waiting.into()),
        ["always", "high", "usual", "usual too", "low", "never"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_of_waiting_makes_up_for_a_step_of_priority() {
    let limiter = limiter(json!({ "max_concurrent": 1, "strategy": "priority" }));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let old = queue(&limiter, BucketId::UNLIMITED, 0);
    advance(Duration::from_millis(1_900)).await;
    let overtakes = queue(&limiter, BucketId::UNLIMITED, 2);
    advance(Duration::from_millis(200)).await;
    let comes_too_late = queue(&limiter, BucketId::UNLIMITED, 2);
    let waiting = vec![("late", comes_too_late), ("high", overtakes), ("old", old)];
    assert_eq!(order_of_service(held, waiting), ["high", "old", "late"]);
}

#[tokio::test(start_paused = true)]
async fn longest_ageing_keeps_extreme_priorities_apart() {
    let mut config = LimiterConfig { max_concurrent: 1, ..LimiterConfig::default() };
    config.strategy = Strategy::Priority;
    config.aging = Duration::MAX;
    let limiter = Limiter::new(config);
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let arrivals = [i32::MIN, i32::MIN + 1, i32::MAX - 1, i32::MAX];
    let waiting = ["d", "c", "b", "a"].into_iter().zip(arrivals);
    let waiting = waiting.map(|(name, p)| (name, queue(&limiter, BucketId::UNLIMITED, p)));
    assert_eq!(order_of_service(held, waiting.collect()), ["a", "b", "c", "d"]);
}

#[tokio::test(start_paused = true)]
async fn low_priority_is_served_under_a_steady_stream_of_high_priority() {
    let limiter =
        limiter(json!({ "max_concurrent": 1, "strategy": "priority", "queue_size": 1_000 }));
    let mut running = take(&limiter, BucketId::UNLIMITED).unwrap();
    let mut low = queue(&limiter, BucketId::UNLIMITED, 0);
    let mut line = std::collections::VecDeque::new();
    // Two calls of priority 10 arrive for each that is served, so that the line only grows.
    for served_before in 0..1_000 {
        line.push_back(queue(&limiter, BucketId::UNLIMITED, 10));
        line.push_back(queue(&limiter, BucketId::UNLIMITED, 10));
        drop(running);
        if is_granted(&mut low) {
            assert_eq!(served_before, 200, "those who came within 10 s, 20 each second");
            return;
        }
        running = line.pop_front().unwrap().await.unwrap();
        advance(Duration::from_millis(100)).await;
    }
    panic!("the call of low priority was starved");
}

#[tokio::test(start_paused = true)]
async fn reject_strategy_refuses_at_once_when_no_slot_is_free() {
    let limiter = limiter(json!({ "max_concurrent": 1, "strategy": "reject" }));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    assert_eq!(take(&limiter, BucketId::UNLIMITED).unwrap_err(), Refusal::Busy);
    drop(held);
    assert!(take(&limiter, BucketId::UNLIMITED).is_ok());
    assert_eq!(limiter.metrics().total_rejected, 1);
}

#[tokio::test(start_paused = true)]
async fn full_queue_refuses_and_counts_the_waiters_of_all_buckets_together() {
    let limiter = limiter(json!({
        "max_concurrent": 1, "queue_size": 2, "bucket_limits": { "ai": 1, "file": 1 },
    }));
    let [ai, file] = ["ai", "file"].map(|name| limiter.bucket(&Category::new(name)));
    let _held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let in_ai = queue(&limiter, ai, 0);
    let _in_file = queue(&limiter, file, 0);
    assert_eq!(take(&limiter, BucketId::UNLIMITED).unwrap_err(), Refusal::QueueFull);
    drop(in_ai);
    let _takes_its_place = queue(&limiter, BucketId::UNLIMITED, 0);
    assert_eq!(limiter.metrics().total_rejected, 1);
}

#[tokio::test(start_paused = true)]
async fn queue_of_size_zero_lets_nobody_wait() {
    let limiter = limiter(json!({ "max_concurrent": 1, "queue_size": 0 }));
    let _held = take(&limiter, BucketId::UNLIMITED).unwrap();
    assert_eq!(take(&limiter, BucketId::UNLIMITED).unwrap_err(), Refusal::QueueFull);
}

#[tokio::test(start_paused = true)]
async fn full_bucket_does_not_hold_up_another() {
    let limiter = limiter(json!({ "max_concurrent": 3, "bucket_limits": { "ai": 1 } }));
    let ai = limiter.bucket(&Category::new("ai"));
    let in_ai = take(&limiter, ai).unwrap();
    let mut waits_for_ai = queue(&limiter, ai, 100);
    assert!(limiter.try_acquire(ai).is_none());
    let other = take(&limiter, BucketId::UNLIMITED).unwrap();
    let third = limiter.try_acquire(BucketId::UNLIMITED).unwrap();

    // With the global limit reached too, a freed slot skips the waiter whose bucket is full.
    let mut waits_for_any = queue(&limiter, BucketId::UNLIMITED, 0);
    drop(other);
    assert!(poll(&mut waits_for_ai).is_pending());
    assert!(is_granted(&mut waits_for_any));
    drop((in_ai, third));
    assert!(is_granted(&mut waits_for_ai));
}

#[tokio::test(start_paused = true)]
async fn http_and_network_are_one_bucket_with_the_smaller_limit() {
    let limiter = limiter(json!({ "bucket_limits": { "http": 2, "network": 1, "ai": 4 } }));
    let [http, network, ai, file] =
        ["http", "network", "ai", "file"].map(|name| limiter.bucket(&Category::new(name)));
    assert_eq!(http, network);
    assert_ne!(http, ai);
    assert_eq!(file, BucketId::UNLIMITED);
    let _held = take(&limiter, http).unwrap();
    assert!(limiter.try_acquire(network).is_none());
    assert_eq!(
        json!(limiter.bucket_metrics()),
        json!({
            "ai": { "current": 0, "limit": 4, "queue": 0 },
            "network": { "current": 1, "limit": 1, "queue": 0 },
        })
    );
}

#[tokio::test(start_paused = true)]
async fn waiter_is_refused_when_its_deadline_passes() {
    let limiter = limiter(json!({ "max_concurrent": 1 }));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let started = Instant::now();
    let deadline = started + seconds(2);
    let refused = limiter.acquire(BucketId::UNLIMITED, 0, deadline).await;
    assert_eq!(refused.unwrap_err(), Refusal::Timeout);
    assert!(started.elapsed() >= seconds(2));
    let metrics = limiter.metrics();
    assert_eq!((metrics.total_timeout, metrics.queue_length), (1, 0));
    drop(held);
    assert!(take(&limiter, BucketId::UNLIMITED).is_ok());
}

#[tokio::test(start_paused = true)]
async fn waiter_that_was_given_a_slot_in_time_takes_it_after_its_deadline() {
    let limiter = limiter(json!({ "max_concurrent": 1 }));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let deadline = Instant::now() + seconds(1);
    let mut attempt: Attempt<'_> = Box::pin(limiter.acquire(BucketId::UNLIMITED, 0, deadline));
    assert!(poll(&mut attempt).is_pending());
    drop(held);
    advance(seconds(5)).await;
    assert!(is_granted(&mut attempt));
    assert_eq!(limiter.metrics().total_timeout, 0);
}

#[tokio::test(start_paused = true)]
async fn slot_that_comes_between_the_last_poll_and_giving_up_is_taken() {
    let limiter = limiter(json!({ "max_concurrent": 1 }));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let Ok(Entry::Queued(ticket)) = limiter.locked(|state| state.enter(BucketId::UNLIMITED, 0))
    else {
        panic!("no slot is free");
    };
    let mut waiting = Waiting::new(&limiter, ticket);
    drop(held);
    let permit = waiting.give_up().unwrap();
    drop(waiting);
    assert_eq!(limiter.metrics().current_concurrent, 1);
    drop(permit);
    assert_eq!(limiter.metrics().current_concurrent, 0);
}

#[test]
fn slots_that_lie_ready_with_one_thread_are_found_by_the_others() {
    let limiter = limiter(json!({ "max_concurrent": 3, "bucket_limits": { "ai": 3 } }));
    let ai = limiter.bucket(&Category::new("ai"));
    let take_all = &|bucket: BucketId| {
        let permits: Vec<_> = (0..4).map_while(|_| limiter.try_acquire(bucket)).collect();
        assert_eq!(limiter.metrics().current_concurrent, 3);
        permits.len()
    };
    std::thread::scope(|scope| {
        for bucket in [BucketId::UNLIMITED, BucketId::UNLIMITED, ai, BucketId::UNLIMITED] {
            // One after the other: each finds what the one before has left lying.
            assert_eq!(scope.spawn(move || take_all(bucket)).join().unwrap(), 3);
        }
    });
    let metrics = limiter.metrics();
    assert_eq!((metrics.current_concurrent, metrics.total_acquired), (0, 12), "{metrics:?}");
}

#[tokio::test(start_paused = true)]
async fn cancelled_waiter_leaves_the_queue() {
    let limiter = limiter(json!({ "max_concurrent": 1 }));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let cancelled = queue(&limiter, BucketId::UNLIMITED, 0);
    let mut next = queue(&limiter, BucketId::UNLIMITED, 0);
    drop(cancelled);
    assert_eq!(limiter.metrics().queue_length, 1);
    drop(held);
    assert!(is_granted(&mut next));
    assert_eq!(limiter.metrics().current_concurrent, 0);
}

#[tokio::test(start_paused = true)]
async fn waiter_cancelled_after_it_was_given_a_slot_passes_it_on() {
    let limiter = limiter(json!({ "max_concurrent": 1 }));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let granted = queue(&limiter, BucketId::UNLIMITED, 0);
    let mut next = queue(&limiter, BucketId::UNLIMITED, 0);
    drop(held);
    assert!(poll(&mut next).is_pending());
    drop(granted);
    let Poll::Ready(Ok(permit)) = poll(&mut next) else { panic!("the slot was not passed on") };
    drop(permit);
    let metrics = limiter.metrics();
    assert_eq!(metrics.current_concurrent, 0);
    assert_eq!(metrics.total_acquired, 2, "a slot that nobody picked up is not counted");
}

#[tokio::test(start_paused = true)]
async fn waiting_task_is_woken_when_its_turn_comes() {
    let limiter = Arc::new(limiter(json!({ "max_concurrent": 1 })));
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let of_task = Arc::clone(&limiter);
    let started = Instant::now();
    let task = tokio::spawn(async move {
        let deadline = started + seconds(60);
        of_task.acquire(BucketId::UNLIMITED, 0, deadline).await.is_ok()
    });
    tokio::task::yield_now().await;
    assert_eq!(limiter.metrics().queue_length, 1);
    drop(held);
    assert!(task.await.unwrap());
    assert_eq!(Instant::now(), started, "it was woken by the slot, not by its deadline");
}

/// A waker that finds the lock of the limiter free whenever it is woken or dropped.
struct Nosy(Arc<Limiter>);

impl Wake for Nosy {
    fn wake(self: Arc<Self>) {
        assert!(self.0.state.try_lock().is_some(), "woken under the lock");
    }
}

impl Drop for Nosy {
    fn drop(&mut self) {
        assert!(self.0.state.try_lock().is_some(), "dropped under the lock");
    }
}

#[tokio::test(start_paused = true)]
async fn wakers_are_woken_and_dropped_outside_the_lock() {
    let limiter = Arc::new(limiter(json!({ "max_concurrent": 1 })));
    let poll_anew = |attempt: &mut Attempt<'_>| {
        let waker = Waker::from(Arc::new(Nosy(Arc::clone(&limiter))));
        attempt.as_mut().poll(&mut Context::from_waker(&waker)).is_ready()
    };
    let wait = |patience| {
        let deadline = Instant::now() + seconds(patience);
        let mut attempt: Attempt<'_> = Box::pin(limiter.acquire(BucketId::UNLIMITED, 0, deadline));
        assert!(!poll_anew(&mut attempt));
        attempt
    };
    let held = take(&limiter, BucketId::UNLIMITED).unwrap();
    let [mut times_out, cancelled] = [wait(1), wait(60)];
    let [mut polled_twice, _granted, mut closed] = [wait(60), wait(60), wait(60)];
    advance(seconds(2)).await;
    assert!(poll_anew(&mut times_out));
    drop(cancelled);
    assert!(!poll_anew(&mut polled_twice));
    drop(held);
    drop(polled_twice);
    limiter.close();
    assert!(poll_anew(&mut closed));
}

#[tokio::test(start_paused = true)]
async fn closing_refuses_waiters_and_further_calls_but_leaves_permits_valid() {
    let limiter = limiter(json!({ "max_concurrent": 2 }));
    let first = take(&limiter, BucketId::UNLIMITED).unwrap();
    let second = take(&limiter, BucketId::UNLIMITED).unwrap();
    let mut granted = queue(&limiter, BucketId::UNLIMITED, 0);
    let mut waiting = queue(&limiter, BucketId::UNLIMITED, 0);
    let dropped_later = queue(&limiter, BucketId::UNLIMITED, 0);
    drop(first);
    limiter.close();

    assert_eq!(limiter.metrics().queue_length, 0);
    assert!(matches!(poll(&mut waiting), Poll::Ready(Err(Refusal::Closed))));
    drop(dropped_later);
    assert_eq!(take(&limiter, BucketId::UNLIMITED).unwrap_err(), Refusal::Closed);
    let Poll::Ready(Ok(permit)) = poll(&mut granted) else { panic!("the slot was given before") };
    assert_eq!(limiter.metrics().current_concurrent, 2);
    drop((second, permit));
    assert!(limiter.try_acquire(BucketId::UNLIMITED).is_none());
    let metrics = limiter.metrics();
    assert_eq!((metrics.current_concurrent, metrics.total_rejected), (0, 3));
}

#[tokio::test(start_paused = true)]
async fn metrics_count_what_happened() {
    let limiter = limiter(json!({ "max_concurrent": 2, "bucket_limits": { "ai": 1 } }));
    let ai = limiter.bucket(&Category::new("ai"));
    let first = take(&limiter, ai).unwrap();
    advance(seconds(1)).await;
    let second = take(&limiter, BucketId::UNLIMITED).unwrap();
    let _waiting = queue(&limiter, ai, 0);
    assert_eq!(
        json!(limiter.metrics()),
        json!({
            "current_concurrent": 2, "queue_length": 1, "total_acquired": 2,
            "total_rejected": 0, "total_timeout": 0, "avg_execution_time": 0.0,
        })
    );
    assert_eq!(
        json!(limiter.bucket_metrics()),
        json!({ "ai": { "current": 1, "limit": 1, "queue": 1 } })
    );
    advance(seconds(1)).await;
    drop((first, second));
    let mean = limiter.metrics().avg_execution_time;
    assert!((mean - 1.5).abs() < 1e-9, "2 s and 1 s: {mean}");
}

#[tokio::test(start_paused = true)]
async fn panic_while_holding_gives_the_slot_back() {
    let limiter = limiter(json!({ "max_concurrent": 1 }));
    let permit = take(&limiter, BucketId::UNLIMITED).unwrap();
    let mut next = queue(&limiter, BucketId::UNLIMITED, 0);
    let outcome = catch_unwind(AssertUnwindSafe(move || {
        let _held = permit;
        resume_unwind(Box::new("the tool panicked"));
    }));
    assert!(outcome.is_err());
    assert!(is_granted(&mut next));
}

#[test]
fn config_is_read_from_its_documented_form_and_nothing_else() {
    let defaults = LimiterConfig::deserialize(json!({})).unwrap();
    assert_eq!(defaults, LimiterConfig::default());
    assert_eq!(
        json!(defaults),
        json!({
            "max_concurrent": 10, "queue_size": 100, "strategy": "fifo", "bucket_limits": {},
            "aging": 1.0,
        })
    );
    let half = LimiterConfig::deserialize(json!({ "aging": 0.5 })).unwrap();
    assert_eq!(half.aging, Duration::from_millis(500));
    assert!(LimiterConfig::deserialize(json!({ "max_concurent": 3 })).is_err());
    assert!(LimiterConfig::deserialize(json!({ "aging": -1 })).is_err());
}

#[test]
fn check_names_every_value_that_lets_no_call_run() {
    assert!(LimiterConfig::default().check().is_ok());
    let config = LimiterConfig::deserialize(json!({
        "max_concurrent": 0, "strategy": "priority", "aging": 0, "bucket_limits": { "ai": 0, "file": 1 },
    }));
    let error = config.unwrap().check().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ValidationError);
    for name in ["`max_concurrent`", "`bucket_limits.ai`", "`aging`"] {
        assert!(error.message().contains(name), "{error}");
    }
    assert!(!error.message().contains("file"), "{error}");
}
