//! What a tool's definition says about how its calls are treated.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hints about what a tool does to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "four independent hints, named as in MCP")]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// Calling it twice does no more than calling it once.
    pub idempotent: bool,
    /// It deals with the world outside, whose text is not to be trusted.
    pub open_world: bool,
}

impl Annotations {
    /// Tells whether the engine may run a call again by itself.
    pub fn may_repeat(self) -> bool {
        self.read_only || self.idempotent
    }
}

/// How a tool is shown to models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exposure {
    /// Listed.
    #[default]
    Direct,
    /// Found by search only.
    Deferred,
    /// Callable by name, never listed.
    Hidden,
}

/// Whether calls of a tool become tasks, for callers that ask later what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskSupport {
    /// A call that takes long does.
    #[default]
    Auto,
    /// Every call does that does not end at once.
    Optional,
    /// The same, and who does not know tasks is refused.
    Required,
    /// None does.
    Forbidden,
}

impl TaskSupport {
    /// Tells whether nothing was said.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
    pub(crate) fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// Who may use a tool that is shared between systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Its owner.
    #[default]
    Private,
    /// Its owner's team.
    Team,
    /// Everyone.
    Public,
}

/// How failed attempts are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetryPolicy {
    /// How often to try again after the first attempt.
    pub max_retries: u32,
    /// The wait before the first repetition, in seconds.
    #[serde(with = "seconds")]
    #[schemars(with = "f64")]
    pub delay: Duration,
    /// By how much each wait is longer than the one before.
    pub factor: f64,
    /// The longest wait, in seconds.
    #[serde(with = "seconds")]
    #[schemars(with = "f64")]
    pub max_delay: Duration,
    /// Which tools are repeated.
    pub when: RetryWhen,
}

/// Which tools are repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetryWhen {
    /// Those whose repetition does no harm: read-only or idempotent.
    #[default]
    Idempotent,
    /// This one, whatever it does: its author asks for it.
    Always,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 3,
            delay: Duration::from_millis(200),
            factor: 2.0,
            max_delay: Duration::from_secs(10),
            when: RetryWhen::Idempotent,
        }
    }
}

/// How long an answer of a read-only tool may be given again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CachePolicy {
    /// How long an answer is good, in seconds.
    #[serde(with = "seconds")]
    #[schemars(with = "f64")]
    pub ttl: Duration,
    /// How many answers are kept; the least used goes first.
    pub max_entries: usize,
    /// The output is the same for every caller, so callers share answers.
    pub shared: bool,
}

impl Default for CachePolicy {
    fn default() -> Self {
        Self { ttl: Duration::from_mins(1), max_entries: 1_000, shared: false }
    }
}

/// How many calls in how long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// How many calls; also the largest burst.
    pub calls: u32,
    /// In how many seconds.
    #[serde(with = "seconds", default = "one_second")]
    #[schemars(with = "f64")]
    pub per: Duration,
    /// Who shares the allowance.
    #[serde(default)]
    pub by: RateBy,
}

/// How many calls one caller may make in a period that begins with its first call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// How many calls.
    pub calls: u64,
    /// In how many seconds.
    #[serde(with = "seconds")]
    pub per: Duration,
}

/// Who shares an allowance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateBy {
    /// All callers of the tool together.
    #[default]
    Tool,
    /// Each caller has its own.
    Caller,
}

/// A person must agree to each call of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Approval {
    /// How long a request and its grant are good, in seconds.
    #[serde(with = "seconds")]
    #[schemars(with = "f64")]
    pub expires: Duration,
}

impl Default for Approval {
    fn default() -> Self {
        Self { expires: Duration::from_mins(10) }
    }
}

fn one_second() -> Duration {
    Duration::from_secs(1)
}

/// Durations as seconds, the unit of definitions and configuration; for `#[serde(with = "…")]`.
pub mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes seconds.
    pub fn serialize<S: Serializer>(d: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(d.as_secs_f64())
    }

    /// Reads seconds.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(d)?;
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| D::Error::custom(format!("{seconds} is not a number of seconds")))
    }

    /// The same for a value that may be absent.
    pub mod option {
        use std::time::Duration;

        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        #[derive(Serialize, Deserialize)]
        struct Wrapped(#[serde(with = "super")] Duration);

        /// Writes seconds or nothing.
        #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
        pub fn serialize<S: Serializer>(
            d: &Option<Duration>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            d.map(Wrapped).serialize(serializer)
        }

        /// Reads seconds or nothing.
        pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Duration>, D::Error> {
            Ok(Option::<Wrapped>::deserialize(d)?.map(|wrapped| wrapped.0))
        }
    }
}
