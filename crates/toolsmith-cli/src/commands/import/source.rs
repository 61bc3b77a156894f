//! A document from a file or from the web.

use std::{path::Path, time::Duration};

use anyhow::{Context as _, Result};
use toolsmith_connectors::openapi;
use toolsmith_core::{ErrorKind, Redactor, ToolError, Value};
use toolsmith_definitions::yaml;
use toolsmith_net::{Client, NetError, Request, Url};

use crate::{exit::UsageError, files, runtime};

/// The longest document that is read, in bytes.
const LONGEST: usize = 64 << 20;

/// What is asked for.
const ACCEPT: &str = "application/json, application/yaml, text/yaml, */*;q=0.8";

/// A document, and where it came from.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) document: Value,
    /// Its address, when it came from the web.
    pub(super) url: Option<Url>,
    /// What it refers to, and cannot be read.
    pub(super) problems: Vec<String>,
}

/// What fetches a document, and how long it may take.
#[derive(Debug)]
pub(super) struct Fetcher<'a> {
    pub(super) client: Client,
    pub(super) patience: Duration,
    pub(super) redactor: &'a Redactor,
}

impl Fetcher<'_> {
    /// Reads the document at a path or an address.
    pub(super) fn read(&self, place: &str) -> Result<Source> {
        let is_address = ["http://", "https://"].iter().any(|start| place.starts_with(start));
        if is_address {
            let (text, url) = runtime::block_on(self.fetch(place))?;
            let document = parse(&text).map_err(|why| wrong(place, &why))?;
            return Ok(Source { document, url: Some(url), problems: Vec::new() });
        }
        let text = files::read_text(Path::new(place), LONGEST).map_err(|error| {
            UsageError::new(format!("cannot read {place}: {}", files::explain(&error)))
        })?;
        let mut document = parse(&text).map_err(|why| wrong(place, &why))?;
        let problems = with_files_beside(&mut document, Path::new(place), text.len());
        Ok(Source { document, url: None, problems })
    }

    /// Whoever sits at the shell named the address, so it may be any.
    async fn fetch(&self, address: &str) -> Result<(String, Url)> {
        let mut request = Request::get(address).trusted().with_header("accept", ACCEPT)?;
        request.max_bytes = Some(LONGEST);
        let answer = tokio::time::timeout(self.patience, self.client.send(request)).await;
        let late = || {
            let seconds = self.patience.as_secs();
            ToolError::new(ErrorKind::Timeout, format!("No answer within {seconds} s."))
        };
        let answer = answer.map_err(|_| late())?;
        let answer = answer.and_then(|answer| answer.into_success(self.redactor));
        let answer = answer.map_err(NetError::into_tool_error);
        let answer = answer.with_context(|| format!("cannot fetch {address}"))?;
        Ok((answer.text(), answer.url))
    }
}

fn wrong(place: &str, why: &str) -> UsageError {
    UsageError::new(format!("{place}: {why}"))
}

/// Puts the files that a document refers to into it, as far as they lie in its folder.
fn with_files_beside(document: &mut Value, path: &Path, length: usize) -> Vec<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().unwrap_or(Path::new(""));
    let real = |path: &Path| Path::new(".").join(path).canonicalize();
    let inside = real(folder);
    let mut room = LONGEST.saturating_sub(length);
    openapi::bundle(document, &name, &mut |file| {
        let file = folder.join(file);
        let told = |error| files::explain(&error);
        // A link may lead out of the folder, whatever its own name is.
        let (is_at, inside) =
            (real(&file).map_err(told)?, inside.as_ref().map_err(ToString::to_string)?);
        if !is_at.starts_with(inside) {
            return Err("it leads out of the folder of the document".to_owned());
        }
        let text = files::read_text(&is_at, room).map_err(told)?;
        room = room.saturating_sub(text.len());
        parse(&text)
    })
}

/// Reads JSON as JSON, which is much quicker, and everything else as YAML.
fn parse(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text)
            .map_err(|error| format!("it is not valid JSON: {error}"));
    }
    if text.trim_start().starts_with('<') {
        return Err("it is a web page, not a document in JSON or YAML".to_owned());
    }
    Ok(yaml::parse_foreign(text, LONGEST).map_err(|error| error.to_string())?.to_json())
}
