//! Secrets are taken out of everything that leaves the engine.

use std::fmt::Write as _;

use toolsmith_core::{Secret, Tool, ToolError, json};
use toolsmith_engine::Heard;

use crate::fakes::{call_with, engine, spec};

const SECRET: &str = "sk-live-0123456789";

#[tokio::test]
async fn a_secret_never_leaves_by_output_error_record_event_or_stream() {
    let leaky = Tool::function(spec("leaky"), |cx, input| async move {
        cx.chunk(format!("chunk {SECRET}")).await;
        cx.progress(0.5, None, format!("progress {SECRET}"));
        match input["text"].as_str() {
            Some("fail") => Err(ToolError::failed(format!("no entry with {SECRET}"))
                .with_details(json!({ "key": SECRET }))),
            Some("panic") => panic!("lost {SECRET}"),
            _ => Ok(json!({ "header": [format!("Bearer {SECRET}")], "echo": input })),
        }
    });
    let (engine, sink) = engine([leaky]);
    engine.redactor().add(&Secret::new(SECRET.to_owned()));
    let mut events = engine.subscribe();
    let mut seen = String::new();
    for text in ["ok", "fail", "panic", SECRET] {
        let mut stream = engine.stream(call_with("leaky", json!({ "text": text })));
        while let Some(item) = stream.next().await {
            write!(seen, "{item:?}").unwrap();
        }
    }
    while let Some(Heard::Event(event)) = events.try_next() {
        seen.push_str(&serde_json::to_string(&event).unwrap());
    }
    for record in sink.records() {
        seen.push_str(&serde_json::to_string(&record).unwrap());
    }
    assert!(seen.contains("***") && seen.len() > 2_000, "{seen}");
    assert!(!seen.contains(SECRET), "{seen}");
}

#[tokio::test]
async fn a_secret_that_stands_for_a_name_or_an_id_is_taken_out_too() {
    let (engine, sink) = engine([crate::fakes::echo()]);
    engine.redactor().add(&Secret::new(SECRET.to_owned()));
    let mut events = engine.subscribe();
    let context = toolsmith_core::Context {
        task_id: Some(SECRET.into()),
        ..toolsmith_core::Context::for_conversation(SECRET, SECRET)
    };
    let mut seen = String::new();
    for tool in ["echo", SECRET, "echo@sk-live-0123456789"] {
        let call = call_with(tool, json!({})).with_context(context.clone());
        seen.push_str(&serde_json::to_string(&engine.call(call).await).unwrap());
    }
    while let Some(Heard::Event(event)) = events.try_next() {
        seen.push_str(&serde_json::to_string(&event).unwrap());
    }
    seen.push_str(&serde_json::to_string(&sink.records()).unwrap());
    assert!(!seen.contains(SECRET), "{seen}");
}
