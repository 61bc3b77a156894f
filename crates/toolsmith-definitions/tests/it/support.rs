//! A folder of files, makers that make something simple, and an engine.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use toolsmith_core::{
    Call, Draft, Event, Fields, Kind, Made, Maker, Outcome, Parameter, Redactor, Tool, ToolSpec,
    Value, Vault, json,
};
use toolsmith_definitions::{Definitions, Makers};
use toolsmith_engine::{Engine, Heard, Subscription};

/// A folder that is removed at the end of the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file in one go; folders come into being.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    pub(crate) fn definitions(&self) -> Definitions {
        Definitions::open(vec![self.root().to_owned()], makers(), vault())
    }

    /// Shows problems without the part of the path that differs from run to run.
    pub(crate) fn shown<T: ToString>(&self, problems: &[T]) -> Vec<String> {
        let root = format!("{}/", self.root().display());
        problems.iter().map(|problem| problem.to_string().replace(&root, "")).collect()
    }
}

/// A definition whose calls answer `{"says": …}`.
pub(crate) fn saying(name: &str, says: &str) -> String {
    format!(
        "name: {name}\ndescription: Says something.\nentry:\n  type: javascript\n  code: {says}\n"
    )
}

pub(crate) fn vault() -> Vault {
    Vault::with_values([("HOST", "example.org"), ("KEY", "sk-12345678")], Redactor::default())
}

pub(crate) fn makers() -> Makers {
    Makers::new()
        .with(Arc::new(Script))
        .with(Arc::new(Program))
        .with(Arc::new(Web))
        .with_handlers([echo(), adder()])
}

pub(crate) fn engine() -> Engine {
    Engine::builder().tool(echo()).tool(adder()).build().unwrap()
}

fn echo() -> Tool {
    let spec = ToolSpec::new("echo")
        .unwrap()
        .with_description("The built-in echo.")
        .with_parameters(&[Parameter::string("message").required()]);
    Tool::function(spec, |_cx, input| async move { Ok(input) })
}

fn adder() -> Tool {
    let spec = ToolSpec::new("adder").unwrap().with_description("The built-in adder.");
    Tool::function(spec, |_cx, _input| async move { Ok(json!("built in")) })
}

/// Says its code.
#[derive(Debug)]
struct Script;

impl Maker for Script {
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
        if entry.any("code").is_none() {
            entry.miss("code", "write the function here");
        }
        let says = entry.any("code")?.clone();
        let spec = draft.spec.clone();
        let tool = Tool::function(spec, move |_cx, _input| {
            let says = says.clone();
            async move { Ok(json!({ "says": says })) }
        });
        Some(tool.work.into())
    }
}

/// Accepts the keys of a command.
#[derive(Debug)]
struct Program;

impl Maker for Program {
    fn types(&self) -> &'static [&'static str] {
        &["command"]
    }

    fn kind(&self) -> Kind {
        Kind::Command
    }

    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made> {
        let command = entry.template("command")?;
        entry.texts("args");
        let (spec, vault) = (draft.spec.clone(), draft.vault.clone());
        let tool = Tool::function(spec, move |_cx, _input| {
            let filled = vault.fill(&command);
            async move { Ok(json!({ "command": filled?.expose() })) }
        });
        Some(tool.work.into())
    }
}

/// Accepts the keys of a web service.
#[derive(Debug)]
struct Web;

impl Maker for Web {
    fn types(&self) -> &'static [&'static str] {
        &["http", "rest"]
    }

    fn kind(&self) -> Kind {
        Kind::Rest
    }

    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made> {
        entry.template("base_url");
        entry.template("url");
        entry.word("method", &["GET", "POST"]);
        entry.text("path");
        entry.map("headers");
        entry.any("auth");
        let spec = draft.spec.clone();
        Some(Tool::function(spec, |_cx, input| async move { Ok(input) }).work.into())
    }
}

pub(crate) async fn call(engine: &Engine, tool: &str) -> Outcome {
    engine.call(Call::new(tool, json!({}))).await
}

/// Returns what a call says, or the type of its error.
pub(crate) async fn said(engine: &Engine, tool: &str) -> String {
    match call(engine, tool).await.result {
        Ok(output) => match &output["says"] {
            Value::String(says) => says.clone(),
            _ => output.to_string(),
        },
        Err(error) => error.kind().to_string(),
    }
}

/// Waits until a call says something, for at most ten seconds.
pub(crate) async fn until_said(engine: &Engine, tool: &str, says: &str) -> Duration {
    let began = Instant::now();
    loop {
        let last = said(engine, tool).await;
        if last == says {
            return began.elapsed();
        }
        assert!(began.elapsed() < Duration::from_secs(10), "`{tool}` still says {last:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns what was heard so far: each event as `type tool`.
pub(crate) fn heard(subscription: &mut Subscription) -> Vec<String> {
    events(subscription)
        .iter()
        .map(|event| {
            let tool = event.tool_name.as_deref().unwrap_or_default();
            format!("{} {tool}", event.kind.as_str()).trim_end().to_owned()
        })
        .collect()
}

pub(crate) fn events(subscription: &mut Subscription) -> Vec<Arc<Event>> {
    let mut events = Vec::new();
    while let Some(heard) = subscription.try_next() {
        if let Heard::Event(event) = heard {
            events.push(event);
        }
    }
    events
}
