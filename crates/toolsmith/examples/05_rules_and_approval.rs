//! An application's own rules on the line of a call, and a person who has to agree.

use std::sync::Arc;

use toolsmith::{Before, BoxFuture, Decision, ErrorKind, Interceptor, prelude::*};

/// Deletes a file.
#[tool(destructive)]
async fn delete(
    /// Which one.
    path: String,
) -> String {
    format!("deleted {path}")
}

/// Nobody touches the archive; a person is asked about everything else.
#[derive(Debug)]
struct HouseRules;

impl Interceptor for HouseRules {
    fn before<'a>(
        &'a self,
        _cx: &'a ToolContext,
        spec: &'a ToolSpec,
        input: &'a Value,
    ) -> BoxFuture<'a, Before> {
        let archive = input["path"].as_str().is_some_and(|path| path.starts_with("archive/"));
        let verdict = match (spec.annotations.destructive, archive) {
            (true, true) => Before::Deny(ToolError::denied("The archive is kept; choose another.")),
            (true, false) => Before::Ask("it deletes a file".into()),
            (false, _) => Before::Allow,
        };
        Box::pin(std::future::ready(verdict))
    }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), ToolError> {
    let engine = Engine::builder().tool(delete).with_interceptor(Arc::new(HouseRules)).build()?;
    let call = |path: &str| {
        Call::new("delete", json!({ "path": path })).with_context(Context::direct("agent-1"))
    };

    let denied = engine.call(call("archive/1999.txt")).await;
    assert_eq!(denied.error().map(ToolError::kind), Some(ErrorKind::PermissionDenied));

    let asked = engine.call(call("notes.txt")).await;
    assert_eq!(asked.error().map(ToolError::kind), Some(ErrorKind::ApprovalRequired));
    let waiting = engine.approvals().pending();
    engine.decide(waiting[0].approval_id, Decision::Grant, "a person")?;

    let done = engine.call(call("notes.txt")).await;
    assert_eq!(done.output(), &json!("deleted notes.txt"));
    Ok(())
}
