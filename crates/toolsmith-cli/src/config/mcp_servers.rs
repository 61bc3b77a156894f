//! The keys of an MCP server.

use super::{
    kinds::{
        Choice, Field, Hidden, ListOf, MapOf, Named, Optional, Record, Seconds, Switch, Text, Word,
        bind,
    },
    sandbox::Sandbox,
    settings::{McpAuth, McpOnChange, McpServer, McpStart, McpTools, McpTransport},
};

/// Servers by name, as other programs write them, or as a list.
pub(super) const KIND: Named<Record<McpServer>> =
    Named { items: Record { fields: &SERVER, check: check_server }, name: |server| &server.name };

static SERVER: [Field<McpServer>; 19] = [
    Field { name: "name", slot: |s| bind(Word, &mut s.name) },
    Field { name: "type", slot: |s| bind(Optional(Choice(&TRANSPORTS)), &mut s.transport) },
    Field { name: "url", slot: |s| bind(Optional(Text("an address")), &mut s.url) },
    Field { name: "headers", slot: |s| bind(MapOf(Hidden), &mut s.headers) },
    Field {
        name: "auth",
        slot: |s| bind(Optional(Record { fields: &AUTH, check: check_auth }), &mut s.auth),
    },
    Field { name: "command", slot: |s| bind(Optional(Text("a program")), &mut s.command) },
    Field { name: "args", slot: |s| bind(ListOf(Text("text")), &mut s.args) },
    Field { name: "env", slot: |s| bind(MapOf(Hidden), &mut s.env) },
    Field { name: "cwd", slot: |s| bind(Optional(Text("a folder")), &mut s.cwd) },
    Field { name: "sandbox", slot: |s| bind(Sandbox, &mut s.sandbox) },
    Field { name: "prefix", slot: |s| bind(Optional(Word), &mut s.prefix) },
    Field { name: "timeout", slot: |s| bind(Optional(Seconds), &mut s.timeout) },
    Field { name: "start_timeout", slot: |s| bind(Optional(Seconds), &mut s.start_timeout) },
    Field { name: "start", slot: |s| bind(Choice(&STARTS), &mut s.start) },
    Field {
        name: "tools",
        slot: |s| bind(Record { fields: &TOOLS, check: |_| None }, &mut s.tools),
    },
    Field { name: "on_change", slot: |s| bind(Choice(&CHANGES), &mut s.on_change) },
    Field { name: "roots", slot: |s| bind(ListOf(Word), &mut s.roots) },
    Field { name: "enabled", slot: |s| bind(Switch, &mut s.enabled) },
    Field { name: "disabled", slot: |s| bind(Switch, &mut s.disabled) },
];

static AUTH: [Field<McpAuth>; 5] = [
    Field { name: "token_url", slot: |s| bind(Optional(Text("an address")), &mut s.token_url) },
    Field { name: "client_id", slot: |s| bind(Optional(Text("text")), &mut s.client_id) },
    Field { name: "client_secret", slot: |s| bind(Optional(Hidden), &mut s.client_secret) },
    Field { name: "scope", slot: |s| bind(Optional(Text("text")), &mut s.scope) },
    Field { name: "audience", slot: |s| bind(Optional(Text("text")), &mut s.audience) },
];

static TOOLS: [Field<McpTools>; 2] = [
    Field { name: "allow", slot: |s| bind(ListOf(Word), &mut s.allow) },
    Field { name: "deny", slot: |s| bind(ListOf(Word), &mut s.deny) },
];

static TRANSPORTS: [(&str, McpTransport); 5] = [
    ("stdio", McpTransport::Stdio),
    ("http", McpTransport::Http),
    ("streamable-http", McpTransport::Http),
    ("streamableHttp", McpTransport::Http),
    ("sse", McpTransport::Sse),
];

static STARTS: [(&str, McpStart); 2] = [("lazy", McpStart::Lazy), ("eager", McpStart::Eager)];

static CHANGES: [(&str, McpOnChange); 2] =
    [("accept", McpOnChange::Accept), ("approve", McpOnChange::Approve)];

fn check_server(server: &McpServer) -> Option<String> {
    let is_program = !server.args.is_empty() || !server.env.is_empty() || server.cwd.is_some();
    let is_confined = server.sandbox.profile.is_some();
    let is_service = !server.headers.is_empty() || server.auth.is_some();
    let what = match (&server.url, &server.command, server.transport) {
        _ if server.name.is_empty() => "expected a `name`",
        (_, _, Some(McpTransport::Sse)) => {
            "the old HTTP+SSE transport is not supported; use the server's streamable HTTP address, \
             often `/mcp` where the old one is `/sse`, with `type: http`"
        }
        (None, None, _) => "expected a `url`, or a `command` that starts the server",
        (Some(_), Some(_), _) => "has both a `url` and a `command`; remove one of them",
        (Some(_), None, _) if is_confined => {
            "`sandbox` goes with a `command`: what runs elsewhere cannot be held"
        }
        (Some(_), None, _) if is_program => {
            "`args`, `env` and `cwd` go with a `command`, not with a `url`"
        }
        (None, Some(_), _) if is_service => {
            "`headers` and `auth` go with a `url`, not with a `command`"
        }
        (Some(_), None, Some(McpTransport::Stdio)) => "`type: stdio` wants a `command`",
        (None, Some(_), Some(McpTransport::Http)) => "`type: http` wants a `url`",
        _ => return None,
    };
    Some(what.to_owned())
}

fn check_auth(auth: &McpAuth) -> Option<String> {
    if auth.token_url.is_none() && auth.audience.is_none() {
        // A person logs in, as the client that is named, or as one that registers itself.
        let is_odd = auth.client_secret.is_some() && auth.client_id.is_none();
        return is_odd.then(|| "expected a `client_id`".to_owned());
    }
    let missing = [
        ("token_url", auth.token_url.is_none()),
        ("client_id", auth.client_id.is_none()),
        ("client_secret", auth.client_secret.is_none()),
    ];
    let (key, _) = missing.into_iter().find(|(_, is_missing)| *is_missing)?;
    Some(format!("expected a `{key}`"))
}
