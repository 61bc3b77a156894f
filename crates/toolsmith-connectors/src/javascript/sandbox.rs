//! Compiles code, and runs it once in an engine of its own.

use std::rc::Rc;

use rquickjs::{
    Context, Ctx, Error, Function, Module, Runtime, Value as JsValue,
    context::intrinsic,
    module::{Declared, Evaluated},
    promise::{Promise, PromiseState},
};
use toolsmith_core::{ErrorKind, ToolError, Value, json};

use super::{
    console::Console,
    meter::{Meter, Metered},
    output,
    thrown::{FILE, Thrown},
};

/// How deep calls may go, in bytes; threads have several times as much.
const STACK: usize = 256 * 1024;

/// How many bytes of memory a byte of input may take inside the engine.
const SPREAD: usize = 16;

/// The name under which the code hands out its function.
const ENTRY: &str = "toolsmith_entry";

/// The names that the function may have, the first one first.
const NAMES: [&str; 2] = ["transform", "main"];

/// What the language offers: everything that computes, nothing that watches or waits.
type Language = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// Code that compiles and declares its function.
#[derive(Clone, Debug)]
pub(super) struct Program {
    source: String,
    name: &'static str,
}

impl Program {
    /// Checks code without running it; the error says what is wrong and in which line of the code.
    pub(super) fn compile(code: &str) -> Result<Self, String> {
        // The engine does not survive a missing block while it compiles, so nothing is refused: code
        // is as long as the operator's definition, whatever the input is.
        let sandbox = Sandbox::open(usize::MAX, || false).map_err(|error| error.to_string())?;
        sandbox.check(code).map_err(|thrown| match (thrown.line, thrown.column) {
            (Some(line), Some(column)) => {
                format!("line {line}, column {column} of the code: {}", thrown.message)
            }
            _ => thrown.message,
        })?;
        let programs = NAMES.map(|name| {
            // An export of a name that nobody declares does not compile, so nothing has to run.
            Self { source: format!("{code}\n;export {{ {name} as {ENTRY} }};"), name }
        });
        let found = programs.into_iter().find(|program| sandbox.check(&program.source).is_ok());
        found.ok_or_else(|| {
            "the code declares neither a function `transform(input)` nor `main(input)`".to_owned()
        })
    }
}

/// An engine for one run; nothing that code leaves in it reaches another.
pub(super) struct Sandbox {
    context: Context,
    console: Console,
    meter: Rc<Meter>,
    memory: usize,
}

impl Sandbox {
    /// Makes an engine whose code is stopped when it uses too much memory or is told to.
    pub(super) fn open(
        memory: usize,
        should_stop: impl Fn() -> bool + 'static,
    ) -> Result<Self, ToolError> {
        let unable = |error: Error| {
            ToolError::failed("The JavaScript engine could not be started.").with_source(error)
        };
        let meter = Meter::new(should_stop);
        let runtime = Runtime::new_with_alloc(Metered(Rc::clone(&meter))).map_err(unable)?;
        runtime.set_max_stack_size(STACK);
        // Collecting cycles in the middle of a refused allocation crashes the engine. Memory is
        // limited and freed as a whole after the run, so cycles are left alone until then.
        runtime.set_gc_threshold(usize::MAX);
        let watched = Rc::clone(&meter);
        runtime.set_interrupt_handler(Some(Box::new(move || watched.is_over())));
        let context = Context::custom::<Language>(&runtime).map_err(unable)?;
        Ok(Self { context, console: Console::default(), meter, memory })
    }

    /// Runs a program on an input.
    pub(super) fn run(&self, program: &Program, input: String) -> Result<Value, ToolError> {
        let result = self.context.with(|ctx| {
            let run = self.enter(&ctx, program, input);
            run.map_err(|failure| match failure {
                Failure::Engine(error) => Thrown::catch(&ctx, error),
                Failure::Ours(message) => Thrown::plain(message),
            })
        });
        match result {
            Ok(text) => output::read(&text),
            Err(thrown) => Err(self.failed(thrown)),
        }
    }

    fn enter(&self, ctx: &Ctx<'_>, program: &Program, input: String) -> Result<String, Failure> {
        self.console.install(ctx)?;
        let module = Module::declare(ctx.clone(), FILE, program.source.as_str())?;
        let room = self.memory.saturating_add(input.len().saturating_mul(SPREAD));
        self.meter.limit(room);
        let module = self.evaluate(module)?;
        let function: JsValue<'_> = module.get(ENTRY)?;
        let Some(function) = function.into_function() else {
            return Err(Failure::Ours(format!("`{}` is not a function", program.name)));
        };
        let output = self.call(ctx, &function, input)?;
        if output.is_function() || output.is_symbol() {
            let kind = if output.is_symbol() { "symbol" } else { "function" };
            return Err(Failure::Ours(format!("it returned a {kind}, which JSON cannot hold")));
        }
        match ctx.json_stringify(output)? {
            Some(text) => Ok(text.to_string()?),
            None => Ok("null".to_owned()),
        }
    }

    fn evaluate<'js>(
        &self,
        module: Module<'js, Declared>,
    ) -> Result<Module<'js, Evaluated>, Failure> {
        let (module, promise) = module.eval()?;
        self.settle(&promise)?;
        Ok(module)
    }

    fn call<'js>(
        &self,
        ctx: &Ctx<'js>,
        function: &Function<'js>,
        input: String,
    ) -> Result<JsValue<'js>, Failure> {
        let input = ctx.json_parse(input)?;
        let returned: JsValue<'js> = function.call((input,))?;
        match returned.as_promise() {
            Some(promise) => self.settle(promise),
            None => Ok(returned),
        }
    }

    /// Runs what waits in the engine until a promise is kept or broken.
    fn settle<'js>(&self, promise: &Promise<'js>) -> Result<JsValue<'js>, Failure> {
        while promise.state() == PromiseState::Pending {
            if self.meter.is_over() {
                return Err(Failure::Ours("it was stopped".to_owned()));
            }
            if !promise.ctx().execute_pending_job() {
                return Err(Failure::Ours("it waits for a promise that nobody keeps".to_owned()));
            }
        }
        match promise.result() {
            Some(result) => Ok(result?),
            None => Err(Failure::Ours("it waits for a promise that nobody keeps".to_owned())),
        }
    }

    fn check(&self, code: &str) -> Result<(), Thrown> {
        self.context.with(|ctx| {
            let module = Module::declare(ctx.clone(), FILE, code);
            module.map(drop).map_err(|error| Thrown::catch(&ctx, error))
        })
    }

    /// Says why a run gave no output.
    fn failed(&self, thrown: Thrown) -> ToolError {
        if self.meter.is_exceeded() {
            let megabytes = self.memory / (1024 * 1024);
            return ToolError::try_differently(format!(
                "The code used more than {megabytes} MB of memory beside its input. Give it less to \
                 do at once, or raise `memory_limit`."
            ));
        }
        if self.meter.is_over() {
            let message =
                "The deadline passed while the code ran; allow more time or ask for less.";
            return ToolError::new(ErrorKind::Timeout, message);
        }
        let Thrown { message, line, column } = thrown;
        let place = line.map(|line| format!(" (line {line} of the code)")).unwrap_or_default();
        let details = json!({ "line": line, "column": column, "logs": self.console.take() });
        ToolError::try_differently(format!("The code failed: {message}{place}."))
            .with_details(details)
    }
}

/// Why a run ended early.
enum Failure {
    /// The engine has an exception.
    Engine(Error),
    /// Ours to say.
    Ours(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}
