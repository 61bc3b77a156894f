//! `__registry__.toml`: which types of tools there are, and which files define them.

use std::{path::Path, sync::Arc};

use toolsmith_core::{Fault, Fields, Group, Text, ToolName, Value, describe};

use super::repair;
use crate::{
    contents::Written,
    locate,
    problem::{About, Findings},
    variables::escaped,
    yaml::Node,
};

/// Which files of its folder a registry wants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry {
    pub(super) types: Vec<Type>,
    pub(super) discovery: Option<Discovery>,
}

/// A type of tools: a folder, and files in it.
#[derive(Clone, Debug)]
pub(super) struct Type {
    pub(super) is_enabled: bool,
    pub(super) folder: Said,
    pub(super) files: Vec<Said>,
}

/// Folders whose files are taken without being named.
#[derive(Clone, Debug)]
pub(super) struct Discovery {
    pub(super) folders: Vec<Said>,
    pub(super) patterns: Vec<String>,
    pub(super) excluded: Vec<String>,
}

/// A text and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) place: (usize, usize),
}

/// What a registry file says.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) registry: Registry,
    pub(crate) groups: Vec<Written>,
    /// What was found in the file as it stands.
    pub(crate) findings: Findings,
    /// The groups that are switched off.
    pub(crate) unused: Vec<String>,
}

impl Registry {
    /// Reads a registry; what is wrong in it is told and left out, and the rest counts.
    pub(crate) fn read(file: &Arc<Path>, document: &Node) -> Read {
        let mut read = Read::default();
        let mut repaired = document.clone();
        repair::registry(&mut repaired, &mut read.findings);
        let value = repaired.to_json();
        let mut faults = Vec::new();
        let Ok(mut fields) = Fields::of(&value, "") else { return read };
        fields.any("metadata");
        for (name, inner) in fields.map("tool_types").into_iter().flatten() {
            let pointer = format!("/tool_types/{}", escaped(name));
            read.registry.types.extend(r#type(name, inner, &pointer, &repaired, &mut faults));
        }
        for (name, inner) in fields.map("tool_sets").into_iter().flatten() {
            let pointer = format!("/tool_sets/{}", escaped(name));
            match set(name, inner, &pointer, &mut faults) {
                Some(group) => {
                    let place = locate::place_at(&repaired, &pointer);
                    read.groups.push(Written { group, file: Arc::clone(file), place });
                }
                None => read.unused.push(name.clone()),
            }
        }
        if let Some(mut inner) = fields.enter("auto_discovery") {
            read.registry.discovery = discovery(&mut inner, &repaired);
            faults.extend(inner.finish());
        }
        faults.extend(fields.finish());
        // One wrong line must not take every tool of the folder away.
        for fault in faults {
            read.findings.warn(About::Other, fault);
        }
        read
    }
}

fn r#type(
    name: &str,
    inner: &Value,
    pointer: &str,
    document: &Node,
    faults: &mut Vec<Fault>,
) -> Option<Type> {
    let mut fields = Fields::of(inner, pointer).map_err(|fault| faults.push(fault)).ok()?;
    for key in ["class_path", "description"] {
        fields.any(key);
    }
    let is_enabled = fields.flag("enabled").unwrap_or(true);
    let at = |key: &str| locate::place_at(document, &format!("{pointer}{key}"));
    let folder = match fields.text("config_directory") {
        Some(text) => Said { text: text.to_owned(), place: at("/config_directory") },
        None => Said { text: name.to_owned(), place: at("") },
    };
    let files = said(&mut fields, "config_files", document);
    faults.extend(fields.finish());
    Some(Type { is_enabled, folder, files })
}

/// Reads a set of tools as a group; nothing when it is switched off or no table.
fn set(name: &str, inner: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Option<Group> {
    let mut fields = Fields::of(inner, pointer).map_err(|fault| faults.push(fault)).ok()?;
    let is_enabled = fields.flag("enabled").unwrap_or(true);
    let description = fields.text("description").unwrap_or_default();
    let mut group = Group { description: description.into(), ..Group::new(name) };
    group.name = fields.text("name").map_or_else(|| Text::from(name), Text::from);
    let tools = fields.list("tools").map_or(&[][..], Vec::as_slice);
    for (place, tool) in tools.iter().enumerate() {
        match ToolName::new(tool.as_str().unwrap_or_default()) {
            Ok(tool) if group.tool_ids.contains(&tool) => {}
            Ok(tool) => group.tool_ids.push(tool),
            Err(error) => fields.blame_at(&format!("tools/{place}"), error.message()),
        }
    }
    faults.extend(fields.finish());
    (is_enabled && !name.is_empty()).then_some(group)
}

fn discovery(fields: &mut Fields<'_>, document: &Node) -> Option<Discovery> {
    let is_enabled = fields.flag("enabled").unwrap_or(true);
    let folders = said(fields, "scan_directories", document);
    let words = |texts: Option<Vec<&str>>| {
        texts.map(|texts| texts.into_iter().map(str::to_owned).collect())
    };
    let patterns =
        words(fields.texts("file_patterns")).unwrap_or_else(|| vec!["*.toml".to_owned()]);
    let excluded = words(fields.texts("exclude_patterns")).unwrap_or_default();
    is_enabled.then_some(Discovery { folders, patterns, excluded })
}

/// Reads a list of texts, each with its place; what is no text is told and left out.
fn said(fields: &mut Fields<'_>, key: &'static str, document: &Node) -> Vec<Said> {
    let pointer = format!("{}/{key}", fields.pointer());
    let items = fields.list(key).map_or(&[][..], Vec::as_slice);
    let mut said = Vec::with_capacity(items.len());
    for (item, value) in items.iter().enumerate() {
        match value.as_str() {
            Some(text) => said.push(Said {
                text: text.to_owned(),
                place: locate::place_at(document, &format!("{pointer}/{item}")),
            }),
            None => {
                let message = format!("expected text, found {}", describe(value));
                fields.blame_at(&format!("{key}/{item}"), message);
            }
        }
    }
    said
}
