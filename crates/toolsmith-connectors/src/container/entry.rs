//! Reads the keys of a container's entry.

use toolsmith_core::{Fields, Template, Value, describe};

use super::size;
use crate::{
    command::read_env,
    endpoint::{Convention, Health},
    process::Span,
    texts,
};

/// How many processes a container may have unless its entry says otherwise.
const PIDS: u64 = 512;

/// The least memory that engines accept.
const LEAST_MEMORY: u64 = 6 << 20;

/// What an entry says.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) image: Image,
    pub(super) port: Option<u16>,
    pub(super) convention: Convention,
    pub(super) health: Health,
    pub(super) command: Option<Vec<Template>>,
    pub(super) env: Vec<(String, Template)>,
    pub(super) mounts: Vec<Mounted>,
    /// How many GPUs; -1 means all.
    pub(super) gpu: Option<i64>,
    pub(super) memory: Option<Memory>,
    pub(super) cpus: Option<f64>,
    pub(super) cpu_seconds: Option<u64>,
    pub(super) pids: u64,
    pub(super) is_read_only: bool,
    pub(super) network: Network,
    pub(super) user: Option<String>,
    pub(super) span: Span,
}

/// What to run.
#[derive(Clone, Debug)]
pub(super) enum Image {
    Named(Template),
    Built(Template),
}

/// A limit, and how it was written.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) bytes: u64,
    pub(super) written: String,
}

/// A folder of this machine inside the container.
#[derive(Clone, Debug)]
pub(super) struct Mounted {
    pub(super) source: Template,
    pub(super) target: String,
    pub(super) is_read_only: bool,
}

/// How the container is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    Bridge,
    Host,
    None,
}

impl Entry {
    /// Reads every key; what is wrong is told to the fields.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let image = read_image(fields);
        let entry = Self {
            port: read_port(fields),
            convention: Convention::read(fields),
            health: Health::read(fields),
            command: read_command(fields),
            env: read_env(fields),
            mounts: read_mounts(fields),
            gpu: read_gpu(fields),
            memory: read_memory(fields),
            cpus: read_cpus(fields),
            cpu_seconds: None,
            pids: fields.count("pids").unwrap_or(PIDS),
            is_read_only: fields.flag("read_only").unwrap_or(true),
            network: match fields.word("network", &["bridge", "host", "none"]) {
                Some("host") => Network::Host,
                Some("none") => Network::None,
                _ => Network::Bridge,
            },
            user: texts::literal(fields, "user").map(str::to_owned),
            span: Span::read(fields),
            image: image?,
        };
        (fields.is_fine() && texts::are_readable(fields.object())).then_some(entry)
    }
}

fn read_image(fields: &mut Fields<'_>) -> Option<Image> {
    let image = texts::template(fields, "image");
    let build = texts::template(fields, "build");
    match (image, build) {
        (Some(_), Some(_)) => {
            fields.blame("build", "`image` says what to run already; write one of them");
            None
        }
        (Some(image), None) => Some(Image::Named(image)),
        (None, Some(folder)) => Some(Image::Built(folder)),
        (None, None) => {
            if fields.any("image").is_none() && fields.any("build").is_none() {
                fields.miss("image", "say which image to run, or which folder to `build` one from");
            }
            None
        }
    }
}

fn read_port(fields: &mut Fields<'_>) -> Option<u16> {
    let port = fields.count("internal_port")?;
    let fits = u16::try_from(port).ok().filter(|port| *port > 0);
    if fits.is_none() {
        fields.blame("internal_port", format!("expected a port from 1 to 65535, found {port}"));
    }
    fits
}

fn read_command(fields: &mut Fields<'_>) -> Option<Vec<Template>> {
    let words = fields.texts("command")?;
    Some(words.into_iter().filter_map(|word| Template::parse(word).ok()).collect())
}

fn read_mounts(fields: &mut Fields<'_>) -> Vec<Mounted> {
    let mut mounts = Vec::new();
    for (place, item) in fields.list("mounts").into_iter().flatten().enumerate() {
        let pointer = format!("{}/mounts/{place}", fields.pointer());
        match Fields::of(item, pointer) {
            Ok(mut inner) => {
                mounts.extend(read_mount(&mut inner));
                fields.leave(inner);
            }
            Err(fault) => fields.add(fault),
        }
    }
    mounts
}

fn read_mount(fields: &mut Fields<'_>) -> Option<Mounted> {
    let source = texts::template(fields, "source");
    let target = texts::literal(fields, "target");
    let is_read_only = fields.flag("read_only").unwrap_or(true);
    for key in ["source", "target"] {
        if !fields.object().contains_key(key) {
            fields.miss(key, "a mount has a folder here and a place inside the container");
        }
    }
    let target = target?;
    if !target.starts_with('/') {
        fields.blame("target", format!("expected a path that begins with `/`, found {target:?}"));
    }
    Some(Mounted { source: source?, target: target.to_owned(), is_read_only })
}

fn read_gpu(fields: &mut Fields<'_>) -> Option<i64> {
    match fields.any("gpu")? {
        Value::Bool(false) => None,
        Value::Bool(true) => Some(-1),
        other => {
            let count = other.as_i64().filter(|count| *count > 0);
            if count.is_none() {
                let found = describe(other);
                fields.blame("gpu", format!("expected true or how many, found {found}"));
            }
            count
        }
    }
}

fn read_memory(fields: &mut Fields<'_>) -> Option<Memory> {
    let value = fields.any("memory")?;
    let Some(bytes) = size::bytes(value) else {
        let found = describe(value);
        fields.blame("memory", format!("expected a size such as `64m` or `1g`, found {found}"));
        return None;
    };
    if bytes < LEAST_MEMORY {
        fields.blame("memory", "engines give a container no less than `6m`");
    }
    let written = value.as_str().map_or_else(|| format!("{bytes} bytes"), str::to_owned);
    Some(Memory { bytes, written })
}

fn read_cpus(fields: &mut Fields<'_>) -> Option<f64> {
    let cpus = fields.number("cpus")?;
    if !(cpus > 0.0 && cpus <= 1024.0) {
        fields.blame("cpus", format!("expected a number above 0 such as `0.5`, found {cpus}"));
    }
    Some(cpus)
}
