//! The `#[tool]` attribute: a Rust function becomes a tool that a model can call.
//!
//! The doc comment is the description, the parameters are the input schema, the return value is the
//! output. Everything else about the tool is said in the attribute.
//!
//! # Example
//!
//! ```
//! use toolsmith_core::{IntoTool, ToolError, json};
//! use toolsmith_macros::tool;
//!
//! /// Divides one number by another.
//! #[tool(crate = "toolsmith_core", read_only)]
//! async fn divide(
//!     /// The number to divide.
//!     a: f64,
//!     /// The number to divide by.
//!     #[arg(default = 1.0)]
//!     b: f64,
//! ) -> Result<f64, ToolError> {
//!     if b == 0.0 {
//!         return Err(ToolError::try_differently("`b` is zero; give another number."));
//!     }
//!     Ok(a / b)
//! }
//!
//! let tool = divide.into_tool()?;
//! assert_eq!(tool.spec.name.as_str(), "divide");
//! assert_eq!(&*tool.spec.description, "Divides one number by another.");
//! assert_eq!(tool.spec.input_schema.to_value()["required"], json!(["a"]));
//! # Ok::<(), ToolError>(())
//! ```

mod argument;
mod attributes;
mod checks;
mod docs;
mod errors;
mod expand;
mod function;
mod input;
mod parameter;
mod root;
mod spec;
mod types;
mod work;

use proc_macro::TokenStream;

/// Makes a tool of an `async fn` or a plain `fn`.
///
/// The function's name stands for the tool wherever one is wanted (`engine.tool(add)`), and the
/// function itself becomes `add::call`, for tests and other code.
/// An `async fn` runs on the task of its caller; a plain `fn` may hold its thread, so it runs on
/// the engine's pool of threads.
///
/// # The description
///
/// A tool needs a doc comment: it is what the model reads. Paragraphs, lists and code blocks are
/// kept, lines of one paragraph are joined, and the sections `# Errors`, `# Panics`, `# Safety` and
/// `# Examples` are left out, as they speak to Rust programmers.
///
/// # Parameters
///
/// Every parameter is a property of the input, described by the doc comment above it. Types are
/// owned, and implement `Deserialize` and `JsonSchema`; with types of the standard library, neither
/// `serde` nor `schemars` has to be a dependency. The input is closed: an unknown property is an
/// error.
///
/// | written | meaning |
/// |---|---|
/// | `a: T` | required |
/// | `a: Option<T>` | may be left out, or be `null` |
/// | `#[arg(default = 10)] a: T` | may be left out, and then has this value |
/// | `#[arg(default)] a: T` | may be left out, and then has the default of its type |
/// | `#[arg(rename = "from")] a: T` | has another name in the input |
/// | `#[arg(description = "…")] a: T` | described here rather than by a doc comment |
/// | `#[schemars(range(min = 1))] a: T` | any `schemars` or `serde` attribute of a field |
/// | `#[arg(whole)] input: T` | the only parameter: the type `T` describes the whole input |
/// | `cx: &ToolContext`, `cx: ToolContext` | hidden from the model: the context of the call |
///
/// ```
/// # use toolsmith_core::__private::{schemars, serde};
/// use toolsmith_core::{IntoTool, ToolContext, json};
/// use toolsmith_macros::tool;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # #[serde(crate = "toolsmith_core::__private::serde")]
/// # #[schemars(crate = "toolsmith_core::__private::schemars")]
/// struct Query {
///     /// What to look for.
///     words: String,
/// }
///
/// /// Searches the archive.
/// #[tool(crate = "toolsmith_core", read_only, timeout = 2.5, tags("archive", "search"))]
/// fn search(cx: &ToolContext, #[arg(whole)] query: Query) -> Vec<String> {
///     cx.progress(0.0, None, "searching");
///     vec![query.words]
/// }
///
/// let schema = search.into_tool()?.spec.input_schema.to_value();
/// assert_eq!(schema["properties"]["words"]["description"], json!("What to look for."));
/// # Ok::<(), toolsmith_core::ToolError>(())
/// ```
///
/// # The output
///
/// A function returns something that implements `Serialize`, or a `Result` of it whose error is
/// `Into<ToolError>`, or nothing, which is `null`.
///
/// # Attributes
///
/// | attribute | meaning |
/// |---|---|
/// | `name = "…"` | the name of the tool, when the function's will not do |
/// | `title = "…"` | the name that people read |
/// | `description = "…"` | in place of the doc comment |
/// | `version = "1.2.0"` | `1.0.0` unless said |
/// | `category = "…"`, `tags("…", "…")` | what it is about, and words to find it by |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | what it does to the world |
/// | `timeout = 2.5` | how long a call may take, in seconds |
/// | `parallel = true` | whether it may run beside others of the same conversation |
/// | `coerce` | `"3"` is taken for 3 where a number is wanted |
/// | `deprecated = "…"` | why not to use it any more, and what to use in its place |
/// | `approval` | a person must agree to each call |
/// | `stream` | it sends chunks while it runs |
/// | `blocking` | says of a plain `fn` what is true anyway: it may hold its thread |
/// | `crate = "…"` | where the nouns of Toolsmith are found; `::toolsmith` unless said |
#[proc_macro_attribute]
pub fn tool(attributes: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(attributes.into(), &item.into()).into()
}
