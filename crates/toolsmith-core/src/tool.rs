//! A tool: its description, and the code that runs it.

use std::{fmt, marker::PhantomData, sync::Arc};

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{BoxFuture, Executor, JsonText, Kind, ToolContext, ToolError, ToolSpec};

/// A tool, ready to be registered.
#[derive(Clone, Debug)]
pub struct Tool {
    /// What it is.
    pub spec: ToolSpec,
    /// What runs it.
    pub work: Work,
}

/// What runs a tool, and where.
#[derive(Clone)]
#[non_exhaustive]
pub enum Work {
    /// Asynchronous code: runs on the caller's task.
    Async(Arc<dyn Executor>),
    /// Code that holds a thread: runs on the engine's pool of threads for it.
    Blocking(Arc<dyn Blocking>),
    /// A maker of objects: the engine keeps one for each thread of a conversation.
    Stateful(Arc<dyn Factory>),
    /// Another tool, which the call names: `{"name": …, "arguments": {…}}`.
    Indirect,
    /// Nothing: the definition names a handler that nobody registered.
    Missing {
        /// What was looked for.
        handler: String,
    },
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Async(_) => "Async",
            Self::Blocking(_) => "Blocking",
            Self::Stateful(_) => "Stateful",
            Self::Indirect => "Indirect",
            Self::Missing { .. } => "Missing",
        })
    }
}

/// Code that holds its thread until it is done.
pub trait Blocking: Send + Sync {
    /// Runs the call; long loops ask `cx.is_cancelled()` now and then.
    fn execute(&self, cx: &ToolContext, input: Value) -> Result<Value, ToolError>;
}

impl<F> Blocking for F
where
    F: Fn(&ToolContext, Value) -> Result<Value, ToolError> + Send + Sync,
{
    fn execute(&self, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        self(cx, input)
    }
}

/// An object that remembers from one call to the next.
pub trait Stateful: Send + Sync {
    /// Runs a call on the object. Calls come one at a time unless the factory says they may mix.
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>>;

    /// Ends the object's life: connections are closed, files flushed.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Makes the objects of a stateful tool.
pub trait Factory: Send + Sync {
    /// Makes an object for a thread of a conversation.
    fn create<'a>(
        &'a self,
        cx: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Arc<dyn Stateful>, ToolError>>;

    /// Says whether one object may run several calls at once.
    fn sharing(&self) -> Sharing {
        Sharing::OneCallAtATime
    }
}

/// Whether one object may run several calls at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Calls of one object wait for each other.
    #[default]
    OneCallAtATime,
    /// The object copes with several calls at once.
    Concurrent,
}

impl Tool {
    /// Makes a tool of an asynchronous function or closure.
    pub fn function<F, Fut>(spec: ToolSpec, function: F) -> Self
    where
        F: Fn(ToolContext, Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Self { spec, work: Work::Async(Arc::new(Function(function))) }
    }

    /// Makes a tool of an asynchronous function with a typed input; the schema comes from the type.
    pub fn typed<I, O, F, Fut>(mut spec: ToolSpec, function: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + Send + 'static,
        F: Fn(ToolContext, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        spec.input_schema = input_schema::<I>();
        let typed = Typed { function, types: PhantomData::<fn(I) -> O> };
        Self { spec, work: Work::Async(Arc::new(typed)) }
    }

    /// Makes a tool of a plain function, which runs on a thread of its own.
    pub fn blocking<F>(spec: ToolSpec, function: F) -> Self
    where
        F: Fn(&ToolContext, Value) -> Result<Value, ToolError> + Send + Sync + 'static,
    {
        Self { spec, work: Work::Blocking(Arc::new(function)) }
    }

    /// Makes a tool of an executor.
    pub fn executor(spec: ToolSpec, executor: impl Executor + 'static) -> Self {
        Self { spec, work: Work::Async(Arc::new(executor)) }
    }

    /// Makes a tool of objects, one for each thread of a conversation.
    pub fn stateful<F, S>(spec: ToolSpec, create: F) -> Self
    where
        F: Fn() -> S + Send + Sync + 'static,
        S: Stateful + 'static,
    {
        Self::stateful_factory(spec, Make(create))
    }

    /// Makes a tool of objects whose making takes time or can fail.
    pub fn stateful_factory(mut spec: ToolSpec, factory: impl Factory + 'static) -> Self {
        spec.kind = Kind::Stateful;
        Self { spec, work: Work::Stateful(Arc::new(factory)) }
    }
}

/// Anything that can be registered as a tool; `#[tool]` functions are.
pub trait IntoTool {
    /// Returns the tool.
    fn into_tool(self) -> Result<Tool, ToolError>;
}

/// A function that makes a tool; `#[tool]` leaves one under the name of the function.
impl<F: FnOnce() -> T, T: IntoTool> IntoTool for F {
    fn into_tool(self) -> Result<Tool, ToolError> {
        self().into_tool()
    }
}

impl IntoTool for Tool {
    fn into_tool(self) -> Result<Tool, ToolError> {
        Ok(self)
    }
}

impl IntoTool for Result<Tool, ToolError> {
    fn into_tool(self) -> Result<Tool, ToolError> {
        self
    }
}

struct Function<F>(F);

impl<F> fmt::Debug for Function<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

impl<F, Fut> Executor for Function<F>
where
    F: Fn(ToolContext, Value) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin((self.0)(cx.clone(), input))
    }
}

struct Typed<F, I, O> {
    function: F,
    types: PhantomData<fn(I) -> O>,
}

impl<F, I, O> fmt::Debug for Typed<F, I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

impl<F, I, O, Fut> Executor for Typed<F, I, O>
where
    I: DeserializeOwned + Send,
    O: Serialize + Send,
    F: Fn(ToolContext, I) -> Fut + Send + Sync,
    Fut: Future<Output = Result<O, ToolError>> + Send,
{
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            let output = (self.function)(cx.clone(), decode_input(input)?).await?;
            encode_output(&output)
        })
    }
}

struct Make<F>(F);

impl<F, S> Factory for Make<F>
where
    F: Fn() -> S + Send + Sync,
    S: Stateful + 'static,
{
    fn create<'a>(
        &'a self,
        _cx: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Arc<dyn Stateful>, ToolError>> {
        let object: Arc<dyn Stateful> = Arc::new((self.0)());
        Box::pin(std::future::ready(Ok(object)))
    }
}

/// Reads a checked input into the type that the function takes.
pub fn decode_input<I: DeserializeOwned>(input: Value) -> Result<I, ToolError> {
    serde_json::from_value(input).map_err(|error| {
        ToolError::validation(format!("The input passed the schema but cannot be read: {error}."))
    })
}

/// Writes what a function returned as the output of its tool.
pub fn encode_output<O: Serialize>(output: &O) -> Result<Value, ToolError> {
    serde_json::to_value(output).map_err(|error| {
        ToolError::failed("The tool's output cannot be written as JSON.").with_source(error)
    })
}

/// Returns the JSON Schema of a type, with nested types written in place.
pub fn input_schema<I: JsonSchema>() -> JsonText {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<I>();
    // The type's own name is of no use to a model.
    schema.remove("title");
    JsonText::of(&schema).shrunk()
}

/// What a `#[tool]` function may return: a value, or a value or an error.
pub trait IntoOutput {
    /// Returns the output of the tool.
    fn into_output(self) -> Result<Value, ToolError>;
}

impl<T: Serialize, E: Into<ToolError>> IntoOutput for Result<T, E> {
    fn into_output(self) -> Result<Value, ToolError> {
        self.map_err(Into::into).and_then(|value| encode_output(&value))
    }
}
