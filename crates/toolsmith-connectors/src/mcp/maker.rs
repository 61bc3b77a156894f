//! Definitions that bind one tool of a server under a name of their own.

use std::{path::Path, sync::Arc};

use toolsmith_core::{
    Draft, Fields, Kind, Made, Maker, Template, Value, Work, describe, suggestion,
};

use super::{
    definition::runtime,
    executor::McpExecutor,
    http::Credentials,
    login::Registered,
    output::Promise,
    server::Server,
    servers::Servers,
    settings::{Address, Link, OnChange, Program, ServerSettings},
};
use crate::texts;

/// How much of a command stands in the name of a server that has none.
const NAME: usize = 60;

/// Makes tools that are tools of a server.
#[derive(Clone, Debug)]
pub struct McpMaker {
    servers: Servers,
}

impl McpMaker {
    pub(super) fn new(servers: Servers) -> Self {
        Self { servers }
    }
}

impl Maker for McpMaker {
    fn types(&self) -> &'static [&'static str] {
        &["mcp"]
    }

    fn kind(&self) -> Kind {
        Kind::Mcp
    }

    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made> {
        let tool = texts::literal(entry, "tool").unwrap_or(draft.spec.name.as_str()).to_owned();
        let server = self.server(draft, entry)?;
        if !entry.is_fine() || !texts::are_readable(entry.object()) {
            return None;
        }
        let promise =
            if draft.spec.output_schema.is_some() { Promise::Schema } else { Promise::Nothing };
        let runtime = Some(runtime(&server.settings.link));
        // Such a tool is described by whoever wrote the definition, not by the server.
        let on_change = OnChange::Accept;
        let executor = McpExecutor { server, tool, promise, on_change };
        Some(Made { work: Work::Async(Arc::new(executor)), runtime, streams: false })
    }

    fn can_confine(&self) -> bool {
        true
    }
}

impl McpMaker {
    fn server(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Arc<Server>> {
        let named = texts::literal(entry, "server");
        let link = link(entry);
        let start_timeout = entry.seconds("start_timeout");
        match (named, link) {
            (Some(_), Some(_)) => {
                entry.blame("server", "names a server that is described here as well; remove one");
                None
            }
            (Some(_), None) if draft.confinement.is_some() => {
                let why = "is shared with others; its `sandbox` stands in `mcpServers`";
                entry.blame("server", why);
                None
            }
            (Some(name), None) => self.configured(entry, name),
            (None, Some(Link::Http(_))) if draft.confinement.is_some() => {
                entry.blame("url", "is elsewhere, where no `sandbox` of ours holds; write `none`");
                None
            }
            (None, Some(mut link)) => {
                if let Link::Stdio(program) = &mut link {
                    program.sandbox = draft.confinement.cloned();
                }
                let name: String = link.to_string().chars().take(NAME).collect();
                let mut settings = ServerSettings::new(name, link);
                settings.folder = Path::new(".").join(draft.folder);
                settings.start_timeout = start_timeout.unwrap_or(settings.start_timeout);
                let key = format!("{} {:?}", key(entry, draft.folder), draft.confinement);
                Some(self.servers.0.described(key, settings))
            }
            (None, None) => {
                if entry.is_fine() {
                    let why = "name a server of `mcpServers`, or give `command` or `url`";
                    entry.miss("server", why);
                }
                None
            }
        }
    }

    fn configured(&self, entry: &mut Fields<'_>, name: &str) -> Option<Arc<Server>> {
        match self.servers.0.find(name) {
            Ok(server) => Some(Arc::clone(server)),
            Err(_) => {
                let names = self.servers.names();
                let near = suggestion(name, names.iter().map(String::as_str));
                let near = near.map(|near| format!(". {near}")).unwrap_or_default();
                let message = format!("`mcpServers` has no server {name:?}{near}");
                entry.blame("server", message);
                None
            }
        }
    }
}

/// Tells whether two definitions describe the same server: all keys but those about the tool.
fn key(entry: &Fields<'_>, folder: &Path) -> String {
    let mut described = entry.object().clone();
    described.retain(|key, _| !matches!(key.as_str(), "type" | "tool"));
    format!("{} {}", folder.display(), Value::Object(described))
}

/// Reads how a server is reached; nothing when the entry does not say.
fn link(entry: &mut Fields<'_>) -> Option<Link> {
    let command = texts::template(entry, "command");
    let args = templates(entry, "args");
    let env = pairs(entry, "env");
    let cwd = texts::template(entry, "cwd");
    let url = texts::template(entry, "url").or_else(|| texts::template(entry, "server_url"));
    let headers = pairs(entry, "headers");
    let credentials = Credentials::read(entry);
    match (command, url) {
        (Some(_), Some(_)) => {
            entry.blame("url", "goes not with `command`; remove one of them");
            None
        }
        (Some(command), None) => {
            Some(Link::Stdio(Program { command, args, env, cwd, sandbox: None }))
        }
        (None, Some(url)) => {
            Some(Link::Http(Address { url, headers, credentials, login: Registered::default() }))
        }
        (None, None) => None,
    }
}

fn templates(entry: &mut Fields<'_>, key: &'static str) -> Vec<Template> {
    let items = entry.texts(key).unwrap_or_default();
    items.into_iter().filter_map(|text| Template::parse(text).ok()).collect()
}

fn pairs(entry: &mut Fields<'_>, key: &'static str) -> Vec<(String, Template)> {
    let mut pairs = Vec::new();
    for (name, value) in entry.map(key).into_iter().flatten() {
        let template = match value {
            Value::String(text) => Template::parse(text).ok(),
            Value::Number(_) | Value::Bool(_) => Some(Template::literal(value.to_string())),
            other => {
                let place = format!("{key}/{}", texts::escaped(name));
                entry.blame_at(&place, format!("expected text, found {}", describe(other)));
                None
            }
        };
        pairs.extend(template.map(|template| (name.clone(), template.into_secret())));
    }
    pairs
}
