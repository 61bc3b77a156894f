//! What a tool is, apart from the code that runs it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Annotations, Approval, BackendRuntime, CachePolicy, Category, Exposure, JsonText, Kind,
    Parameter, RateLimit, RetryPolicy, Scope, TaskSupport, Text, ToolError, ToolName, ToolRef,
    Version, parameter::schema_of,
};

/// The description of a tool: everything but the code that runs it.
///
/// ```
/// use toolsmith_core::{Parameter, ToolSpec};
///
/// let spec = ToolSpec::new("search")?
///     .with_description("Searches the archive.")
///     .with_parameters(&[Parameter::string("query").required()]);
/// assert_eq!(spec.version.to_string(), "1.0.0");
/// # Ok::<(), toolsmith_core::ToolError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolSpec {
    /// The name that callers use.
    pub name: ToolName,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Text>,
    /// The version; several may stand side by side.
    #[serde(default)]
    pub version: Version,
    /// What it does, for the model.
    #[serde(default = "no_text")]
    pub description: Text,
    /// What it is about.
    #[serde(default)]
    pub category: Category,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Text>,
    /// What it is made of.
    #[serde(default)]
    pub kind: Kind,
    /// Where it runs.
    #[serde(default)]
    pub backend_runtime: BackendRuntime,
    /// The JSON Schema of its input.
    #[serde(default = "any_object")]
    pub input_schema: JsonText,
    /// The JSON Schema of its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<JsonText>,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Text>,
    /// A picture or a character that stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<Text>,
    /// Who may use it when it is shared.
    #[serde(default)]
    pub shareable_scope: Scope,
    /// The groups that it says it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Text>,
    /// The tools that it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<ToolRef>,
    /// How long a call may take, in seconds; the engine's limit otherwise.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "crate::policy::seconds::option"
    )]
    #[schemars(with = "Option<f64>")]
    pub timeout: Option<Duration>,
    /// What it does to the world.
    #[serde(default)]
    pub annotations: Annotations,
    /// How it is shown to models.
    #[serde(default)]
    pub exposure: Exposure,
    /// Whether it may run beside others of the same conversation; read-only tools may unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel: Option<bool>,
    /// Whether `"3"` is taken for 3 where a number is wanted.
    #[serde(default)]
    pub coerce: bool,
    /// How long its answers may be given again; only for read-only tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CachePolicy>,
    /// How failed attempts are repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// How many calls in how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// What one call costs, in the operator's currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Whether a person must agree to each call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// Whether it sends chunks while it runs.
    #[serde(default)]
    pub stream_support: bool,
    /// Whether its calls become tasks.
    #[serde(default, skip_serializing_if = "TaskSupport::is_auto")]
    pub task_support: TaskSupport,
    /// Examples of calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<JsonText>,
    /// Why not to use it any more, and what to use in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Text>,
    /// Whether it can be called at all.
    #[serde(default = "yes")]
    pub enabled: bool,
}

impl ToolSpec {
    /// Makes the description of a tool that takes any object.
    pub fn new(name: &str) -> Result<Self, ToolError> {
        Ok(Self::named(ToolName::new(name)?))
    }

    /// Makes the description of a tool with a checked name.
    pub fn named(name: ToolName) -> Self {
        Self {
            name,
            title: None,
            version: Version::default(),
            description: no_text(),
            category: Category::default(),
            tags: Vec::new(),
            kind: Kind::Stateless,
            backend_runtime: BackendRuntime::Embedded,
            input_schema: any_object(),
            output_schema: None,
            author: None,
            icon: None,
            shareable_scope: Scope::Private,
            groups: Vec::new(),
            depends_on: Vec::new(),
            timeout: None,
            annotations: Annotations::default(),
            exposure: Exposure::Direct,
            parallel: None,
            coerce: false,
            cache: None,
            retry: None,
            rate_limit: None,
            cost: None,
            approval: None,
            stream_support: false,
            task_support: TaskSupport::Auto,
            examples: Vec::new(),
            deprecated: None,
            enabled: true,
        }
    }

    /// Says what the tool does.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Text>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the version.
    #[must_use]
    pub fn with_version(mut self, version: Version) -> Self {
        self.version = version;
        self
    }

    /// Sets the category.
    #[must_use]
    pub fn with_category(mut self, category: &str) -> Self {
        self.category = Category::new(category);
        self
    }

    /// Describes the input by a parameter list.
    #[must_use]
    pub fn with_parameters(mut self, parameters: &[Parameter]) -> Self {
        self.input_schema = schema_of(parameters).shrunk();
        self
    }

    /// Describes the input by a JSON Schema.
    #[must_use]
    pub fn with_input_schema(mut self, schema: &Value) -> Self {
        self.input_schema = JsonText::of(schema).shrunk();
        self
    }

    /// Describes the output by a JSON Schema, against which every output is checked.
    #[must_use]
    pub fn with_output_schema(mut self, schema: &Value) -> Self {
        self.output_schema = Some(JsonText::of(schema).shrunk());
        self
    }

    /// Says what the tool does to the world.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Changes any other field in place; for chains.
    ///
    /// ```
    /// # use toolsmith_core::ToolSpec;
    /// let spec = ToolSpec::new("old")?.with(|spec| spec.deprecated = Some("use `new`".into()));
    /// # Ok::<(), toolsmith_core::ToolError>(())
    /// ```
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Tells whether calls may run beside others of the same conversation.
    pub fn runs_in_parallel(&self) -> bool {
        self.parallel.unwrap_or(self.annotations.read_only)
    }
}

fn no_text() -> Text {
    Text::default()
}

fn any_object() -> JsonText {
    JsonText::from_trusted(r#"{"type":"object"}"#.to_owned())
}

fn yes() -> bool {
    true
}
