//! Reads the keys of a process's entry.

use std::{path::Path, time::Duration};

use toolsmith_children::{Limits, Sandbox};
use toolsmith_core::{Confinement, Draft, Fields, Template, Value, describe};

use crate::{
    command::{read_env, read_limits},
    confine,
    endpoint::{Convention, Health},
    life::{Backend, Log, Rules, Service, Services, Source, USUAL_LINES},
    texts,
};

/// What a project of uv is started with, by convention.
const USUAL_COMMAND: [&str; 6] = ["uv", "run", "python", "main.py", "--port", "{port}"];

/// How long a service may stand idle unless its entry says otherwise.
const IDLE: Duration = Duration::from_mins(5);

/// How long calls under way may take when a service is stopped.
const DRAIN: Duration = Duration::from_secs(5);

/// How many calls may be under way to a process with a network of its own; others wait.
///
/// A strict sandbox allows 64 threads in all, and simple servers have one for each connection.
const DOORS: u16 = 32;

/// What an entry says.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) dir: Option<Template>,
    pub(super) command: Vec<Template>,
    pub(super) convention: Convention,
    pub(super) env: Vec<(String, Template)>,
    pub(super) health: Health,
    pub(super) span: Span,
    pub(super) limits: Limits,
    pub(super) sandbox: Option<Sandbox>,
}

impl Entry {
    /// Reads every key; what is wrong is told to the fields.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let dir = read_dir(fields);
        let has_command = fields.any("command").is_some();
        if dir.is_none() && !has_command {
            fields.miss("dir", "say where the project is, or which `command` to start");
        }
        let entry = Self {
            dir,
            command: read_command(fields),
            convention: Convention::read(fields),
            env: read_env(fields),
            health: Health::read(fields),
            span: Span::read(fields),
            limits: read_limits(fields),
            sandbox: None,
        };
        (fields.is_fine() && texts::are_readable(fields.object())).then_some(entry)
    }

    /// Lets the process run in a sandbox; its paths begin at the folder of the definition.
    pub(super) fn confine(&mut self, confinement: &Confinement, folder: &Path) {
        let sandbox = confine::sandbox(confinement, folder);
        self.sandbox = Some(Sandbox { doors: DOORS, ..sandbox });
        self.limits = confine::limits(confinement, self.limits);
    }
}

/// How long a service lives, and how much of its log is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    idle: Duration,
    drain: Duration,
    log_lines: usize,
}

impl Span {
    /// Reads the keys `idle`, `drain` and `log_lines`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Self {
        let lines = fields.count("log_lines").and_then(|lines| usize::try_from(lines).ok());
        Self {
            idle: fields.seconds("idle").unwrap_or(IDLE),
            drain: fields.seconds("drain").unwrap_or(DRAIN),
            log_lines: lines.unwrap_or(USUAL_LINES),
        }
    }

    /// Makes the service of a tool out of what can be started; nothing is started yet.
    pub(crate) fn serve(
        self,
        draft: &Draft<'_>,
        services: &Services,
        backend: Box<dyn Backend>,
    ) -> Box<dyn Source> {
        let tool = draft.spec;
        let log = Log::new(tool.name.as_str(), self.log_lines, draft.vault.redactor().clone());
        let idle = Some(self.idle).filter(|idle| !idle.is_zero());
        let rules = Rules { idle, drain: self.drain };
        Box::new(Service::new(services, tool, backend, rules, log))
    }
}

/// Reads the folder, under its own name or the old one.
pub(crate) fn read_dir(fields: &mut Fields<'_>) -> Option<Template> {
    let dir = texts::template(fields, "dir");
    let old = texts::template(fields, "host_dir");
    if dir.is_some() && old.is_some() {
        fields.blame("host_dir", "`dir` means the same; write one of them");
    }
    dir.or(old)
}

fn read_command(fields: &mut Fields<'_>) -> Vec<Template> {
    let Some(value) = fields.any("command") else {
        return USUAL_COMMAND.map(Template::literal).to_vec();
    };
    let items = match value {
        Value::Array(items) if !items.is_empty() => items.as_slice(),
        Value::String(_) => std::slice::from_ref(value),
        other => {
            let found = describe(other);
            fields.blame(
                "command",
                format!("expected a list that begins with the program, found {found}"),
            );
            return Vec::new();
        }
    };
    let mut words = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        match item {
            Value::String(text) if place == 0 && text.contains(char::is_whitespace) => {
                let list = text.split_whitespace().collect::<Vec<_>>().join(", ");
                let message = format!("no shell takes this apart; write it as a list: [{list}]");
                fields.blame("command", message);
            }
            Value::String(text) => words.extend(Template::parse(text).ok()),
            Value::Number(_) | Value::Bool(_) => words.push(Template::literal(item.to_string())),
            other => {
                let message = format!("expected text, found {}", describe(other));
                fields.blame_at(&format!("command/{place}"), message);
            }
        }
    }
    words
}
