//! A registered tool: its description, what runs it, and what its calls have shown.

use std::sync::{Arc, OnceLock};

use toolsmith_core::{Executor, Text, ToolError, ToolSpec};

use crate::{breaker::Breaker, limiter::BucketId, rates::Rate, reuse::Cache, schema::Schema};

use super::stats::Stats;

/// A registered tool.
///
/// What a tool needs only once it is called (its compiled schemas, counters, caches) is made on
/// the first call: most of 100,000 tools never are.
#[derive(Debug)]
pub struct Entry {
    /// What the tool is.
    pub spec: ToolSpec,
    pub(crate) namespace: Option<Text>,
    pub(crate) version: Text,
    pub(crate) executor: Result<Arc<dyn Executor>, String>,
    pub(crate) bucket: BucketId,
    pub(crate) stats: Arc<OnceLock<Box<Stats>>>,
    live: OnceLock<Box<Live>>,
}

/// What a tool has once it is called.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) input: Result<Schema, ToolError>,
    pub(crate) output: Option<Result<Schema, ToolError>>,
    pub(crate) cache: Option<Cache>,
    pub(crate) rate: Option<Rate>,
    pub(crate) breaker: Option<Breaker>,
}

impl Entry {
    pub(crate) fn new(
        spec: ToolSpec,
        namespace: Option<Text>,
        executor: Result<Arc<dyn Executor>, String>,
        bucket: BucketId,
    ) -> Self {
        let version = spec.version.to_string().into();
        let stats = Arc::default();
        Self { spec, namespace, version, executor, bucket, stats, live: OnceLock::new() }
    }

    /// Takes over the counters of the definition that this one replaces.
    pub(crate) fn succeeding(mut self, old: &Self) -> Self {
        self.stats = Arc::clone(&old.stats);
        self
    }

    pub(crate) fn live(&self) -> &Live {
        self.live.get_or_init(|| Box::new(Live::of(&self.spec, &self.executor)))
    }

    pub(crate) fn counters(&self) -> &Stats {
        self.stats.get_or_init(Box::default)
    }
}

impl Live {
    fn of(spec: &ToolSpec, executor: &Result<Arc<dyn Executor>, String>) -> Self {
        let has_upstream = executor.as_ref().is_ok_and(|executor| executor.upstream().is_some());
        // An answer may be given again only when giving it changes nothing.
        let cache = spec.cache.filter(|_| spec.annotations.read_only);
        Self {
            input: Schema::compile(&spec.input_schema),
            output: spec.output_schema.as_ref().map(Schema::compile),
            cache: cache.map(Cache::new),
            rate: spec.rate_limit.map(Rate::new),
            breaker: has_upstream.then(Breaker::default),
        }
    }
}
