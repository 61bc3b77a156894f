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
    /// Its calls are calls of the tools that they name.
    pub(crate) is_indirect: bool,
    pub(crate) bucket: BucketId,
    pub(crate) breaker: Option<Arc<Breaker>>,
    pub(crate) rate: Option<Arc<Rate>>,
    pub(crate) stats: Arc<OnceLock<Box<Stats>>>,
    live: OnceLock<Box<Live>>,
}

/// What a tool has once it is called; read by every thread, so alone in its cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Live {
    pub(crate) input: Result<Schema, ToolError>,
    pub(crate) output: Option<Result<Schema, ToolError>>,
    pub(crate) cache: Option<Cache>,
}

impl Entry {
    pub(crate) fn new(
        spec: ToolSpec,
        namespace: Option<Text>,
        executor: Result<Arc<dyn Executor>, String>,
        bucket: BucketId,
        breaker: Option<Arc<Breaker>>,
    ) -> Self {
        Self {
            version: spec.version.to_string().into(),
            rate: spec.rate_limit.map(|limit| Arc::new(Rate::new(limit))),
            spec,
            namespace,
            executor,
            is_indirect: false,
            bucket,
            breaker,
            stats: Arc::default(),
            live: OnceLock::new(),
        }
    }

    /// Takes over the counters of the definition that this one replaces, and what is used up.
    pub(crate) fn succeeding(mut self, old: &Self) -> Self {
        self.stats = Arc::clone(&old.stats);
        if self.spec.rate_limit == old.spec.rate_limit {
            self.rate = old.rate.as_ref().map(Arc::clone);
        }
        self
    }

    pub(crate) fn live(&self) -> &Live {
        self.live.get_or_init(|| Box::new(Live::of(&self.spec)))
    }

    pub(crate) fn counters(&self) -> &Stats {
        self.stats.get_or_init(Box::default)
    }
}

impl Live {
    fn of(spec: &ToolSpec) -> Self {
        // An answer may be given again only when giving it changes nothing.
        let cache = spec.cache.filter(|_| spec.annotations.read_only);
        Self {
            input: Schema::compile(&spec.input_schema),
            output: spec.output_schema.as_ref().map(Schema::compile),
            cache: cache.map(Cache::new),
        }
    }
}
