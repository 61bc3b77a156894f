//! Reads the keys of a Python function's entry.

use std::{path::Path, time::Duration};

use toolsmith_children::{Limits, Sandbox};
use toolsmith_core::{Confinement, Fields, Template};

use crate::{
    command::{read_env, read_limits},
    confine,
    endpoint::Health,
    process::{Span, read_dir},
    texts,
};

/// What an entry says.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) code: Code,
    pub(super) function: String,
    pub(super) dir: Option<Template>,
    pub(super) dependencies: Vec<String>,
    pub(super) env: Vec<(String, Template)>,
    pub(super) start_timeout: Duration,
    pub(super) span: Span,
    pub(super) limits: Limits,
    pub(super) sandbox: Option<Sandbox>,
}

/// Where the function is.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Module(String),
    File(String),
}

impl Entry {
    /// Reads every key; what is wrong is told to the fields.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let code = read_code(fields);
        let function = identifier(fields, "function");
        let health = Health::read(fields);
        if health.path.is_some() {
            fields
                .blame_at("health/path", "a function has no address; only `timeout` is meant here");
        }
        let entry = Self {
            dir: read_dir(fields),
            dependencies: read_dependencies(fields),
            env: read_env(fields),
            start_timeout: health.timeout,
            span: Span::read(fields),
            limits: read_limits(fields),
            sandbox: None,
            code: code?,
            function: function?,
        };
        (fields.is_fine() && texts::are_readable(fields.object())).then_some(entry)
    }

    /// Lets the function run in a sandbox; its paths begin at the folder of the definition.
    pub(super) fn confine(&mut self, confinement: &Confinement, folder: &Path) {
        self.sandbox = Some(confine::sandbox(confinement, folder));
        self.limits = confine::limits(confinement, self.limits);
    }
}

fn read_code(fields: &mut Fields<'_>) -> Option<Code> {
    let module = identifier_path(fields);
    let file = texts::literal(fields, "file");
    match (module, file) {
        (Some(_), Some(_)) => {
            fields.blame("file", "`module` says where the function is already");
            None
        }
        (Some(module), None) => Some(Code::Module(module)),
        (None, Some(file)) => Some(Code::File(file.to_owned())),
        (None, None) => {
            if fields.is_fine() {
                fields.miss(
                    "module",
                    "say where the function is: `module: pkg.mod` or `file: ./mod.py`",
                );
            }
            None
        }
    }
}

fn identifier_path(fields: &mut Fields<'_>) -> Option<String> {
    let text = texts::literal(fields, "module")?;
    if text.split('.').all(is_identifier) {
        return Some(text.to_owned());
    }
    fields.blame("module", format!("expected a module such as `tools.text`, found {text:?}"));
    None
}

fn identifier(fields: &mut Fields<'_>, key: &'static str) -> Option<String> {
    if fields.any(key).is_none() {
        fields.miss(key, "say which function to call");
        return None;
    }
    let text = texts::literal(fields, key)?;
    if is_identifier(text) {
        return Some(text.to_owned());
    }
    fields.blame(key, format!("expected the name of a function, found {text:?}"));
    None
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn read_dependencies(fields: &mut Fields<'_>) -> Vec<String> {
    let texts = fields.texts("dependencies").unwrap_or_default();
    if texts.iter().any(|text| text.is_empty() || text.starts_with('-')) {
        fields.blame("dependencies", "expected packages such as `httpx>=0.28`");
    }
    texts.into_iter().map(str::to_owned).collect()
}
