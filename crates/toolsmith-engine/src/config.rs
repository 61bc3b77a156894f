//! What can be set about an engine.

use std::time::Duration;

use toolsmith_core::{Quota, RateLimit};

use crate::limiter::LimiterConfig;

/// What can be set about an engine; the defaults are those of a library user.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// How many calls run and wait.
    pub limits: LimiterConfig,
    /// How long a call may take when neither it nor its tool says.
    pub default_timeout: Duration,
    /// The same for tools that talk to a network.
    pub network_timeout: Duration,
    /// The longest time that a call can ask for.
    pub max_timeout: Duration,
    /// What happens to parameters that a tool does not have.
    pub unknown_parameters: UnknownParameters,
    /// Outputs longer than this are cut and kept whole as artifacts.
    pub max_output_bytes: usize,
    /// Inputs longer than this are cut in records.
    pub max_recorded_bytes: usize,
    /// How many threads tools that block may hold.
    pub blocking_threads: usize,
    /// An async tool that holds its thread for longer than this is named in the log and in an event.
    pub longest_poll: Duration,
    /// Objects of stateful tools that were not used for this long are closed.
    pub idle_instances: Duration,
    /// How long an idempotency key is remembered.
    pub idempotency_window: Duration,
    /// How many idempotency keys are remembered.
    pub idempotency_keys: usize,
    /// How many calls each caller may make in how long, over all tools.
    pub caller_rate: Option<RateLimit>,
    /// How many calls each caller may make in a longer period.
    pub caller_quota: Option<Quota>,
    /// How deep tools may call tools.
    pub max_depth: u32,
}

/// What happens to parameters that a tool does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownParameters {
    /// They are dropped, with a note in the outcome's metadata.
    #[default]
    Drop,
    /// The call is refused.
    Refuse,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            limits: LimiterConfig::default(),
            default_timeout: Duration::from_secs(30),
            network_timeout: Duration::from_mins(1),
            max_timeout: Duration::from_hours(1),
            unknown_parameters: UnknownParameters::Drop,
            max_output_bytes: 64 * 1024,
            max_recorded_bytes: 256 * 1024,
            blocking_threads: 64,
            longest_poll: Duration::from_secs(1),
            idle_instances: Duration::from_mins(30),
            idempotency_window: Duration::from_hours(24),
            idempotency_keys: 10_000,
            caller_rate: None,
            caller_quota: None,
            max_depth: 16,
        }
    }
}
