//! An old registry as definitions to be written: the migration.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;
use toolsmith_core::{Value, json};

use super::{Chosen, Registry, Standing, adapt, choose, parse};
use crate::{Makers, Problem, catalogue, locate, problem::Findings, walk, yaml::Node};

/// What the migration of a registry gives.
#[derive(Debug, Default)]
pub struct Migration {
    /// The tools, each by the file that it came from.
    pub tools: Vec<Migrated>,
    /// The groups, each as a map.
    pub groups: Vec<Value>,
    /// What keeps a file from being migrated.
    pub problems: Vec<Problem>,
    /// What was put right, and what is worth a look.
    pub warnings: Vec<Problem>,
    /// What has no place in definitions.
    pub unmapped: Vec<Unmapped>,
}

/// A tool of an old registry as a definition.
#[derive(Debug)]
pub struct Migrated {
    /// The name; it may not be a good one yet.
    pub name: String,
    /// The definition.
    pub definition: Value,
    /// The file that it came from.
    pub from: PathBuf,
    /// The function of the old system that it ran, if it did.
    pub function: Option<String>,
}

/// Something that was not carried over, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmapped {
    /// What it is.
    pub operation: String,
    /// Why it was not.
    pub reason: String,
}

/// Reads a registry, its folder, or its file; variables stay as they are written.
pub(crate) fn migrate(path: &Path, makers: &Makers) -> Migration {
    let mut migration = Migration::default();
    let scan = walk::scan(&[path.to_owned()]);
    migration.problems.extend(scan.unreadable.iter().cloned());
    let files = scan.files.keys().map(PathBuf::as_path).filter(|path| super::is_toml(path));
    let mut documents: BTreeMap<Arc<Path>, Node> = BTreeMap::new();
    for file in files {
        match read(file) {
            Ok(node) => _ = documents.insert(file.into(), node),
            Err(problem) => migration.problems.push(problem),
        }
    }
    let mut registries = BTreeMap::new();
    for (file, document) in documents.iter().filter(|(file, _)| super::is_registry(file)) {
        registries.insert(Arc::clone(file), migration.take_registry(file, document));
    }
    let paths: Vec<&Path> = scan.files.keys().map(PathBuf::as_path).collect();
    let Chosen { files, warnings } = choose_all(&registries, &paths);
    migration.warnings.extend(warnings);
    for (file, document) in &documents {
        if let Some(standing) = files.get(&**file) {
            migration.take_tool(file, document, *standing, makers);
        }
    }
    let is_chosen = |problem: &Problem| {
        super::is_registry(&problem.file)
            || !super::is_toml(&problem.file)
            || files.contains_key(&problem.file)
    };
    migration.problems.retain(is_chosen);
    migration
}

/// Chooses the files of several registries; a file belongs to the one that is nearest above it.
pub(crate) fn choose_all<R: AsRef<Registry>>(
    registries: &BTreeMap<Arc<Path>, R>,
    files: &[&Path],
) -> Chosen {
    let roots: BTreeMap<&Path, &Arc<Path>> =
        registries.keys().filter_map(|file| Some((file.parent()?, file))).collect();
    let mut shares: BTreeMap<&Arc<Path>, Vec<&Path>> = BTreeMap::new();
    for path in files.iter().filter(|path| super::is_toml(path)) {
        let owner = path.ancestors().skip(1).find_map(|folder| roots.get(folder));
        if let Some(owner) = owner {
            shares.entry(*owner).or_default().push(path);
        }
    }
    let mut all = Chosen::default();
    for (file, registry) in registries {
        let share = shares.remove(file).unwrap_or_default();
        let Chosen { files, warnings } = choose(file, registry.as_ref(), share);
        all.files.extend(files);
        all.warnings.extend(warnings);
    }
    all
}

impl AsRef<Self> for Registry {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Migration {
    fn take_registry(&mut self, file: &Arc<Path>, document: &Node) -> Registry {
        let read = Registry::read(file, document);
        self.tell(file, document, &read.findings);
        self.groups.extend(read.groups.iter().map(|written| {
            let group = &written.group;
            let mut value = json!({ "group_id": group.group_id, "name": group.name });
            if !group.description.is_empty() {
                value["description"] = json!(group.description);
            }
            value["tool_ids"] = json!(group.tool_ids);
            value
        }));
        let unused = read.unused.into_iter().map(|name| Unmapped {
            operation: format!("tool_sets.{name}"),
            reason: "the set is switched off".to_owned(),
        });
        self.unmapped.extend(unused);
        read.registry
    }

    fn take_tool(&mut self, file: &Path, document: &Node, standing: Standing, makers: &Makers) {
        let adapted = adapt(file, document, makers);
        self.tell(file, document, &adapted.findings);
        let mut definition = adapted.definition.to_json();
        if standing == Standing::Disabled {
            definition["enabled"] = json!(false);
        }
        let name = definition["name"].as_str().unwrap_or_default().to_owned();
        let unmapped = adapted.unmapped.into_iter().map(|(key, reason)| Unmapped {
            operation: format!("{}: {key}", file.display()),
            reason,
        });
        self.unmapped.extend(unmapped);
        let function = document.entry("function_path").and_then(|entry| entry.value.as_text());
        let function = function.map(str::to_owned);
        if adapted.findings.faults.is_empty() {
            self.tools.push(Migrated { name, definition, from: file.to_owned(), function });
        }
    }

    fn tell(&mut self, file: &Path, document: &Node, findings: &Findings) {
        let place = |fault| locate::problem(file, document, fault);
        self.problems.extend(findings.faults.iter().map(place));
        self.warnings.extend(findings.warnings.iter().map(|warning| place(&warning.fault)));
    }
}

fn read(file: &Path) -> Result<Node, Problem> {
    let text = catalogue::read_text(file).map_err(|error| {
        Problem::whole(file, format!("cannot read the file: {}", walk::explain(&error)))
    })?;
    parse(&text).map_err(|error| Problem::at(file, (error.line, error.column), error.message))
}
