//! The keys that say how calls of a tool are treated.

use std::time::Duration;

use toolsmith_core::{
    Annotations, Approval, CachePolicy, Fields, RateBy, RateLimit, RetryPolicy, RetryWhen,
    ToolSpec, Value,
};

use super::rules::key_fault;

/// Reads the policies into a description.
pub(super) fn read(fields: &mut Fields<'_>, spec: &mut ToolSpec) {
    spec.timeout = positive(fields, "timeout");
    spec.annotations = annotations(fields).unwrap_or_default();
    spec.cache = policy(fields, "cache", cache);
    spec.retry = policy(fields, "retry", retry);
    spec.rate_limit = rate_limit(fields);
    spec.approval = policy(fields, "approval", |inner| Approval {
        expires: positive(inner, "expires").unwrap_or(Approval::default().expires),
    });
    spec.cost = fields.number("cost");
    if spec.cost.is_some_and(|cost| cost < 0.0) {
        fields.blame("cost", "expected a number of at least 0");
    }
    spec.deprecated = match fields.any("deprecated") {
        Some(Value::Bool(true)) => Some("it will be removed".into()),
        Some(Value::Bool(false)) => None,
        _ => super::spec::text(fields, "deprecated"),
    };
    spec.enabled = enabled(fields);
}

fn annotations(fields: &mut Fields<'_>) -> Option<Annotations> {
    let mut inner = fields.enter("annotations")?;
    let mut flag = |key| inner.flag(key).unwrap_or_default();
    let annotations = Annotations {
        read_only: flag("read_only"),
        destructive: flag("destructive"),
        idempotent: flag("idempotent"),
        open_world: flag("open_world"),
    };
    fields.leave(inner);
    Some(annotations)
}

/// Reads a policy that is written as `true`, `false` or a map of its settings.
fn policy<P: Default>(
    fields: &mut Fields<'_>,
    key: &'static str,
    read: impl FnOnce(&mut Fields<'_>) -> P,
) -> Option<P> {
    match fields.any(key)? {
        Value::Bool(false) => None,
        Value::Bool(true) => Some(P::default()),
        _ => {
            let mut inner = fields.enter(key)?;
            let policy = read(&mut inner);
            fields.leave(inner);
            Some(policy)
        }
    }
}

fn cache(inner: &mut Fields<'_>) -> CachePolicy {
    let usual = CachePolicy::default();
    CachePolicy {
        ttl: positive(inner, "ttl").unwrap_or(usual.ttl),
        max_entries: count(inner, "max_entries", 1)
            .and_then(|count| count.try_into().ok())
            .unwrap_or(usual.max_entries),
        shared: inner.flag("shared").unwrap_or(usual.shared),
    }
}

fn retry(inner: &mut Fields<'_>) -> RetryPolicy {
    let usual = RetryPolicy::default();
    let factor = inner.number("factor");
    if factor.is_some_and(|factor| factor < 1.0) {
        inner.blame("factor", "expected a number of at least 1: each wait is longer, not shorter");
    }
    RetryPolicy {
        max_retries: small(inner, "max_retries", 0).unwrap_or(usual.max_retries),
        delay: inner.seconds("delay").unwrap_or(usual.delay),
        factor: factor.unwrap_or(usual.factor),
        max_delay: inner.seconds("max_delay").unwrap_or(usual.max_delay),
        when: match inner.word("when", &["idempotent", "always"]) {
            Some("always") => RetryWhen::Always,
            _ => RetryWhen::Idempotent,
        },
    }
}

fn rate_limit(fields: &mut Fields<'_>) -> Option<RateLimit> {
    let mut inner = fields.enter("rate_limit")?;
    if inner.any("calls").is_none() {
        inner.miss("calls", "say how many calls are allowed");
    }
    let limit = RateLimit {
        calls: small(&mut inner, "calls", 1).unwrap_or(1),
        per: positive(&mut inner, "per").unwrap_or(Duration::from_secs(1)),
        by: match inner.word("by", &["tool", "caller"]) {
            Some("caller") => RateBy::Caller,
            _ => RateBy::Tool,
        },
    };
    fields.leave(inner);
    Some(limit)
}

fn enabled(fields: &mut Fields<'_>) -> bool {
    let enabled = fields.flag("enabled");
    let status = fields.word("status", &["active", "inactive"]).map(|word| word == "active");
    if let (Some(enabled), Some(status)) = (enabled, status)
        && enabled != status
    {
        let message = "`status` contradicts `enabled`: remove one of them";
        fields.add(key_fault(fields.pointer(), "status", message));
    }
    enabled.or(status).unwrap_or(true)
}

/// Reads a number of seconds above 0.
fn positive(fields: &mut Fields<'_>, key: &'static str) -> Option<Duration> {
    let seconds = fields.seconds(key)?;
    if seconds.is_zero() {
        fields.blame(key, "expected a number of seconds above 0");
        return None;
    }
    Some(seconds)
}

fn count(fields: &mut Fields<'_>, key: &'static str, least: u64) -> Option<u64> {
    let count = fields.count(key)?;
    if count < least {
        fields
            .blame(key, format!("expected a whole number from {least}, found the number {count}"));
        return None;
    }
    Some(count)
}

fn small(fields: &mut Fields<'_>, key: &'static str, least: u64) -> Option<u32> {
    let count = count(fields, key, least)?;
    let small = u32::try_from(count).ok();
    if small.is_none() {
        fields.blame(key, format!("{count} is too large"));
    }
    small
}
