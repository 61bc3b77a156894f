//! A project of uv, by convention.

use std::time::Instant;

use tokio::task::JoinSet;
use toolsmith_testing::{fixtures, skip};

use super::*;

const PROJECT: &str = "\
[project]
name = \"tested\"
version = \"0.1.0\"
requires-python = \">=3.9\"
";

/// Returns a yard in which uv is found, with a project in the folder `project`.
pub(super) fn yard() -> Option<Yard> {
    let folder = fixtures::uv()?;
    let mut environment: BTreeMap<String, String> = std::env::vars().collect();
    let path = environment.get("PATH").cloned().unwrap_or_default();
    environment.insert("PATH".to_owned(), format!("{}:{path}", folder.display()));
    environment.insert("UV_PYTHON_DOWNLOADS".to_owned(), "never".to_owned());
    let yard = Yard::new(environment);
    let project = yard.folder.path().join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("main.py"), SERVER).unwrap();
    fs::write(project.join("pyproject.toml"), PROJECT).unwrap();
    Some(yard)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_of_uv_serves_a_thousand_calls_with_one_process() {
    let Some(yard) = yard() else { return skip("uv is not installed; run ./test") };
    let entry = json!({ "host_dir": "project", "health": { "path": "/health", "timeout": 60 } });
    let mut tool = yard.tool(&entry);
    tool.patience = Duration::from_mins(2);
    let begun = Instant::now();
    let first = pid_of(&tool.call(json!({})).await.unwrap());
    let cold = begun.elapsed();
    let tool = std::sync::Arc::new(tool);
    let begun = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..20 {
        let tool = std::sync::Arc::clone(&tool);
        callers.spawn(async move {
            for _ in 0..50 {
                assert_eq!(pid_of(&tool.call(json!({ "x": 1 })).await.unwrap()), first);
            }
        });
    }
    callers.join_all().await;
    let warm = begun.elapsed() / 1_000;
    println!("cold start of a uv project: {cold:?}; a warm call, 20 at once: {warm:?}");
    drop(tool);
    yard.services.close().await;
    poll("it is gone", || is_gone(first)).await;
}
