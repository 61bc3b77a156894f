//! The telemetry, as the engine tells it of its calls.

use toolsmith_core::{TraceContext, TracedCall, Tracer};

use super::{Span, Telemetry};

impl Tracer for Telemetry {
    fn begin(&self, parent: Option<TraceContext>) -> TraceContext {
        let trace_id = parent.map_or_else(|| fastrand::u128(1..).to_be_bytes(), |up| up.trace_id);
        let span_id = fastrand::u64(1..).to_be_bytes();
        let is_sampled = self.0.config.traces.is_some()
            && self.0.config.sampler.keeps(trace_id, parent.map(|parent| parent.is_sampled));
        TraceContext { trace_id, span_id, is_sampled }
    }

    fn end(&self, call: &TracedCall<'_>) {
        if call.span.is_sampled {
            self.take(Span::of_call(call));
        }
    }
}
