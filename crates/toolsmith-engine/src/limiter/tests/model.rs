//! The limiter as one would explain it: a list of calls, and everything worked out from it.

use tokio::time::Instant;

use super::super::{BucketMetrics, LimiterConfig, Refusal, Strategy};

/// The bucket at this place in [`Model::limits`] has no limit.
pub(super) const UNLIMITED: usize = 2;

/// What has become of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stage {
    Waiting,
    /// It was given a slot and has not looked.
    Granted,
    /// It holds a permit since then.
    Running(Instant),
    /// It waited when the limiter was closed, and has not looked.
    Closed,
    /// It is over, in whatever way.
    Gone,
}

/// A call; its number is its place in [`Model::calls`], so also its order of arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) bucket: usize,
    pub(super) priority: i32,
    pub(super) arrived: Instant,
    pub(super) deadline: Instant,
    pub(super) stage: Stage,
}

#[derive(Debug)]
pub(super) struct Model {
    pub(super) config: LimiterConfig,
    pub(super) limits: [usize; 3],
    pub(super) calls: Vec<Call>,
    pub(super) closed: bool,
    pub(super) acquired: u64,
    pub(super) rejected: u64,
    pub(super) timeout: u64,
    /// How long each returned permit was held, in seconds.
    pub(super) held: Vec<f64>,
}

impl Model {
    pub(super) fn new(config: LimiterConfig, limits: [usize; 3]) -> Self {
        Self {
            config,
            limits,
            calls: Vec::new(),
            closed: false,
            acquired: 0,
            rejected: 0,
            timeout: 0,
            held: Vec::new(),
        }
    }

    /// A call comes: it runs, waits or is refused, and nobody else moves.
    pub(super) fn arrive(&mut self, call: Call) -> Result<Stage, Refusal> {
        let number = self.calls.len();
        self.calls.push(Call { stage: Stage::Waiting, ..call });
        let granted = if self.closed { Vec::new() } else { self.serve() };
        assert!(granted.is_empty() || granted == [number], "a waiter could have run before");
        let refusal = match self.config.strategy {
            _ if !granted.is_empty() => None,
            _ if self.closed => Some(Refusal::Closed),
            Strategy::Reject => Some(Refusal::Busy),
            _ => (self.queue_length() > self.config.queue_size).then_some(Refusal::QueueFull),
        };
        if let Some(refusal) = refusal {
            self.calls[number].stage = Stage::Gone;
            self.rejected += 1;
            return Err(refusal);
        }
        self.look(number)
    }

    /// A call looks what has become of it.
    pub(super) fn look(&mut self, number: usize) -> Result<Stage, Refusal> {
        let call = &mut self.calls[number];
        match call.stage {
            Stage::Granted => {
                call.stage = Stage::Running(Instant::now());
                self.acquired += 1;
            }
            Stage::Waiting if Instant::now() >= call.deadline => {
                call.stage = Stage::Gone;
                self.timeout += 1;
                return Err(Refusal::Timeout);
            }
            Stage::Closed => {
                call.stage = Stage::Gone;
                return Err(Refusal::Closed);
            }
            Stage::Waiting | Stage::Running(_) | Stage::Gone => {}
        }
        Ok(self.calls[number].stage)
    }

    /// A call ends: finished, panicked or cancelled.
    pub(super) fn end(&mut self, number: usize) {
        if let Stage::Running(since) = self.calls[number].stage {
            self.held.push(since.elapsed().as_secs_f64());
        }
        self.calls[number].stage = Stage::Gone;
        self.serve();
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        for call in self.calls.iter_mut().filter(|call| call.stage == Stage::Waiting) {
            call.stage = Stage::Closed;
            self.rejected += 1;
        }
    }

    pub(super) fn in_use(&self) -> usize {
        (0..self.limits.len()).map(|bucket| self.in_use_of(bucket)).sum()
    }

    pub(super) fn queue_length(&self) -> usize {
        (0..self.limits.len()).map(|bucket| self.queue_of(bucket)).sum()
    }

    pub(super) fn bucket_metrics(&self, bucket: usize) -> BucketMetrics {
        BucketMetrics {
            current: self.in_use_of(bucket),
            limit: self.limits[bucket],
            queue: self.queue_of(bucket),
        }
    }

    pub(super) fn mean_held(&self) -> f64 {
        let count = u32::try_from(self.held.len().max(1)).unwrap();
        self.held.iter().sum::<f64>() / f64::from(count)
    }

    /// Gives slots to whoever can run, the most urgent first, as long as there is anybody.
    fn serve(&mut self) -> Vec<usize> {
        let mut granted = Vec::new();
        while let Some(number) = self.most_urgent() {
            self.assert_nobody_is_starved_by(number);
            self.calls[number].stage = Stage::Granted;
            granted.push(number);
        }
        granted
    }

    fn most_urgent(&self) -> Option<usize> {
        let able = (0..self.calls.len()).filter(|&number| self.can_run(number));
        able.max_by_key(|&number| (self.urgency(number), std::cmp::Reverse(number)))
    }

    fn can_run(&self, number: usize) -> bool {
        let call = &self.calls[number];
        call.stage == Stage::Waiting
            && self.in_use() < self.config.max_concurrent
            && self.in_use_of(call.bucket) < self.limits[call.bucket]
    }

    /// Priority plus age, both in nanoseconds of waiting.
    fn urgency(&self, number: usize) -> i128 {
        if self.config.strategy != Strategy::Priority {
            return 0;
        }
        let call = &self.calls[number];
        let aging = i128::try_from(self.config.aging.as_nanos()).unwrap();
        let age = i128::try_from(call.arrived.elapsed().as_nanos()).unwrap();
        i128::from(call.priority) * aging + age
    }

    /// Whoever overtakes came later by no more than its greater priority is worth.
    fn assert_nobody_is_starved_by(&self, overtaker: usize) {
        let winner = &self.calls[overtaker];
        for loser in self.calls.iter().take(overtaker).filter(|call| call.bucket == winner.bucket) {
            if loser.stage != Stage::Waiting {
                continue;
            }
            let steps = i128::from(winner.priority) - i128::from(loser.priority);
            let worth = steps * i128::try_from(self.config.aging.as_nanos()).unwrap();
            let later = winner.arrived.duration_since(loser.arrived).as_nanos();
            assert!(self.config.strategy == Strategy::Priority, "fifo was overtaken");
            assert!(i128::try_from(later).unwrap() < worth, "{loser:?} starved by {winner:?}");
        }
    }

    fn in_use_of(&self, bucket: usize) -> usize {
        let in_use = |call: &&Call| matches!(call.stage, Stage::Granted | Stage::Running(_));
        self.calls.iter().filter(|call| call.bucket == bucket).filter(in_use).count()
    }

    fn queue_of(&self, bucket: usize) -> usize {
        let waits = |call: &&Call| call.stage == Stage::Waiting;
        self.calls.iter().filter(|call| call.bucket == bucket).filter(waits).count()
    }
}
