//! What the tests share: servers of scripts, in an engine.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tempfile::TempDir;
use tokio::time::{Instant, sleep};
use toolsmith_children::{Children, find};
use toolsmith_connectors::mcp::{Link, Program, ServerSettings, Servers, Surroundings};
use toolsmith_core::{Call, Outcome, Redactor, Template, Value, Vault};
use toolsmith_engine::{Builder, Engine};
use toolsmith_net::Client;
use toolsmith_testing::skip;

/// Where programs are looked for.
pub(crate) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Every revision of the protocol.
pub(crate) const REVISIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// An engine with the tools of servers.
pub(crate) struct Bench {
    pub(crate) engine: Engine,
    pub(crate) servers: Servers,
    pub(crate) folder: TempDir,
}

impl Bench {
    /// Makes an engine; servers remember in a folder of the bench.
    pub(crate) fn new(settings: Vec<ServerSettings>) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), settings)
    }

    pub(crate) fn in_folder(folder: TempDir, settings: Vec<ServerSettings>) -> Self {
        Self::around(surroundings(folder.path()), folder, Engine::builder(), settings)
    }

    /// Makes an engine that takes out of its outcomes whatever secret the servers know.
    pub(crate) fn discreet(folder: TempDir, settings: Vec<ServerSettings>) -> Self {
        let redactor = Redactor::default();
        let around = surroundings_with(folder.path(), redactor.clone());
        Self::around(around, folder, Engine::builder().with_redactor(redactor), settings)
    }

    pub(crate) fn around(
        surroundings: Surroundings,
        folder: TempDir,
        builder: Builder,
        settings: Vec<ServerSettings>,
    ) -> Self {
        let servers = Servers::new(surroundings, settings);
        let engine = builder.build().unwrap();
        servers.attach(&engine, Arc::new(|_| false));
        Self { engine, servers, folder }
    }

    /// The same, with every server started.
    pub(crate) async fn started(settings: Vec<ServerSettings>) -> Self {
        let bench = Self::new(settings);
        let failed = bench.servers.load().await;
        assert!(failed.is_empty(), "{failed:?}");
        bench
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> Outcome {
        self.engine.call(Call::new(tool, input)).await
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.engine.registry().names().iter().map(|name| name.as_str().to_owned()).collect()
    }
}

pub(crate) fn surroundings(memory: &Path) -> Surroundings {
    surroundings_with(memory, Redactor::default())
}

/// The same, with secrets told to somebody who takes them out.
pub(crate) fn surroundings_with(memory: &Path, redactor: Redactor) -> Surroundings {
    let mut environment = BTreeMap::from([("PATH".to_owned(), PATH.to_owned())]);
    environment.insert("SECRET_KEY".to_owned(), "hidden".to_owned());
    environment.insert("HOME".to_owned(), memory.display().to_string());
    let net = Client::new(toolsmith_net::Settings::default()).unwrap();
    let vault = Vault::with_values([("TOKEN", "s3cret-token")], redactor);
    Surroundings::new(Children::new(), &environment, net, vault).with_memory(memory.join("mcp"))
}

/// Describes a server that is a program.
pub(crate) fn program(name: &str, command: &str, args: &[&str]) -> ServerSettings {
    let mut program = Program::new(Template::literal(command));
    program.args = args.iter().map(|arg| Template::literal(*arg)).collect();
    let mut settings = ServerSettings::new(name, Link::Stdio(program));
    settings.start_timeout = Duration::from_secs(30);
    settings
}

/// Describes a server of the script; nothing where there is no interpreter for it.
pub(crate) fn scripted(name: &str, args: &[&str]) -> Option<ServerSettings> {
    if find("python3", PATH, Path::new("/")).is_err() {
        skip("python3 is not installed");
        return None;
    }
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/scripted.py");
    let mut all = vec![script.to_str().unwrap()];
    all.extend(args);
    Some(program(name, "python3", &all))
}

/// Waits until something is so, within a bound.
pub(crate) async fn poll(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "not in time: {what}");
        sleep(Duration::from_millis(5)).await;
    }
}
