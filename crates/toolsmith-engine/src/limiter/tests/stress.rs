//! Real threads that take, hold, cancel, time out and panic.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::{runtime::Builder, task::yield_now};

use super::*;

const THREADS: usize = 4;
const TASKS: u64 = 16;
const CALLS_OF_A_TASK: usize = 8_000;
const MAX_CONCURRENT: usize = 6;
/// The limits of `ai`, `network` and, beyond what can run at all, of everything else.
const LIMITS: [usize; 3] = [2, 3, MAX_CONCURRENT];

/// Counts who holds a slot, apart from the limiter's own counters.
#[derive(Default)]
struct Gauge {
    all: AtomicUsize,
    buckets: [AtomicUsize; 3],
    served: AtomicU64,
}

impl Gauge {
    fn enter(&self, bucket: usize) {
        let in_bucket = self.buckets[bucket].fetch_add(1, Ordering::SeqCst) + 1;
        let in_all = self.all.fetch_add(1, Ordering::SeqCst) + 1;
        assert!(in_bucket <= LIMITS[bucket] && in_all <= MAX_CONCURRENT, "a limit was exceeded");
        self.served.fetch_add(1, Ordering::Relaxed);
    }

    fn leave(&self, bucket: usize) {
        self.buckets[bucket].fetch_sub(1, Ordering::SeqCst);
        self.all.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Stress {
    limiter: Limiter,
    buckets: [BucketId; 3],
    gauge: Gauge,
}

impl Stress {
    async fn one_call(&self, rng: &mut fastrand::Rng) {
        let bucket = rng.usize(0..3);
        let Some(permit) = self.attempt(bucket, rng).await else { return };
        self.gauge.enter(bucket);
        if rng.u8(..) < 64 {
            yield_now().await;
        }
        self.gauge.leave(bucket);
        if rng.u8(..) < 16 {
            let panicked = catch_unwind(AssertUnwindSafe(move || {
                let _held = permit;
                resume_unwind(Box::new(()));
            }));
            assert!(panicked.is_err());
        }
    }

    /// Asks for a slot in one of the ways in which callers ask, impatient ones among them.
    async fn attempt(&self, bucket: usize, rng: &mut fastrand::Rng) -> Option<Permit<'_>> {
        let (id, priority) = (self.buckets[bucket], rng.i32(-3..=3));
        let patient = self.limiter.acquire(id, priority, Instant::now() + seconds(30));
        match rng.u8(0..20) {
            0 => self.limiter.try_acquire(id),
            1 => {
                let deadline = Instant::now() + Duration::from_micros(rng.u64(0..200));
                self.limiter.acquire(id, priority, deadline).await.ok()
            }
            // Dropped while queued or, when the slot comes in between, after the grant.
            2..=4 => {
                let mut attempt: Attempt<'_> = Box::pin(patient);
                match std::future::poll_fn(|cx| Poll::Ready(attempt.as_mut().poll(cx))).await {
                    Poll::Ready(answer) => answer.ok(),
                    Poll::Pending => {
                        yield_now().await;
                        None
                    }
                }
            }
            _ => Some(patient.await.expect("half a minute and a queue for all suffice")),
        }
    }
}

fn stress(strategy: &str) {
    let limiter = limiter(json!({
        "max_concurrent": MAX_CONCURRENT, "strategy": strategy, "queue_size": 100,
        "bucket_limits": { "ai": LIMITS[0], "network": LIMITS[1] },
    }));
    let buckets = ["ai", "network", "file"].map(|name| limiter.bucket(&Category::new(name)));
    let stress = Arc::new(Stress { limiter, buckets, gauge: Gauge::default() });
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_time().build();
    runtime.unwrap().block_on(async {
        let tasks = (0..TASKS).map(|seed| {
            let stress = Arc::clone(&stress);
            tokio::spawn(async move {
                let mut rng = fastrand::Rng::with_seed(seed);
                for _ in 0..CALLS_OF_A_TASK {
                    stress.one_call(&mut rng).await;
                }
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
    });
    let metrics = stress.limiter.metrics();
    assert_eq!((metrics.current_concurrent, metrics.queue_length), (0, 0), "{metrics:?}");
    assert_eq!(metrics.total_acquired, stress.gauge.served.load(Ordering::Relaxed));
    assert_eq!(metrics.total_rejected, 0, "{metrics:?}");
    for (name, bucket) in stress.limiter.bucket_metrics() {
        assert_eq!((bucket.current, bucket.queue), (0, 0), "{name}");
    }
    assert!(metrics.total_acquired > 100_000, "{metrics:?}");
}

#[test]
fn threads_exceed_no_limit_and_leak_no_slot_in_fifo_order() {
    stress("fifo");
}

#[test]
fn threads_exceed_no_limit_and_leak_no_slot_in_priority_order() {
    stress("priority");
}
