//! The MCP servers of the settings, in the words of the connector.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use toolsmith_connectors::mcp::{
    Address, CALL_TIMEOUT, ClientCredentials, Credentials, Link, OnChange, Prefix, Program,
    Registered, START_TIMEOUT, Selection, ServerSettings, Start,
};
use toolsmith_core::{Confinement, Secret, Template};

use crate::config::{McpAuth, McpOnChange, McpSandbox, McpServer, McpStart, Settings};

/// The word that stands for no prefix.
const NO_PREFIX: &str = "none";

/// Returns the servers that are in use.
pub(super) fn servers(settings: &Settings) -> Vec<ServerSettings> {
    let in_use = settings.mcp_servers.iter().filter(|server| server.enabled && !server.disabled);
    in_use.filter_map(server).collect()
}

fn server(server: &McpServer) -> Option<ServerSettings> {
    Some(ServerSettings {
        name: server.name.clone(),
        link: link(server)?,
        prefix: match server.prefix.as_deref() {
            None => Prefix::Name,
            Some(NO_PREFIX) => Prefix::None,
            Some(text) => Prefix::Text(text.to_owned()),
        },
        start: match server.start {
            McpStart::Lazy => Start::Lazy,
            McpStart::Eager => Start::Eager,
        },
        start_timeout: server.start_timeout.unwrap_or(START_TIMEOUT),
        call_timeout: server.timeout.unwrap_or(CALL_TIMEOUT),
        selection: Selection { allow: server.tools.allow.clone(), deny: server.tools.deny.clone() },
        on_change: match server.on_change {
            McpOnChange::Accept => OnChange::Accept,
            McpOnChange::Approve => OnChange::Approve,
        },
        roots: server.roots.iter().map(PathBuf::from).collect(),
        // Relative paths are relative to the current folder, as everywhere in the settings.
        folder: Path::new(".").to_owned(),
    })
}

fn link(server: &McpServer) -> Option<Link> {
    if let Some(url) = &server.url {
        return Some(Link::Http(Address {
            url: url.clone(),
            headers: pairs(&server.headers),
            credentials: server.auth.as_ref().and_then(credentials),
            login: server.auth.as_ref().map(login).unwrap_or_default(),
        }));
    }
    Some(Link::Stdio(Program {
        command: server.command.clone()?,
        args: server.args.clone(),
        env: pairs(&server.env),
        cwd: server.cwd.clone(),
        sandbox: confinement(&server.sandbox),
    }))
}

fn confinement(sandbox: &McpSandbox) -> Option<Confinement> {
    let count = |number: Option<usize>| number.and_then(|number| u64::try_from(number).ok());
    Some(Confinement {
        read: sandbox.read.clone(),
        write: sandbox.write.clone(),
        hosts: sandbox.hosts.clone(),
        memory: count(sandbox.memory_mb).map(|megabytes| megabytes.saturating_mul(1 << 20)),
        cpu_seconds: count(sandbox.cpu_seconds),
        processes: count(sandbox.processes),
        ..Confinement::new(sandbox.profile?)
    })
}

fn pairs(map: &BTreeMap<String, Secret<Template>>) -> Vec<(String, Template)> {
    map.iter().map(|(name, value)| (name.clone(), value.expose().clone())).collect()
}

fn login(auth: &McpAuth) -> Registered {
    Registered {
        client_id: auth.client_id.clone(),
        client_secret: auth.client_secret.as_ref().map(|secret| secret.expose().clone()),
        scope: auth.scope.clone(),
    }
}

fn credentials(auth: &McpAuth) -> Option<Credentials> {
    Some(Credentials::client(ClientCredentials {
        token_url: auth.token_url.clone()?,
        client_id: auth.client_id.clone()?,
        client_secret: auth.client_secret.as_ref()?.expose().clone(),
        scope: auth.scope.clone(),
        audience: auth.audience.clone(),
    }))
}
