//! Measured values, whatever they are written as.

use toolsmith_core::Text;
use toolsmith_engine::durations::Spread;

/// Values of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    /// The name for Prometheus.
    pub(crate) name: &'static str,
    /// The name for OpenTelemetry.
    pub(crate) dotted: &'static str,
    /// What it is, in one sentence.
    pub(crate) help: &'static str,
    /// How the values behave.
    pub(crate) form: Form,
    /// The values.
    pub(crate) samples: Vec<Sample>,
}

/// How values behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// They only grow.
    Counter,
    /// They rise and fall.
    Gauge,
    /// They are durations, counted in buckets.
    Histogram,
}

/// One value, and what it is about.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// What it is about.
    pub(crate) labels: Vec<(&'static str, Text)>,
    /// The value.
    pub(crate) amount: Amount,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Amount {
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// Durations.
    Spread(Box<Spread>),
}

impl Family {
    pub(crate) fn new(
        form: Form,
        (name, dotted): (&'static str, &'static str),
        help: &'static str,
    ) -> Self {
        Self { name, dotted, help, form, samples: Vec::new() }
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, labels: &[(&'static str, Text)], amount: Amount) {
        self.samples.push(Sample { labels: labels.to_vec(), amount });
    }

    /// Adds a whole number.
    #[must_use]
    pub(crate) fn with(mut self, labels: &[(&'static str, Text)], count: u64) -> Self {
        self.push(labels, Amount::Count(count));
        self
    }
}
