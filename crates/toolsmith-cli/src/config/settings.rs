//! The settings in force: plain fields, filled from the table of keys.

use std::{collections::BTreeMap, time::Duration};

use toolsmith_core::{SandboxProfile, Secret};

use super::{JwtIssuer, Template, Webhook};

/// Everything that can be configured; `Default` holds the default of every key.
///
/// Relative paths are relative to the current folder.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where tool definitions are.
    pub tools_directory: Vec<Template>,
    /// Whether changed definitions are noticed by looking at them now and then.
    pub auto_reload: bool,
    /// How long to wait between two looks.
    pub reload_interval: Duration,
    /// Whether changed definitions are noticed by file events.
    pub watch_for_changes: bool,
    /// Whether an unknown parameter of a call, and every warning about a definition, is an error.
    pub strict_validation: bool,
    /// How many calls, how long.
    pub limits: Limits,
    /// How records of calls are kept.
    pub records: Records,
    /// How outputs are shown to models.
    pub output: OutputSettings,
    /// Where the database and artifacts are.
    pub data_directory: Template,
    /// What is logged.
    pub log: String,
    /// The folders that file tools may touch.
    pub allowed_paths: Vec<Template>,
    /// The private hosts and networks that network tools may reach.
    pub network_allow: Vec<Template>,
    /// How the web is searched.
    pub web_search: WebSearch,
    /// The MCP servers whose tools are offered.
    pub mcp_servers: Vec<McpServer>,
    /// From whom an approval can come in answer to a question over MCP.
    pub by_elicitation: ByElicitation,
    /// Who is told of events.
    pub webhooks: Vec<Webhook>,
    /// How other programs are served.
    pub serve: Serve,
    /// Where traces and metrics are sent.
    pub telemetry: TelemetrySettings,
}

/// Where traces and metrics are sent.
#[derive(Clone, Debug, Default)]
pub struct TelemetrySettings {
    /// The address of the collector; nothing is sent without one.
    pub endpoint: Option<Template>,
    /// Headers of every request to it.
    pub headers: BTreeMap<String, Secret<Template>>,
    /// What we are called there.
    pub service_name: Option<Template>,
    /// Which traces are kept.
    pub sampler: Option<Template>,
}

/// Who may read the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetricsDoor {
    /// Administrators, and whoever has the key for metrics.
    #[default]
    Admin,
    /// Everybody.
    Open,
    /// Nobody.
    Off,
}

/// From whom an approval can come in answer to a question over MCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByElicitation {
    /// From whoever started `toolsmith mcp`.
    #[default]
    Stdio,
    /// From the person at any client.
    Always,
    /// From nobody.
    Never,
}

/// How other programs are served.
#[derive(Clone, Debug)]
pub struct Serve {
    /// The address and port that is listened on.
    pub listen: Template,
    /// The names by which it is called, besides those of this machine.
    pub hosts: Vec<Template>,
    /// The origins of pages that may call it, besides those names.
    pub origins: Vec<Template>,
    /// Whether callers on this machine need a key too.
    pub require_key: bool,
    /// The certificate for TLS and those that vouch for it.
    pub tls_certificate: Option<Template>,
    /// The key of the certificate.
    pub tls_key: Option<Template>,
    /// How clients reach it, where that is not the name that their requests use.
    pub public_url: Option<Template>,
    /// Whose tokens open the door.
    pub jwt: Vec<JwtIssuer>,
    /// How many calls of one caller run at once; half of all when nothing is said.
    pub calls_per_caller: Option<usize>,
    /// The largest body of a request.
    pub max_body_bytes: usize,
    /// How many connections are held at once.
    pub max_connections: usize,
    /// How long a request may take to arrive.
    pub read_timeout: Duration,
    /// How long calls under way may take to end at the end.
    pub shutdown_timeout: Duration,
    /// After how long a call becomes a task, for MCP clients that know tasks.
    pub task_after: Duration,
    /// How many MCP sessions are held at once.
    pub max_mcp_sessions: usize,
    /// How long an MCP session is held that nobody uses.
    pub mcp_session_timeout: Duration,
    /// Who may read the metrics.
    pub metrics: MetricsDoor,
    /// A key that opens the metrics and nothing else.
    pub metrics_key: Option<Secret<Template>>,
    /// Whether large answers are packed.
    pub compression: bool,
    /// Where a line is written for each request: `off`, `on` or a file.
    pub access_log: Template,
}

/// How many calls, how long.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "fields have the names of their keys")]
pub struct Limits {
    /// How many calls run at once.
    pub max_concurrent: usize,
    /// How many calls wait.
    pub queue_size: usize,
    /// How long a call may take.
    pub default_timeout: Duration,
    /// How long a call of a network tool may take.
    pub network_timeout: Duration,
    /// Who is next.
    pub strategy: Strategy,
    /// How many calls of a category run at once.
    pub bucket_limits: BTreeMap<String, usize>,
}

/// Who is next when a slot becomes free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Who came first.
    #[default]
    Fifo,
    /// Who has the highest priority; waiting counts.
    Priority,
    /// Nobody waits: a call without a slot is refused.
    Reject,
}

/// How records of calls are kept.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// When a record is on disk.
    pub durability: Durability,
    /// How long records are kept.
    pub retention: Retention,
}

/// When a record is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Shortly after the call.
    #[default]
    Batched,
    /// Before the call returns.
    Sync,
}

/// How long records are kept; a field without a value sets no bound.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "fields have the names of their keys")]
pub struct Retention {
    /// The age at which records go.
    pub max_age: Option<Duration>,
    /// The number of records that stay.
    pub max_records: Option<usize>,
    /// The size of the data folder above which the oldest go.
    pub max_bytes: Option<usize>,
}

/// How outputs are shown to models.
#[derive(Clone, Debug)]
pub struct OutputSettings {
    /// The size above which an output is cut and kept whole as an artifact.
    pub max_bytes: usize,
}

/// How the web is searched.
#[derive(Clone, Debug)]
pub struct WebSearch {
    /// Who searches; nobody when not set.
    pub provider: Option<Provider>,
    /// The key for the provider.
    pub api_key: Option<Secret<Template>>,
    /// How many results are asked for.
    pub max_results: usize,
    /// The provider's address, where it is not the usual one.
    pub base_url: Option<Template>,
    /// The identifier of a programmable search engine, which Google wants besides the key.
    pub engine_id: Option<Template>,
}

/// Who searches the web.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Tavily.
    Tavily,
    /// Google.
    Google,
    /// Bing.
    Bing,
    /// `DuckDuckGo`.
    Duckduckgo,
    /// A `SearXNG` instance.
    Searxng,
}

/// An MCP server whose tools are offered: reached by its address, or started by its command.
#[derive(Clone, Debug)]
pub struct McpServer {
    /// The name, also the prefix of its tools.
    pub name: String,
    /// How it is spoken to; the other keys say it too.
    pub transport: Option<McpTransport>,
    /// The address of a server that runs.
    pub url: Option<Template>,
    /// What is sent along with every request.
    pub headers: BTreeMap<String, Secret<Template>>,
    /// How a token is fetched that is sent along.
    pub auth: Option<McpAuth>,
    /// The program of a server that is started.
    pub command: Option<Template>,
    /// The program's arguments.
    pub args: Vec<Template>,
    /// The program's variables.
    pub env: BTreeMap<String, Secret<Template>>,
    /// The folder that the program starts in.
    pub cwd: Option<Template>,
    /// What the program may see, reach and use.
    pub sandbox: McpSandbox,
    /// What stands before the names of its tools; `none` for nothing.
    pub prefix: Option<String>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// How long it may take to start.
    pub start_timeout: Option<Duration>,
    /// When it is started.
    pub start: McpStart,
    /// Which of its tools are offered.
    pub tools: McpTools,
    /// What happens when it changes the definition of a tool.
    pub on_change: McpOnChange,
    /// The folders that it is told of when it asks.
    pub roots: Vec<String>,
    /// Whether it is used.
    pub enabled: bool,
    /// Whether it is not used, as other programs write it.
    pub disabled: bool,
}

/// What the program of an MCP server may see, reach and use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpSandbox {
    /// How much is held back; nothing when it runs without a sandbox.
    pub profile: Option<SandboxProfile>,
    /// Files and folders that it may read.
    pub read: Vec<String>,
    /// Files and folders that it may change.
    pub write: Vec<String>,
    /// Hosts that it may reach.
    pub hosts: Vec<String>,
    /// Megabytes of memory.
    pub memory_mb: Option<usize>,
    /// Seconds of processor time.
    pub cpu_seconds: Option<usize>,
    /// Processes at once.
    pub processes: Option<usize>,
}

/// How an MCP server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpTransport {
    /// On standard input and output.
    Stdio,
    /// By streamable HTTP.
    Http,
    /// By the transport that streamable HTTP replaced.
    Sse,
}

/// When an MCP server is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McpStart {
    /// When it is needed.
    #[default]
    Lazy,
    /// With the program.
    Eager,
}

/// What happens when an MCP server changes the definition of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McpOnChange {
    /// The change is taken.
    #[default]
    Accept,
    /// The change waits for a person.
    Approve,
}

/// Which tools of an MCP server are offered.
#[derive(Clone, Debug, Default)]
pub struct McpTools {
    /// Only these; all when there are none.
    pub allow: Vec<String>,
    /// Not these.
    pub deny: Vec<String>,
}

/// How a token for an MCP server is fetched: `OAuth` 2, client credentials, or a login.
///
/// Without `token_url`, a person logs in, as the client that is named here.
#[derive(Clone, Debug, Default)]
pub struct McpAuth {
    /// Where tokens are given.
    pub token_url: Option<Template>,
    /// Who asks.
    pub client_id: Option<Template>,
    /// What proves it.
    pub client_secret: Option<Secret<Template>>,
    /// What the token shall be good for.
    pub scope: Option<Template>,
    /// Whom the token shall be shown to.
    pub audience: Option<Template>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tools_directory: vec![Template::literal("tools")],
            auto_reload: true,
            reload_interval: Duration::from_secs(5),
            watch_for_changes: false,
            strict_validation: false,
            limits: Limits::default(),
            records: Records::default(),
            output: OutputSettings { max_bytes: 65_536 },
            data_directory: Template::literal(".toolsmith"),
            log: "warn".to_owned(),
            allowed_paths: vec![Template::literal("./data")],
            network_allow: Vec::new(),
            web_search: WebSearch::default(),
            mcp_servers: Vec::new(),
            by_elicitation: ByElicitation::default(),
            webhooks: Vec::new(),
            serve: Serve::default(),
            telemetry: TelemetrySettings::default(),
        }
    }
}

impl Default for Serve {
    fn default() -> Self {
        Self {
            listen: Template::literal("127.0.0.1:8001"),
            hosts: Vec::new(),
            origins: Vec::new(),
            require_key: false,
            tls_certificate: None,
            tls_key: None,
            public_url: None,
            jwt: Vec::new(),
            calls_per_caller: None,
            max_body_bytes: 16 << 20,
            max_connections: 16_384,
            read_timeout: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(30),
            task_after: Duration::from_secs(10),
            max_mcp_sessions: 10_000,
            mcp_session_timeout: Duration::from_mins(30),
            metrics: MetricsDoor::Admin,
            metrics_key: None,
            compression: true,
            access_log: Template::literal("off"),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_concurrent: 10,
            queue_size: 100,
            default_timeout: Duration::from_secs(30),
            network_timeout: Duration::from_mins(1),
            strategy: Strategy::Fifo,
            bucket_limits: BTreeMap::new(),
        }
    }
}

impl Default for WebSearch {
    fn default() -> Self {
        Self { provider: None, api_key: None, max_results: 10, base_url: None, engine_id: None }
    }
}

impl Default for McpServer {
    fn default() -> Self {
        Self {
            name: String::new(),
            transport: None,
            url: None,
            headers: BTreeMap::new(),
            auth: None,
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            sandbox: McpSandbox::default(),
            prefix: None,
            timeout: None,
            start_timeout: None,
            start: McpStart::Lazy,
            tools: McpTools::default(),
            on_change: McpOnChange::Accept,
            roots: Vec::new(),
            enabled: true,
            disabled: false,
        }
    }
}
