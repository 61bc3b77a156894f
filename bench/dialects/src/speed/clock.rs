//! Measures work: rounds of several sides in turn, so that noise meets all alike.
//!
//! What counts is the time of the processor, not of the wall: others may use the machine too.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Something to measure.
pub(crate) type Work<'a> = Box<dyn FnMut() + 'a>;

const ROUNDS: usize = 11;

/// How long a round lasts at least, so that the clock itself does not count.
const SHORTEST_ROUND: Duration = Duration::from_millis(20);

/// Returns the MB/s of each side, as the median of rounds that take turns.
pub(crate) fn side_by_side<const N: usize>(bytes: usize, mut works: [Work<'_>; N]) -> [f64; N] {
    let times = works.each_mut().map(|work| times_a_round(work));
    let mut rounds: [Vec<f64>; N] = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for ((work, &times), seconds) in works.iter_mut().zip(&times).zip(&mut rounds) {
            seconds.push(round(work, times) / f64::from(times));
        }
    }
    rounds.map(|seconds| mb_s(bytes, median(seconds)))
}

/// Runs once and returns the seconds that the thread was at work.
pub(crate) fn seconds(work: impl FnOnce()) -> f64 {
    let start = at_work();
    work();
    at_work() - start
}

#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a process are far below 2^52")]
fn at_work() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the middle one of some figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns millions of bytes a second.
#[expect(clippy::cast_precision_loss, reason = "texts of a benchmark are far below 2^52 bytes")]
pub(crate) fn mb_s(bytes: usize, seconds: f64) -> f64 {
    bytes as f64 / seconds / 1e6
}

/// Keeps two digits behind the point: more is noise.
pub(crate) fn rounded(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}

fn times_a_round(work: &mut Work<'_>) -> u32 {
    let mut times = 1;
    while round(work, times) < SHORTEST_ROUND.as_secs_f64() {
        times *= 2;
    }
    times
}

fn round(work: &mut Work<'_>, times: u32) -> f64 {
    seconds(|| (0..times).for_each(|_| work()))
}
