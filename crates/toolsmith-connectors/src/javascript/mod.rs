//! Inline JavaScript: a function of JSON, in our own process, without any way to the outside.
//!
//! # The entry
//!
//! ```yaml
//! entry:
//!   type: javascript
//!   memory_limit: 32          # megabytes, beyond what the input takes
//!   code: |
//!     function transform(input) {
//!       return { total: input.items.reduce((sum, item) => sum + item.price, 0) };
//!     }
//! ```
//!
//! The code is a module in strict mode that declares `transform` or `main`. The function gets the
//! whole input, or, when the tool's only parameter is called `input`, the value of that. What it
//! returns is awaited and written as JSON: `undefined` is `null`, parts that JSON cannot hold are
//! left out as `JSON.stringify` does, cycles are an error. Whole numbers beyond 2^53 lose digits.
//!
//! There are no modules to import, no timers, no files, no network, and no `eval` or `Function`.
//! What `console.log` says is shown with an error and otherwise forgotten. Every call starts from
//! nothing. Deadline and cancellation stop the code wherever it is, regular expressions included.
//! A few loops inside the engine cannot be stopped, such as `sort`, `join` and `reverse` of an
//! array that claims to have billions of items: such a call ends in time, its thread later.

mod console;
mod meter;
mod output;
mod sandbox;
mod thrown;

use std::sync::Arc;

use toolsmith_core::{
    Blocking, Draft, Fields, Kind, Made, Maker, ToolContext, ToolError, Value, Work,
};

use self::sandbox::{Program, Sandbox};

/// How much memory code may use unless its entry says otherwise, in megabytes.
const MEMORY: u64 = 32;

/// The most memory that an entry may ask for, in megabytes.
const MOST_MEMORY: u64 = 4_096;

/// Makes tools of code that stands in their definition.
#[derive(Clone, Copy, Debug, Default)]
pub struct JavascriptMaker;

impl Maker for JavascriptMaker {
    fn types(&self) -> &'static [&'static str] {
        &["javascript"]
    }

    fn kind(&self) -> Kind {
        Kind::Javascript
    }

    fn verbatim(&self) -> &'static [&'static str] {
        &["code"]
    }

    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made> {
        let memory = read_memory(entry);
        let Some(code) = entry.text("code") else {
            if entry.object().get("code").is_none_or(Value::is_null) {
                entry.miss("code", "write a function `transform(input)` or `main(input)`");
            }
            return None;
        };
        let program = match Program::compile(code) {
            Ok(program) => program,
            Err(message) => {
                entry.blame("code", message);
                return None;
            }
        };
        let tool = JavascriptTool { program, memory: memory?, argument: Argument::of(draft) };
        Some(Work::Blocking(Arc::new(tool)).into())
    }
}

/// Reads `memory_limit` into bytes.
fn read_memory(entry: &mut Fields<'_>) -> Option<usize> {
    let given = entry.any("memory_limit").is_some();
    let megabytes = entry.count("memory_limit");
    let megabytes = if given { megabytes? } else { MEMORY };
    if !(1..=MOST_MEMORY).contains(&megabytes) {
        let message = format!("expected 1 to {MOST_MEMORY} megabytes, found {megabytes}");
        entry.blame("memory_limit", message);
        return None;
    }
    usize::try_from(megabytes * 1024 * 1024).ok()
}

/// What the function gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Argument {
    /// The whole input.
    Whole,
    /// The value of the only parameter, which is called `input`.
    Only,
}

impl Argument {
    fn of(draft: &Draft<'_>) -> Self {
        let schema = draft.spec.input_schema.to_value();
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_only = properties.is_some_and(|all| all.len() == 1 && all.contains_key("input"));
        if is_only { Self::Only } else { Self::Whole }
    }

    fn choose(self, mut input: Value) -> Value {
        match self {
            Self::Whole => input,
            Self::Only => input.get_mut("input").map(Value::take).unwrap_or_default(),
        }
    }
}

/// One tool's code.
#[derive(Debug)]
struct JavascriptTool {
    program: Program,
    memory: usize,
    argument: Argument,
}

impl Blocking for JavascriptTool {
    fn execute(&self, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        let input = self.argument.choose(input).to_string();
        let owned = cx.clone();
        Sandbox::open(self.memory, move || owned.is_cancelled())?.run(&self.program, input)
    }
}

#[cfg(test)]
mod tests;
