//! Calls through an MCP server: our processor time beside that of the bare library.

mod echo;

use std::{collections::BTreeMap, fs, process::Stdio, sync::Arc};

use anyhow::{Context, Result, ensure};
use rmcp::{ServiceExt, model::CallToolRequestParams};
use serde_json::json;
use toolsmith_children::Children;
use toolsmith_connectors::mcp::{Link, Program, ServerSettings, Servers, Surroundings};
use toolsmith_core::{Call, Redactor, Template, Vault};
use toolsmith_engine::Engine;

pub(crate) use self::echo::serve;
use crate::{
    arguments::Arguments,
    machine::{as_f64, median, rounded},
};

/// How often both sides are measured, in turn: the machine may have other work.
const ROUNDS: usize = 5;

/// Measures both sides.
pub(crate) fn bench(arguments: &Arguments) -> Result<()> {
    let calls = arguments.number("calls", 5_000)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(measure(calls))?;
    serde_json::to_writer_pretty(std::io::stdout(), &report)?;
    Ok(())
}

async fn measure(calls: usize) -> Result<serde_json::Value> {
    let starts = tempfile::NamedTempFile::new()?;
    let mut ours = Vec::new();
    let mut bare = Vec::new();
    let through = Ours::start(starts.path().to_str().context("no path")?).await?;
    let plain = Bare::start().await?;
    for _ in 0..ROUNDS {
        bare.push(plain.calls(calls).await?);
        ours.push(through.calls(calls).await?);
    }
    through.servers.close().await;
    let started = fs::read_to_string(starts.path())?.lines().count();
    let (ours, bare) = (median(ours), median(bare));
    Ok(json!({
        "calls": calls * ROUNDS,
        "processes_started": started,
        "cpu_us_per_call": { "toolsmith": rounded(ours), "bare_rmcp": rounded(bare) },
        "ratio": rounded(ours / bare),
    }))
}

/// Calls through the engine.
struct Ours {
    engine: Engine,
    servers: Servers,
}

impl Ours {
    async fn start(starts: &str) -> Result<Self> {
        let mut program = Program::new(Template::literal(this_program()?));
        program.args = ["serve-mcp-echo", "--starts", starts].map(Template::literal).into();
        let net = toolsmith_net::Client::new(toolsmith_net::Settings::default())?;
        let nothing: [(&str, &str); 0] = [];
        let vault = Vault::with_values(nothing, Redactor::default());
        let surroundings = Surroundings::new(Children::new(), &BTreeMap::new(), net, vault);
        let settings = ServerSettings::new("bench", Link::Stdio(program));
        let servers = Servers::new(surroundings, vec![settings]);
        let engine = Engine::builder().build()?;
        servers.attach(&engine, Arc::new(|_| false));
        let failed = servers.load().await;
        ensure!(failed.is_empty(), "{failed:?}");
        Ok(Self { engine, servers })
    }

    async fn calls(&self, count: usize) -> Result<f64> {
        let before = processor_nanos()?;
        for _ in 0..count {
            let outcome =
                self.engine.call(Call::new("bench__echo", json!({ "text": "hello" }))).await;
            ensure!(*outcome.output() == json!("hello"), "{outcome:?}");
        }
        micros_each(before, count)
    }
}

/// Calls through the library alone.
struct Bare {
    client: rmcp::service::RunningService<rmcp::RoleClient, ()>,
    _server: tokio::process::Child,
}

impl Bare {
    async fn start() -> Result<Self> {
        let mut server = tokio::process::Command::new(this_program()?)
            .arg("serve-mcp-echo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let pipes = server.stdout.take().zip(server.stdin.take()).context("no pipes")?;
        let client = ().serve(pipes).await?;
        Ok(Self { client, _server: server })
    }

    async fn calls(&self, count: usize) -> Result<f64> {
        let before = processor_nanos()?;
        for _ in 0..count {
            let arguments = json!({ "text": "hello" });
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let params = CallToolRequestParams::new("echo").with_arguments(arguments);
            let result = self.client.call_tool(params).await?;
            ensure!(result.content.len() == 1, "{result:?}");
        }
        micros_each(before, count)
    }
}

fn this_program() -> Result<String> {
    let path = std::env::current_exe()?;
    path.to_str().map(ToOwned::to_owned).context("the path of this program is no text")
}

fn micros_each(before: u64, count: usize) -> Result<f64> {
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a benchmark are below 2^52")]
    let took = (processor_nanos()? - before) as f64;
    Ok(took / 1_000.0 / as_f64(count))
}

/// Returns the processor time of all threads of this process.
fn processor_nanos() -> Result<u64> {
    let mut sum = 0;
    for task in fs::read_dir("/proc/self/task")? {
        // A thread may end between the list and the look.
        let Ok(text) = fs::read_to_string(task?.path().join("schedstat")) else { continue };
        let first = text.split_whitespace().next().context("no time in schedstat")?;
        sum += first.parse::<u64>()?;
    }
    Ok(sum)
}
