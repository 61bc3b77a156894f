//! A folder with files in it, a folder outside that nobody may touch, and the tools between.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use tempfile::TempDir;
use tokio::time::Instant;
use toolsmith_builtins::Settings;
use toolsmith_core::{
    BoxFuture, Call, CallId, Caller, Context, Outcome, Timestamp, Tool, ToolContext, ToolError,
    Value, Variables, Work,
};
use toolsmith_testing::clock::TestClock;

/// What is written in the file outside; it must appear in no output.
pub(crate) const CANARY: &str = "canary-5f1d0c";

/// When the files inside were last changed: midnight of 1 January 2026.
const START: Duration = Duration::from_hours(490_896);

/// Stands in for the engine; the built-in tools here call no other tools.
#[derive(Debug)]
struct Nobody;

impl Caller for Nobody {
    fn call(&self, _call: Call) -> BoxFuture<'_, Outcome> {
        Box::pin(std::future::pending())
    }
}

/// Variables that are given once.
#[derive(Debug)]
struct Given;

impl Variables for Given {
    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "LANG" => Some("en_US.UTF-8".to_owned()),
            "SERVICE_API_KEY" => Some(CANARY.to_owned()),
            _ => None,
        }
    }

    fn file(&self, path: &str) -> Result<String, String> {
        Err(format!("there is no file `{path}`"))
    }

    fn has_file(&self, _path: &str) -> bool {
        false
    }
}

/// The folder, the tools, and what is outside.
pub(crate) struct Workbench {
    folder: TempDir,
    tools: Vec<Tool>,
}

impl Workbench {
    /// Makes `data/notes.txt` inside and `outside/secret.txt` beside it.
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("data")).unwrap();
        fs::create_dir_all(path("outside/full")).unwrap();
        fs::write(path("outside/secret.txt"), CANARY).unwrap();
        fs::write(path("outside/full/secret.txt"), CANARY).unwrap();
        fs::write(path("data/notes.txt"), "first line\nsecond line\n").unwrap();
        for name in ["data/notes.txt", "outside/secret.txt", "outside/full/secret.txt"] {
            let file = fs::OpenOptions::new().write(true).open(path(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + START).unwrap();
        }
        let tools = toolsmith_builtins::all_with(&settings(folder.path())).unwrap();
        Self { folder, tools }
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns a path inside the allowed folder.
    pub(crate) fn inside(&self, name: &str) -> PathBuf {
        self.folder.path().join("data").join(name)
    }

    /// Returns a path beside the allowed folder.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join("outside").join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.inside(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.inside(name)).unwrap()
    }

    /// Makes a link inside.
    pub(crate) fn link(&self, name: &str, to: impl AsRef<Path>) {
        std::os::unix::fs::symlink(to, self.inside(name)).unwrap();
    }

    /// Runs a tool that holds its thread.
    pub(crate) fn call(&self, tool: &str, input: Value) -> Result<Value, ToolError> {
        self.call_as(Context::default(), tool, input)
    }

    pub(crate) fn call_as(
        &self,
        context: Context,
        tool: &str,
        input: Value,
    ) -> Result<Value, ToolError> {
        let tool = self.tools.iter().find(|known| known.spec.name.as_str() == tool).unwrap();
        match &tool.work {
            Work::Blocking(work) => work.execute(&context_of(tool, context), input),
            _ => panic!("{} does not hold its thread", tool.spec.name),
        }
    }

    /// Runs a tool whose caller has gone already.
    pub(crate) fn call_too_late(&self, tool: &str, input: Value) -> Result<Value, ToolError> {
        let tool = self.tools.iter().find(|known| known.spec.name.as_str() == tool).unwrap();
        let cx = context_of(tool, Context::default());
        cx.cancellation().cancel();
        match &tool.work {
            Work::Blocking(work) => work.execute(&cx, input),
            _ => panic!("{} does not hold its thread", tool.spec.name),
        }
    }

    /// Runs any tool.
    pub(crate) async fn run(&self, tool: &str, input: Value) -> Result<Value, ToolError> {
        self.run_as(Context::default(), tool, input).await
    }

    pub(crate) async fn run_as(
        &self,
        context: Context,
        tool: &str,
        input: Value,
    ) -> Result<Value, ToolError> {
        let tool = self.tools.iter().find(|known| known.spec.name.as_str() == tool).unwrap();
        let cx = context_of(tool, context);
        match &tool.work {
            Work::Async(executor) => executor.execute(&cx, input).await,
            Work::Blocking(work) => work.execute(&cx, input),
            other => panic!("{} is {other:?}", tool.spec.name),
        }
    }

    /// Describes everything outside: names, contents, times and modes.
    pub(crate) fn world(&self) -> Vec<String> {
        let mut world = Vec::new();
        describe(&self.folder.path().join("outside"), &mut world).unwrap();
        for entry in fs::read_dir(self.folder.path()).unwrap() {
            world.push(entry.unwrap().file_name().to_string_lossy().into_owned());
        }
        world.sort();
        world
    }
}

fn settings(folder: &Path) -> Settings {
    Settings {
        clock: Arc::new(TestClock::new()),
        variables: Arc::new(Given),
        ..Settings::new(folder)
    }
}

fn context_of(tool: &Tool, context: Context) -> ToolContext {
    let call_id = CallId::from_parts(Timestamp::from_millis(0), fastrand::u64(..));
    let deadline = Instant::now() + Duration::from_secs(30);
    ToolContext::new(call_id, tool.spec.name.text().clone(), context, deadline, Arc::new(Nobody))
}

fn describe(path: &Path, world: &mut Vec<String>) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::symlink_metadata(path)?;
    let times = (metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec());
    let content = if metadata.is_file() { fs::read(path)? } else { Vec::new() };
    world.push(format!("{} {times:?} {:o} {content:?}", path.display(), metadata.mode()));
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            describe(&entry?.path(), world)?;
        }
    }
    Ok(())
}
