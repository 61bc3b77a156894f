//! The nouns of Toolsmith: what a tool is, what a call is, what comes of it.
//!
//! Everything above this crate speaks in these types. Nothing here reads a file, opens a socket,
//! starts a task or asks the environment: time, identity and randomness are handed in.
//!
//! # Example
//!
//! ```
//! use toolsmith_core::{Parameter, Tool, ToolSpec, json};
//!
//! let spec = ToolSpec::new("greet")?
//!     .with_description("Greets someone by name.")
//!     .with_parameters(&[Parameter::string("name").required()]);
//! let tool = Tool::function(spec, |_cx, input| async move {
//!     Ok(json!({ "greeting": format!("hello, {}", input["name"].as_str().unwrap_or("you")) }))
//! });
//! assert_eq!(tool.spec.name.as_str(), "greet");
//! # Ok::<(), toolsmith_core::ToolError>(())
//! ```

pub mod address;
mod artifact;
mod ask;
mod call;
mod clock;
mod confinement;
mod content;
mod context;
mod error;
mod event;
mod executor;
mod fields;
mod group;
pub mod histogram;
mod id;
mod json_text;
mod kind;
mod library;
mod loader;
mod log_level;
mod maker;
mod name;
mod near;
mod outcome;
mod overlay;
mod parameter;
mod policy;
mod problem;
mod record;
mod redact;
mod rights;
mod secret;
mod spec;
mod state;
mod template;
mod tool;
mod tool_context;
mod trace;
mod vault;
mod version;
mod visible;

pub use artifact::{Artifact, ArtifactPage, Artifacts};
pub use ask::{Answer, Askable, Asker, Question};
pub use call::{Call, Parent};
pub use clock::{Clock, SystemClock, Timestamp};
pub use confinement::{Confinement, SandboxProfile};
pub use content::Blocks;
pub use context::{CallerType, Context};
pub use error::{Advice, ErrorKind, ToolError};
pub use event::{Event, EventKind, Origin};
pub use executor::{BoxFuture, Caller, Executor};
pub use fields::{Fault, Fields, Spot, describe};
pub use group::Group;
pub use id::{CallId, Ids, RandomIds};
pub use json_text::JsonText;
pub use kind::{BackendRuntime, Category, Kind};
pub use library::{Editions, Found, Library, MaybeAsker, Reader, Watched};
pub use loader::is_loader;
pub use log_level::LogLevel;
pub use maker::{Draft, Made, Maker};
pub use name::{Text, ToolName, ToolRef};
pub use near::{nearest, suggestion};
pub use outcome::{Outcome, to_millis};
pub use overlay::{Overlay, OverlayRefusal};
pub use parameter::{Parameter, ParameterType, schema_of, spell_out};
pub use policy::{
    Annotations, Approval, CachePolicy, Exposure, Quota, RateBy, RateLimit, RetryPolicy, RetryWhen,
    Scope, TaskSupport, seconds,
};
pub use problem::{Problem, ProblemKind};
pub use record::{Receipt, Record, RecordSink};
pub use redact::Redactor;
pub use rights::{AllowList, Allowance, Rights, Role, fits_pattern};
pub use secret::Secret;
pub use semver::VersionReq;
pub use serde_json::{Map, Value, json};
pub use spec::ToolSpec;
pub use state::{State, Status};
pub use template::{Resolved, Template, TemplateError};
pub use tool::{Blocking, Factory, IntoTool, Sharing, Stateful, Tool, Work};
pub use tool_context::{StreamItem, StreamSink, ToolContext};
pub use trace::{NoTrace, TraceContext, TracedCall, Tracer};
pub use vault::{Variables, Vault};
pub use version::Version;
pub use visible::visible;

/// What the `#[tool]` macro writes code against; not part of the stable interface.
#[doc(hidden)]
pub mod __private {
    pub use schemars;
    pub use serde;
    pub use serde_json;

    pub use crate::tool::{IntoOutput, decode_input, encode_output, input_schema};
}
