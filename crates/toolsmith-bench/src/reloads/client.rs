//! A client: calls tools, and judges every outcome.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Call, Context, ErrorKind, Outcome};

use super::{
    Stage,
    place::{Known, Place},
};
use crate::machine::rounded;

/// How long a client rests between two calls: the files must be the matter, not the processor.
const REST: Duration = Duration::from_millis(1);

/// What came of many calls.
#[derive(Default)]
pub(super) struct Judgement {
    counts: BTreeMap<String, u64>,
    pub(super) failures: Vec<Failure>,
}

/// A call that should not have ended so.
pub(super) struct Failure {
    place: String,
    /// What was done to the file before and after the call.
    rounds: (u64, u64),
    text: String,
}

impl Judgement {
    pub(super) fn add(&mut self, other: Self) {
        for (kind, count) in other.counts {
            *self.counts.entry(kind).or_default() += count;
        }
        self.failures.extend(other.failures);
    }

    /// Takes back what happened while this machine kept a file away by being slow.
    pub(super) fn forgive(&mut self, slow: &HashSet<(String, u64)>) {
        self.failures.retain(|failure| {
            let (first, last) = failure.rounds;
            !(first..=last).any(|round| slow.contains(&(failure.place.clone(), round)))
        });
    }

    pub(super) fn texts(&self) -> Vec<String> {
        self.failures.iter().map(|failure| failure.text.clone()).collect()
    }

    pub(super) fn report(&self, seconds: f64) -> Value {
        let all: u64 = self.counts.values().sum();
        json!({
            "total": all,
            "each_second": rounded(f64::from(u32::try_from(all).unwrap_or(u32::MAX)) / seconds),
            "outcomes": self.counts,
            "failures": self.failures.len(),
        })
    }

    fn take(&mut self, place: &Place, known: (Known, Known), outcome: &Outcome) {
        let kind = outcome.error().map_or("ok", |error| error.kind().as_str());
        *self.counts.entry(kind.to_owned()).or_default() += 1;
        if let Err(text) = judge(place, known, outcome) {
            self.fail(place, known, &text);
        }
    }

    fn fail(&mut self, place: &Place, (before, after): (Known, Known), text: &str) {
        let text = format!("{}: {text}", place.name);
        let rounds = (before.round, after.round);
        self.failures.push(Failure { place: place.name.clone(), rounds, text });
    }
}

/// Calls one tool after the other until it is told to stop.
pub(super) async fn call_until(end: CancellationToken, stage: Arc<Stage>) -> Judgement {
    let mut judgement = Judgement::default();
    while !end.is_cancelled() {
        let Some(place) = stage.places.get(fastrand::usize(..stage.places.len())) else { break };
        stage.ear.begin_call().await;
        let before = place.known();
        if let Some(entry) = stage.engine.registry().get(&place.name)
            && !is_one(&Place::described(&entry.spec))
        {
            let text = format!("the description mixes {:?}", Place::described(&entry.spec));
            judgement.fail(place, (before, before), &text);
        }
        let call = Call::new(&place.name, json!({})).with_context(Context::direct("soak"));
        let outcome = stage.engine.call(call).await;
        judgement.take(place, (before, place.known()), &outcome);
        tokio::time::sleep(REST).await;
    }
    judgement
}

/// Says what is wrong with an outcome.
fn judge(place: &Place, (before, after): (Known, Known), outcome: &Outcome) -> Result<(), String> {
    let output = match &outcome.result {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::ToolNotFound => {
            let was_away = before.is_away() || after.is_away() || before.away != after.away;
            let message = "not found though its file is there";
            return if was_away { Ok(()) } else { Err(message.to_owned()) };
        }
        Err(error) => return Err(format!("{}: {}", error.kind(), error.message())),
    };
    let version = outcome.version.as_deref().and_then(|version| version.rsplit('.').next());
    let mut numbers = place.numbers(output);
    numbers.push(version.and_then(|number| number.parse().ok()));
    if !is_one(&numbers) {
        return Err(format!("versions are mixed: {numbers:?}"));
    }
    let number = numbers.into_iter().flatten().next().unwrap_or_default();
    if number < before.live || number > place.written() {
        return Err(format!("generation {number} answers, {} was in service", before.live));
    }
    Ok(())
}

/// Tells whether all numbers are there and the same.
fn is_one(numbers: &[Option<u64>]) -> bool {
    numbers.first().is_some_and(|first| first.is_some() && numbers.iter().all(|n| n == first))
}
