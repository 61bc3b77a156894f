//! The table of keys, the heart of the configuration: one row a key.
//!
//! Reading the file, the environment and the flags, `toolsmith config show`, the file that
//! `toolsmith init` writes and the reference page all follow from it.

use super::{
    jwt,
    kinds::{
        Age, Choice, Count, Hidden, ListOf, LogFilter, MapOf, Milliseconds, OneOrMany, Optional,
        Seconds, Slot, Switch, Text, bind,
    },
    mcp_servers,
    settings::{ByElicitation, Durability, MetricsDoor, Provider, Settings, Strategy},
    webhooks,
};

/// What a variable of the environment begins with to be ours.
pub const PREFIX: &str = "TOOLSMITH_";

/// A key: its name, what it means, and the field that it fills.
pub(super) struct Row {
    /// The dotted name.
    pub(super) name: &'static str,
    /// The key whose setting it sets, when it is only another way to write that one.
    pub(super) twin_of: Option<&'static str>,
    /// What it means, in one line.
    pub(super) help: &'static str,
    /// The field, and what it may hold.
    pub(super) slot: fn(&mut Settings) -> Box<dyn Slot + '_>,
}

impl Row {
    const fn new(
        name: &'static str,
        help: &'static str,
        slot: fn(&mut Settings) -> Box<dyn Slot + '_>,
    ) -> Self {
        Self { name, twin_of: None, help, slot }
    }

    const fn twin_of(mut self, key: &'static str) -> Self {
        self.twin_of = Some(key);
        self
    }

    /// Returns the key that `toolsmith config show` lists the setting under.
    pub(super) fn setting(&self) -> &'static str {
        self.twin_of.unwrap_or(self.name)
    }

    /// Returns the name of its variable in the environment.
    pub(super) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name.replace('.', "_").to_ascii_uppercase())
    }
}

/// Finds the row of a key.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// Returns the rows of settings, without their twins.
pub(super) fn settings() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| row.twin_of.is_none())
}

/// Every key, in the order in which they are shown.
pub(super) static ROWS: &[Row] = &[
    Row::new("tools_directory", "The folder of tool definitions, or a list of folders.", |s| {
        bind(OneOrMany(Text("a folder")), &mut s.tools_directory)
    }),
    Row::new("auto_reload", "Look for changed definitions every `reload_interval`.", |s| {
        bind(Switch, &mut s.auto_reload)
    }),
    Row::new("reload_interval", "Seconds between two looks for changed definitions.", |s| {
        bind(Seconds, &mut s.reload_interval)
    }),
    Row::new("watch_for_changes", "Notice changed definitions at once, by file events.", |s| {
        bind(Switch, &mut s.watch_for_changes)
    }),
    Row::new(
        "strict_validation",
        "Refuse unknown parameters of calls, and take warnings about definitions for errors.",
        |s| bind(Switch, &mut s.strict_validation),
    ),
    Row::new("data_directory", "The folder of the database and artifacts.", |s| {
        bind(Text("a folder"), &mut s.data_directory)
    }),
    Row::new("allowed_paths", "The folders that file tools may read and change.", |s| {
        bind(ListOf(Text("a folder")), &mut s.allowed_paths)
    }),
    Row::new(
        "network.allow",
        "Private hosts, networks and ports that network tools may reach: `10.0.0.0/8`, `wiki:8080`.",
        |s| bind(ListOf(Text("a host or network")), &mut s.network_allow),
    ),
    Row::new("log", "What is logged to standard error.", |s| bind(LogFilter, &mut s.log)),
    Row::new("limits.max_concurrent", "How many calls run at once.", |s| {
        bind(Count { least: 1 }, &mut s.limits.max_concurrent)
    }),
    Row::new("limits.queue_size", "How many calls wait for a slot; more are rejected.", |s| {
        bind(Count { least: 0 }, &mut s.limits.queue_size)
    }),
    Row::new("limits.default_timeout", "Seconds that a call may take, waiting included.", |s| {
        bind(Seconds, &mut s.limits.default_timeout)
    }),
    Row::new("limits.network_timeout", "The same for network tools.", |s| {
        bind(Seconds, &mut s.limits.network_timeout)
    }),
    Row::new("limits.strategy", "Who gets the next free slot.", |s| {
        bind(Choice(&STRATEGIES), &mut s.limits.strategy)
    }),
    Row::new("limits.bucket_limits", "How many calls of a category run at once.", |s| {
        bind(MapOf(Count { least: 1 }), &mut s.limits.bucket_limits)
    }),
    Row::new(
        "records.durability",
        "When a record is on disk: before the call returns (`sync`), or soon.",
        |s| bind(Choice(&DURABILITIES), &mut s.records.durability),
    ),
    Row::new("records.retention.max_age", "The age at which records are removed.", |s| {
        bind(Optional(Age), &mut s.records.retention.max_age)
    }),
    Row::new("records.retention.max_records", "How many records are kept.", |s| {
        bind(Optional(Count { least: 1 }), &mut s.records.retention.max_records)
    }),
    Row::new("records.retention.max_bytes", "How large the data folder may grow, in bytes.", |s| {
        bind(Optional(Count { least: 1 }), &mut s.records.retention.max_bytes)
    }),
    Row::new(
        "output.max_bytes",
        "The size above which an output is cut for the model, in bytes.",
        |s| bind(Count { least: 1 }, &mut s.output.max_bytes),
    ),
    Row::new("tools.timeout", "Milliseconds that a call may take.", |s| {
        bind(Milliseconds, &mut s.limits.default_timeout)
    })
    .twin_of("limits.default_timeout"),
    Row::new("tools.maxConcurrent", "How many calls run at once.", |s| {
        bind(Count { least: 1 }, &mut s.limits.max_concurrent)
    })
    .twin_of("limits.max_concurrent"),
    Row::new("tools.allowedPaths", "The folders that file tools may read and change.", |s| {
        bind(ListOf(Text("a folder")), &mut s.allowed_paths)
    })
    .twin_of("allowed_paths"),
    Row::new("tools.webSearch.provider", "Who searches the web.", |s| {
        bind(Optional(Choice(&PROVIDERS)), &mut s.web_search.provider)
    }),
    Row::new("tools.webSearch.apiKey", "The key for the provider, best as `${VAR}`.", |s| {
        bind(Optional(Hidden), &mut s.web_search.api_key)
    }),
    Row::new("tools.webSearch.maxResults", "How many results are asked for.", |s| {
        bind(Count { least: 1 }, &mut s.web_search.max_results)
    }),
    Row::new(
        "tools.webSearch.baseUrl",
        "The provider's address, where it is not the usual one.",
        |s| bind(Optional(Text("an address")), &mut s.web_search.base_url),
    ),
    Row::new(
        "tools.webSearch.engineId",
        "The identifier of a programmable search engine, which Google wants besides the key.",
        |s| bind(Optional(Text("an identifier")), &mut s.web_search.engine_id),
    ),
    Row::new("mcpServers", "The MCP servers whose tools are offered, by name.", |s| {
        bind(mcp_servers::KIND, &mut s.mcp_servers)
    }),
    Row::new("tools.mcpServers", "The same, as a list in which each has a `name`.", |s| {
        bind(mcp_servers::KIND, &mut s.mcp_servers)
    })
    .twin_of("mcpServers"),
    Row::new(
        "approvals.by_elicitation",
        "Which MCP clients approve calls in a dialogue: `stdio` is who started `toolsmith mcp`.",
        |s| bind(Choice(&ELICITED), &mut s.by_elicitation),
    ),
    Row::new("webhooks", "Who is told of events by signed requests, by name.", |s| {
        bind(webhooks::KIND, &mut s.webhooks)
    }),
    Row::new("serve.listen", "The address and port that `toolsmith serve` listens on.", |s| {
        bind(Text("an address and a port"), &mut s.serve.listen)
    }),
    Row::new(
        "serve.hosts",
        "Names by which callers and pages may reach it, besides `localhost`; `*` for any.",
        |s| bind(ListOf(Text("a name")), &mut s.serve.hosts),
    ),
    Row::new(
        "serve.origins",
        "Pages that may call it from a browser, such as `https://app.example`; `*` for any.",
        |s| bind(ListOf(Text("an origin")), &mut s.serve.origins),
    ),
    Row::new("serve.require_key", "Ask callers on this machine for a key too.", |s| {
        bind(Switch, &mut s.serve.require_key)
    }),
    Row::new("serve.tls.cert", "A certificate in PEM, with those that vouch for it.", |s| {
        bind(Optional(Text("a file")), &mut s.serve.tls_certificate)
    }),
    Row::new("serve.tls.key", "The key of the certificate, in PEM.", |s| {
        bind(Optional(Text("a file")), &mut s.serve.tls_key)
    }),
    Row::new(
        "serve.public_url",
        "The address by which clients reach it, where a proxy stands before it.",
        |s| bind(Optional(Text("an address")), &mut s.serve.public_url),
    ),
    Row::new("serve.jwt", "An issuer whose tokens open the door, or a list of such.", |s| {
        bind(jwt::KIND, &mut s.serve.jwt)
    }),
    Row::new(
        "serve.calls_per_caller",
        "How many calls of one key or token run at once; half of `limits.max_concurrent` by default.",
        |s| bind(Optional(Count { least: 1 }), &mut s.serve.calls_per_caller),
    ),
    Row::new("serve.max_body_bytes", "The largest body of a request, in bytes.", |s| {
        bind(Count { least: 1 }, &mut s.serve.max_body_bytes)
    }),
    Row::new("serve.max_connections", "How many connections are held at once.", |s| {
        bind(Count { least: 1 }, &mut s.serve.max_connections)
    }),
    Row::new("serve.read_timeout", "Seconds that a request may take to arrive.", |s| {
        bind(Seconds, &mut s.serve.read_timeout)
    }),
    Row::new("serve.shutdown_timeout", "Seconds that calls may take to end at the end.", |s| {
        bind(Seconds, &mut s.serve.shutdown_timeout)
    }),
    Row::new(
        "serve.task_after",
        "Seconds after which a call becomes a task, for MCP clients that know tasks.",
        |s| bind(Seconds, &mut s.serve.task_after),
    ),
    Row::new("serve.max_mcp_sessions", "How many MCP sessions are held at once.", |s| {
        bind(Count { least: 1 }, &mut s.serve.max_mcp_sessions)
    }),
    Row::new(
        "serve.mcp_session_timeout",
        "Seconds after which an MCP session ends that nobody uses.",
        |s| bind(Seconds, &mut s.serve.mcp_session_timeout),
    ),
    Row::new(
        "serve.metrics",
        "Who may read `/metrics`: administrators and who has `serve.metrics_key`, everybody, nobody.",
        |s| bind(Choice(&METRICS), &mut s.serve.metrics),
    ),
    Row::new("serve.metrics_key", "A key that opens `/metrics` and nothing else.", |s| {
        bind(Optional(Hidden), &mut s.serve.metrics_key)
    }),
    Row::new(
        "serve.compression",
        "Pack answers of 1 KiB and more by gzip for clients that take them so.",
        |s| bind(Switch, &mut s.serve.compression),
    ),
    Row::new(
        "serve.access_log",
        "A line of JSON for each request: `on` for standard error, or a file; `off` for none.",
        |s| bind(Text("`off`, `on` or a file"), &mut s.serve.access_log),
    ),
    Row::new(
        "telemetry.endpoint",
        "Where `serve` and `mcp` send traces and metrics: an OTLP collector, by HTTP.",
        |s| bind(Optional(Text("an address")), &mut s.telemetry.endpoint),
    ),
    Row::new("telemetry.headers", "Headers of every request to the collector.", |s| {
        bind(MapOf(Hidden), &mut s.telemetry.headers)
    }),
    Row::new("telemetry.service_name", "The `service.name` in traces and metrics.", |s| {
        bind(Optional(Text("a name")), &mut s.telemetry.service_name)
    }),
    Row::new(
        "telemetry.sampler",
        "Which traces are kept: `parentbased_always_on`, or `traceidratio:0.1` for a tenth.",
        |s| bind(Optional(Text("a sampler")), &mut s.telemetry.sampler),
    ),
];

static STRATEGIES: [(&str, Strategy); 3] =
    [("fifo", Strategy::Fifo), ("priority", Strategy::Priority), ("reject", Strategy::Reject)];

static METRICS: [(&str, MetricsDoor); 3] =
    [("admin", MetricsDoor::Admin), ("open", MetricsDoor::Open), ("off", MetricsDoor::Off)];

static DURABILITIES: [(&str, Durability); 2] =
    [("batched", Durability::Batched), ("sync", Durability::Sync)];

static ELICITED: [(&str, ByElicitation); 3] = [
    ("stdio", ByElicitation::Stdio),
    ("always", ByElicitation::Always),
    ("never", ByElicitation::Never),
];

static PROVIDERS: [(&str, Provider); 5] = [
    ("tavily", Provider::Tavily),
    ("google", Provider::Google),
    ("bing", Provider::Bing),
    ("duckduckgo", Provider::Duckduckgo),
    ("searxng", Provider::Searxng),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::Environment;

    #[test]
    fn names_and_variables_are_unique_and_twins_exist() {
        let names: BTreeSet<_> = ROWS.iter().map(|row| row.name).collect();
        let variables: BTreeSet<_> = ROWS.iter().map(Row::variable).collect();
        assert_eq!((names.len(), variables.len()), (ROWS.len(), ROWS.len()));
        for row in ROWS {
            let setting = find(row.setting()).unwrap();
            assert!(setting.twin_of.is_none(), "{}", row.name);
            assert!(row.help.ends_with('.'), "{}", row.name);
        }
    }

    #[test]
    fn no_key_is_also_a_section() {
        for row in ROWS {
            let section = format!("{}.", row.name);
            assert!(!ROWS.iter().any(|other| other.name.starts_with(&section)), "{section}");
        }
    }

    #[test]
    fn every_default_is_a_value_that_its_own_key_accepts() {
        let mut settings = Settings::default();
        for row in super::settings() {
            let shown = (row.slot)(&mut settings).show();
            let node = crate::config::yaml::parse(&shown.to_string()).unwrap().remove(0);
            let read = (row.slot)(&mut settings).read(&node, &Environment::default());
            assert!(read.is_ok(), "{}", row.name);
            assert_eq!((row.slot)(&mut settings).show(), shown, "{}", row.name);
        }
    }
}
