//! Rules of the application on the line of a call.

use std::sync::Arc;

use toolsmith_core::{BoxFuture, ToolContext, ToolError, ToolSpec, Value, json};
use toolsmith_engine::{After, Before, Interceptor};
use toolsmith_testing::sink::MemorySink;

use crate::fakes::{builder, call_with, echo, verdict};

/// Says what the input's text asks it to say.
#[derive(Debug)]
struct Obedient;

impl Interceptor for Obedient {
    fn before<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _spec: &'a ToolSpec,
        input: &'a Value,
    ) -> BoxFuture<'a, Before> {
        let verdict = match input["text"].as_str() {
            Some("deny") => Before::Deny(ToolError::denied("Not on a Sunday.")),
            Some("rewrite") => Before::Rewrite(json!({"text": "rewritten"})),
            Some("break") => Before::Rewrite(json!({"text": 5})),
            Some("panic") => panic!("the rule book is on fire"),
            Some("ask") => Before::Ask("it looks dangerous".into()),
            _ => Before::Allow,
        };
        Box::pin(std::future::ready(verdict))
    }

    fn after<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _spec: &'a ToolSpec,
        output: &'a Value,
    ) -> BoxFuture<'a, After> {
        let verdict = match output["text"].as_str() {
            Some("reject") => After::Reject(ToolError::failed("The output is not fit to print.")),
            Some("replace") => After::Rewrite(json!("replaced")),
            _ => After::Accept,
        };
        Box::pin(std::future::ready(verdict))
    }
}

#[tokio::test]
async fn an_interceptor_allows_denies_rewrites_and_asks() {
    let sink = MemorySink::new();
    let engine = builder(&sink).tool(echo()).with_interceptor(Arc::new(Obedient)).build().unwrap();
    for (text, expected, output) in [
        ("plain", "ok", json!({"text": "plain"})),
        ("deny", "permission_denied", json!(null)),
        ("rewrite", "ok", json!({"text": "rewritten"})),
        ("break", "validation_error", json!(null)),
        ("ask", "approval_required", json!(null)),
        ("panic", "execution_error", json!(null)),
        ("reject", "execution_error", json!(null)),
        ("replace", "ok", json!("replaced")),
    ] {
        let outcome = engine.call(call_with("echo", json!({ "text": text }))).await;
        assert_eq!(verdict(&outcome), expected, "{text}");
        assert_eq!(outcome.output(), &output, "{text}");
    }
    assert_eq!(sink.count(), 8);
}
