//! Every call leaves a record in an SQLite file, and can be asked about afterwards.

use std::sync::Arc;

use toolsmith::{
    prelude::*,
    store::{Query, Store, StoreConfig},
};

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(StoreConfig::at(folder.path())).await?;
    let engine = Engine::builder()
        .tools(toolsmith::builtins::all()?)
        .with_records(Arc::new(store.clone()))
        .with_artifacts(Arc::new(store.clone()))
        .build()?;

    for expression in ["6*7", "2**10", "1/0"] {
        let context = Context::for_conversation("agent-1", "homework");
        let call = Call::new("calculator", json!({ "expression": expression }));
        engine.call(call.with_context(context)).await;
    }
    store.flush().await;

    let summary = store.summary("homework").await?;
    assert_eq!((summary.total_calls, summary.failed_calls), (3, 1));
    let failed = Query { success: Some(false), ..Query::default() };
    let page = store.records(failed).await?;
    assert!(page.records[0].error.as_deref().is_some_and(|error| error.contains("zero")));
    store.close().await;
    Ok(())
}
