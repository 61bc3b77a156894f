//! What happens is told to subscribers; what a tool sends while it runs reaches its caller live.

use toolsmith::{Followed, Heard, StreamItem, prelude::*};

/// Counts up, telling every step.
#[tool(stream)]
async fn count(
    /// How far.
    to: u32,
    cx: &ToolContext,
) -> String {
    for step in 1..=to {
        cx.progress(f64::from(step), Some(f64::from(to)), "counting");
        cx.chunk(step).await;
    }
    "done".to_owned()
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), ToolError> {
    let engine = Engine::builder().tool(count).build()?;
    let mut events = engine.subscribe();

    let mut stream = engine.stream(Call::new("count", json!({"to": 3})));
    let mut chunks = Vec::new();
    while let Some(followed) = stream.next().await {
        match followed {
            Followed::Item(StreamItem::Chunk(chunk)) => chunks.push(chunk),
            Followed::Item(StreamItem::Progress { .. } | StreamItem::Log { .. }) => {}
            Followed::Outcome(outcome) => assert_eq!(outcome.output(), &json!("done")),
        }
    }
    assert_eq!(chunks, [json!(1), json!(2), json!(3)]);

    let mut told = Vec::new();
    while let Some(Heard::Event(event)) = events.try_next() {
        told.push(event.kind.as_str());
    }
    assert_eq!(told.first(), Some(&"call_requested"));
    assert_eq!(told.last(), Some(&"execution_completed"));
    Ok(())
}
