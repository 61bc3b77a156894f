//! An object that remembers: one for each thread of a conversation.

use std::sync::atomic::{AtomicI64, Ordering};

use toolsmith::{BoxFuture, prelude::*};

/// A sum that grows from call to call.
#[derive(Default)]
struct Sum(AtomicI64);

impl Stateful for Sum {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            let n = input["n"].as_i64().unwrap_or_default();
            Ok(json!(self.0.fetch_add(n, Ordering::Relaxed) + n))
        })
    }
}

fn in_thread(thread: &str, n: i64) -> Call {
    let context = Context { thread_id: Some(thread.into()), ..Context::direct("example") };
    Call::new("sum", json!({ "n": n })).with_context(context)
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), ToolError> {
    let spec = ToolSpec::new("sum")?
        .with_description("Adds to a sum that it remembers.")
        .with_parameters(&[Parameter::integer("n").required()]);
    let engine = Engine::builder().tool(Tool::stateful(spec, Sum::default)).build()?;

    assert_eq!(engine.call(in_thread("a", 1)).await.output(), &json!(1));
    assert_eq!(engine.call(in_thread("a", 2)).await.output(), &json!(3));
    assert_eq!(engine.call(in_thread("b", 5)).await.output(), &json!(5));
    assert_eq!(engine.end_thread("a").await, 1);
    assert_eq!(engine.call(in_thread("a", 1)).await.output(), &json!(1));
    Ok(())
}
