//! Thousands of random histories, compared after each step with the model.

use std::sync::atomic::{AtomicBool, Ordering};

use proptest::{
    arbitrary::any,
    collection, prop_oneof,
    sample::Index,
    strategy::{Just, Strategy as Generator},
    test_runner::{Config, TestRunner},
};
use tokio::runtime::{Builder, Runtime};

use super::{
    model::{Call, Model, Stage, UNLIMITED},
    *,
};

#[derive(Clone, Debug)]
enum Step {
    Acquire { bucket: usize, priority: i32, patience: u64 },
    TryAcquire { bucket: usize },
    Poll(Index),
    Cancel(Index),
    Release(Index),
    Panic(Index),
    Advance(u64),
    Close,
}

fn steps() -> impl Generator<Value = Vec<Step>> {
    let priority = prop_oneof![8 => -3..=3, 1 => Just(i32::MIN), 1 => Just(i32::MAX)];
    let acquire = (0_usize..3, priority, 0_u64..20);
    let step = prop_oneof![
        80 => acquire.prop_map(|(bucket, priority, patience)| Step::Acquire {
            bucket, priority, patience,
        }),
        15 => (0_usize..3).prop_map(|bucket| Step::TryAcquire { bucket }),
        40 => any::<Index>().prop_map(Step::Poll),
        20 => any::<Index>().prop_map(Step::Cancel),
        30 => any::<Index>().prop_map(Step::Release),
        10 => any::<Index>().prop_map(Step::Panic),
        20 => (0_u64..8).prop_map(Step::Advance),
        1 => Just(Step::Close),
    ];
    collection::vec(step, 1..=60)
}

fn configs() -> impl Generator<Value = (LimiterConfig, [usize; 3])> {
    let strategy = prop_oneof![
        4 => Just(Strategy::Fifo), 5 => Just(Strategy::Priority), 1 => Just(Strategy::Reject),
    ];
    let numbers = (1_usize..=4, 0_usize..=8, 1_usize..=3, 1_usize..=3);
    (strategy, numbers).prop_map(|(strategy, (max_concurrent, queue_size, ai, network))| {
        let bucket_limits = [("ai".to_owned(), ai), ("http".to_owned(), network)].into();
        let aging = Duration::from_millis(10);
        let config = LimiterConfig { max_concurrent, queue_size, strategy, bucket_limits, aging };
        (config, [ai, network, usize::MAX])
    })
}

/// Remembers whether it was woken.
#[derive(Debug, Default)]
struct Bell(AtomicBool);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Waiter<'a> {
    number: usize,
    attempt: Attempt<'a>,
    bell: Arc<Bell>,
}

/// Takes each step with the real limiter and with the model.
struct Driver<'a> {
    limiter: &'a Limiter,
    runtime: &'a Runtime,
    model: Model,
    buckets: [BucketId; 3],
    waiters: Vec<Waiter<'a>>,
    permits: Vec<(usize, Permit<'a>)>,
}

impl<'a> Driver<'a> {
    fn new(limiter: &'a Limiter, runtime: &'a Runtime, model: Model) -> Self {
        let buckets = ["ai", "network", "file"].map(|name| limiter.bucket(&Category::new(name)));
        assert_eq!(buckets[UNLIMITED], BucketId::UNLIMITED);
        Self { limiter, runtime, model, buckets, waiters: Vec::new(), permits: Vec::new() }
    }

    fn take_step(&mut self, step: &Step) {
        match step {
            Step::Acquire { bucket, priority, patience } => {
                self.acquire(*bucket, *priority, *patience);
            }
            Step::TryAcquire { bucket } => self.try_acquire(*bucket),
            Step::Poll(index) => self.with_waiter(*index, Self::poll_waiter),
            Step::Cancel(index) => self.with_waiter(*index, Self::cancel),
            Step::Release(index) => self.with_permit(*index, drop),
            Step::Panic(index) => self.with_permit(*index, panic_with),
            // Deadlines lie between these points, so that rounding in the timer changes nothing.
            Step::Advance(tens) => self.runtime.block_on(advance(Duration::from_millis(tens * 10))),
            Step::Close => {
                self.limiter.close();
                self.model.close();
            }
        }
        self.compare();
    }

    fn acquire(&mut self, bucket: usize, priority: i32, patience: u64) {
        let arrived = Instant::now();
        let deadline = arrived + Duration::from_millis(patience * 10 + 5);
        let attempt = self.limiter.acquire(self.buckets[bucket], priority, deadline);
        let number = self.model.calls.len();
        let expected =
            self.model.arrive(Call { bucket, priority, arrived, deadline, stage: Stage::Waiting });
        let waiter = Waiter { number, attempt: Box::pin(attempt), bell: Arc::default() };
        self.settle(waiter, expected);
    }

    /// A try that finds no slot leaves no trace; one that finds a slot is a call like any other.
    fn try_acquire(&mut self, bucket: usize) {
        let arrived = Instant::now();
        let found = self.limiter.try_acquire(self.buckets[bucket]);
        let rejected = self.model.rejected;
        // In the model the deadline is now: a call that would have to wait is over at once.
        let call = Call { bucket, priority: 0, arrived, deadline: arrived, stage: Stage::Waiting };
        let timeout = self.model.timeout;
        let expected = self.model.arrive(call);
        (self.model.rejected, self.model.timeout) = (rejected, timeout);
        assert_eq!(found.is_some(), expected.is_ok());
        if let Some(permit) = found {
            self.permits.push((self.model.calls.len() - 1, permit));
        }
    }

    fn poll_waiter(&mut self, waiter: Waiter<'a>) {
        let expected = self.model.look(waiter.number);
        self.settle(waiter, expected);
    }

    fn cancel(&mut self, waiter: Waiter<'a>) {
        self.model.end(waiter.number);
        drop(waiter);
    }

    /// Polls a waiter once, compares, and keeps what is left of it.
    fn settle(&mut self, mut waiter: Waiter<'a>, expected: Result<Stage, Refusal>) {
        waiter.bell.0.store(false, Ordering::Relaxed);
        let waker = Waker::from(Arc::clone(&waiter.bell));
        match (waiter.attempt.as_mut().poll(&mut Context::from_waker(&waker)), expected) {
            (Poll::Pending, Ok(Stage::Waiting)) => self.waiters.push(waiter),
            (Poll::Ready(Ok(permit)), Ok(Stage::Running(_))) => {
                self.permits.push((waiter.number, permit));
            }
            (Poll::Ready(Err(refusal)), Err(expected)) => assert_eq!(refusal, expected),
            (got, expected) => panic!("{got:?} instead of {expected:?}"),
        }
    }

    fn with_waiter(&mut self, index: Index, act: fn(&mut Self, Waiter<'a>)) {
        if !self.waiters.is_empty() {
            let waiter = self.waiters.remove(index.index(self.waiters.len()));
            act(self, waiter);
        }
    }

    fn with_permit(&mut self, index: Index, give_back: fn(Permit<'a>)) {
        if !self.permits.is_empty() {
            let (number, permit) = self.permits.remove(index.index(self.permits.len()));
            self.model.end(number);
            give_back(permit);
        }
    }

    fn compare(&self) {
        let (metrics, model) = (self.limiter.metrics(), &self.model);
        assert!(metrics.current_concurrent <= model.config.max_concurrent);
        let mean = metrics.avg_execution_time;
        assert!((mean - model.mean_held()).abs() < 1e-6, "{mean} != {}", model.mean_held());
        let expected = Metrics {
            current_concurrent: model.in_use(),
            queue_length: model.queue_length(),
            total_acquired: model.acquired,
            total_rejected: model.rejected,
            total_timeout: model.timeout,
            avg_execution_time: mean,
        };
        assert_eq!(metrics, expected);
        let buckets = self.limiter.bucket_metrics();
        assert_eq!(buckets["ai"], model.bucket_metrics(0));
        assert_eq!(buckets["network"], model.bucket_metrics(1));
        self.waiters.iter().for_each(|waiter| self.compare_bell(waiter));
    }

    /// Whoever has something to see was woken, and nobody else was.
    fn compare_bell(&self, waiter: &Waiter<'_>) {
        let call = &self.model.calls[waiter.number];
        let news = call.stage != Stage::Waiting || Instant::now() >= call.deadline;
        assert_eq!(waiter.bell.0.load(Ordering::Relaxed), news, "{call:?}");
    }

    /// Lets everybody finish; only calls that time out or are refused go without a slot.
    fn finish(mut self) {
        while !self.waiters.is_empty() {
            let before = self.waiters.len();
            let everybody = std::mem::take(&mut self.waiters);
            for waiter in everybody {
                self.poll_waiter(waiter);
            }
            let moved = self.waiters.len() < before || !self.permits.is_empty();
            assert!(moved, "a waiter was forgotten");
            while let Some((number, permit)) = self.permits.pop() {
                self.model.end(number);
                drop(permit);
                self.compare();
            }
        }
        drop(std::mem::take(&mut self.permits));
        let metrics = self.limiter.metrics();
        assert_eq!((metrics.current_concurrent, metrics.queue_length), (0, 0), "a slot leaked");
    }
}

/// Gives a permit back by a panic; without the message that a usual panic prints.
fn panic_with(permit: Permit<'_>) {
    let outcome = catch_unwind(AssertUnwindSafe(move || {
        let _held = permit;
        resume_unwind(Box::new(()));
    }));
    assert!(outcome.is_err());
}

#[test]
fn every_history_goes_as_the_model_says() {
    // Entered, but not blocked on: so a poll by hand is under no cooperative budget.
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let _entered = runtime.enter();
    let config = Config { cases: 10_000, failure_persistence: None, ..<_>::default() };
    let outcome =
        TestRunner::new(config).run(&(configs(), steps()), |((config, limits), steps)| {
            let limiter = Limiter::new(config.clone());
            let mut driver = Driver::new(&limiter, &runtime, Model::new(config, limits));
            for step in &steps {
                driver.take_step(step);
            }
            driver.finish();
            Ok(())
        });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
