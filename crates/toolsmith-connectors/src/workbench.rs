//! What the tests share: makes a tool of an entry, and calls it as the engine would.

use std::{path::Path, sync::Arc, time::Duration};

use tokio::{sync::mpsc, time::Instant};
use toolsmith_core::{
    BoxFuture, Call, CallId, Caller, Confinement, Context, Draft, Fields, Made, Maker, Outcome,
    Parameter, Redactor, StreamItem, StreamSink, Timestamp, ToolContext, ToolError, ToolSpec,
    Value, Vault, Work,
};

#[derive(Debug)]
struct Nobody;

impl Caller for Nobody {
    fn call(&self, _call: Call) -> BoxFuture<'_, Outcome> {
        Box::pin(std::future::pending())
    }
}

/// Returns the context of a call that has this much time.
pub(crate) fn context(context: Context, patience: Duration) -> ToolContext {
    let call_id = CallId::from_parts(Timestamp::from_millis(0), 1);
    let deadline = Instant::now() + patience;
    ToolContext::new(call_id, "tested".into(), context, deadline, Arc::new(Nobody))
}

/// A tool under test.
pub(crate) struct Bench {
    pub(crate) work: Work,
    pub(crate) context: Context,
    pub(crate) patience: Duration,
}

/// Makes a tool; the error is everything that was wrong, as `pointer: message`.
pub(crate) fn make(
    maker: &dyn Maker,
    entry: &Value,
    parameters: &[Parameter],
    folder: &Path,
) -> Result<Bench, Vec<String>> {
    let spec = ToolSpec::new("tested").unwrap();
    let spec = if parameters.is_empty() { spec } else { spec.with_parameters(parameters) };
    build(entry, |vault, fields| {
        maker.make(&Draft { spec: &spec, folder, vault, confinement: None }, fields)
    })
}

/// Makes a tool that runs in a sandbox.
pub(crate) fn confine(
    maker: &dyn Maker,
    entry: &Value,
    folder: &Path,
    confinement: &Confinement,
) -> Result<Bench, Vec<String>> {
    assert!(maker.can_confine());
    let spec = ToolSpec::new("tested").unwrap();
    build(entry, |vault, fields| {
        let confinement = Some(confinement);
        maker.make(&Draft { spec: &spec, folder, vault, confinement }, fields)
    })
}

fn build(
    entry: &Value,
    make: impl FnOnce(&Vault, &mut Fields<'_>) -> Option<Made>,
) -> Result<Bench, Vec<String>> {
    let vault = Vault::with_values([("TOKEN", "s3cret-token")], Redactor::default());
    let mut fields = Fields::of(entry, "/entry").unwrap();
    fields.any("type");
    let made = make(&vault, &mut fields);
    let faults = fields.finish();
    let faults: Vec<String> =
        faults.into_iter().map(|fault| format!("{}: {}", fault.pointer, fault.message)).collect();
    match made {
        Some(made) if faults.is_empty() => Ok(Bench {
            work: made.work,
            context: Context::for_conversation("agent", "here"),
            patience: Duration::from_secs(30),
        }),
        _ => Err(faults),
    }
}

/// Says loudly that a sandbox cannot be had here; any other error fails the test.
pub(crate) fn skip_without_sandbox(error: &ToolError) {
    assert!(error.message().contains("cannot be enforced"), "{error}");
    toolsmith_testing::skip(error.message());
}

impl Bench {
    /// Calls the tool.
    pub(crate) async fn call(&self, input: Value) -> Result<Value, ToolError> {
        self.run(self.context(None), input).await
    }

    /// Calls the tool and returns what it sent while it ran, too.
    pub(crate) async fn follow(&self, input: Value) -> (Result<Value, ToolError>, Vec<StreamItem>) {
        let (sender, mut receiver) = mpsc::channel(1_000);
        let result = self.run(self.context(Some(StreamSink::new(sender))), input).await;
        let mut items = Vec::new();
        while let Ok(item) = receiver.try_recv() {
            items.push(item);
        }
        (result, items)
    }

    /// Returns the context of a call that has this much time.
    pub(crate) fn context(&self, stream: Option<StreamSink>) -> ToolContext {
        context(self.context.clone(), self.patience).with_stream(stream)
    }

    async fn run(&self, cx: ToolContext, input: Value) -> Result<Value, ToolError> {
        match &self.work {
            Work::Async(executor) => executor.execute(&cx, input).await,
            Work::Blocking(function) => {
                let function = Arc::clone(function);
                let run = tokio::task::spawn_blocking(move || function.execute(&cx, input));
                run.await.unwrap()
            }
            other => panic!("no work for this bench: {other:?}"),
        }
    }
}
