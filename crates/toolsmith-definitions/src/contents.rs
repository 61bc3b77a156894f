//! One file → what it defines, and what is wrong with it.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
    sync::Arc,
};

use toolsmith_core::{Group, Redactor, Tool, ToolName, Value, Vault, Version};

use crate::{
    Makers, entry, groups_file, locate, parse,
    problem::{Findings, Problem, Strictness},
    toml_registry::{self, Registry},
    variables,
    yaml::{self, Content, Node},
};

/// What a file defines.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) tools: Vec<Arc<Built>>,
    pub(crate) groups: Vec<Written>,
    /// Which files of its folder count, when it is an old registry.
    pub(crate) registry: Option<Arc<Registry>>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
}

/// A tool of a file, ready to be registered.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) tool: Tool,
    pub(crate) file: Arc<Path>,
    /// Where its name stands.
    pub(crate) place: (usize, usize),
    /// Where its needs stand.
    pub(crate) needs_place: (usize, usize),
    /// Stands for the whole definition: the same one made again need not replace the tool.
    pub(crate) digest: u64,
}

/// What is unique among tools.
pub(crate) type Key = (ToolName, Version);

impl Built {
    /// Takes a built-in tool as it is, though no file defines it.
    pub(crate) fn of_handler(tool: &Tool) -> Self {
        let tool = tool.clone();
        Self { tool, file: Path::new("").into(), place: (0, 0), needs_place: (0, 0), digest: 0 }
    }

    /// Tells whether no file defines it.
    pub(crate) fn is_built_in(&self) -> bool {
        self.file.as_os_str().is_empty()
    }

    pub(crate) fn key(&self) -> Key {
        (self.tool.spec.name.clone(), self.tool.spec.version.clone())
    }
}

/// A group of a file.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) group: Group,
    pub(crate) file: Arc<Path>,
    pub(crate) place: (usize, usize),
}

/// What files are read with.
#[derive(Clone, Debug)]
pub(crate) struct Workshop {
    pub(crate) makers: Makers,
    pub(crate) vault: Vault,
}

/// Reads the text of a file.
pub(crate) fn read(
    file: &Arc<Path>,
    text: &str,
    workshop: &Workshop,
    strictness: Strictness,
) -> Contents {
    let mut contents = Contents::default();
    let is_toml = toml_registry::is_toml(file);
    let parsed = if is_toml {
        toml_registry::parse(text).map(|document| vec![document])
    } else {
        yaml::parse(text)
    };
    let documents = match parsed {
        Ok(documents) => documents,
        Err(error) => {
            let place = (error.line, error.column);
            contents.problems.push(Problem::at(file, place, error.message));
            return contents;
        }
    };
    if is_toml {
        for document in &documents {
            contents.take_toml(file, document, workshop, strictness);
        }
        return contents;
    }
    // An empty document between two `---` lines defines nothing.
    for document in documents.iter().filter(|document| document.value != Content::Null) {
        let mut findings = Findings::default();
        if is_groups_file(file) {
            let groups = groups_file::read(&document.to_json(), &mut findings);
            contents.groups.extend(groups.into_iter().map(|(pointer, group)| Written {
                place: locate::place_at(document, &pointer),
                file: Arc::clone(file),
                group,
            }));
        } else if let Some(built) = build(file, document, workshop, &mut findings) {
            contents.tools.push(Arc::new(built));
        }
        findings.judge(strictness);
        contents.tell(file, document, &findings, workshop.vault.redactor());
    }
    contents
}

/// Reads the documents of a file as they are written; none when it cannot be read.
pub(crate) fn documents(file: &Path, text: &str, makers: &Makers) -> Vec<Value> {
    if !toml_registry::is_toml(file) {
        let documents = yaml::parse(text).unwrap_or_default();
        return documents.iter().map(Node::to_json).filter(Value::is_object).collect();
    }
    let document = toml_registry::parse(text).ok().filter(|_| !toml_registry::is_registry(file));
    let adapted = document.map(|document| toml_registry::adapt(file, &document, makers));
    adapted.map(|adapted| adapted.definition.to_json()).into_iter().collect()
}

/// Tells whether a file defines groups: `groups.yaml`, `groups.yml` or `groups.json`.
pub(crate) fn is_groups_file(file: &Path) -> bool {
    file.file_stem().is_some_and(|stem| stem == "groups")
}

fn build(
    file: &Arc<Path>,
    document: &Node,
    workshop: &Workshop,
    findings: &mut Findings,
) -> Option<Built> {
    let mut value = document.to_json();
    variables::fill(&mut value, &workshop.vault, findings);
    let definition = parse::definition(&value, findings)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let bench = entry::Bench { makers: &workshop.makers, vault: &workshop.vault, folder };
    let tool = entry::make(definition, bench, findings)?;
    Some(Built {
        tool,
        file: Arc::clone(file),
        place: locate::place_at(document, "/name"),
        needs_place: locate::place_at(document, "/depends_on"),
        digest: digest_of(&value, folder),
    })
}

/// The folder belongs to it: relative paths of an entry begin there.
fn digest_of(value: &Value, folder: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    folder.hash(&mut hasher);
    hasher.finish()
}

impl Contents {
    /// Takes a file of an old registry: the registry itself, or a tool.
    fn take_toml(
        &mut self,
        file: &Arc<Path>,
        document: &Node,
        workshop: &Workshop,
        strictness: Strictness,
    ) {
        let redactor = workshop.vault.redactor();
        if toml_registry::is_registry(file) {
            let mut read = Registry::read(file, document);
            read.findings.judge(strictness);
            self.groups = read.groups;
            self.registry = Some(Arc::new(read.registry));
            self.tell(file, document, &read.findings, redactor);
            return;
        }
        let mut adapted = toml_registry::adapt(file, document, &workshop.makers);
        let mut findings = Findings::default();
        if adapted.findings.faults.is_empty() {
            let built = build(file, &adapted.definition, workshop, &mut findings);
            self.tools.extend(built.map(Arc::new));
        }
        adapted.findings.judge(strictness);
        findings.judge(strictness);
        self.tell(file, document, &adapted.findings, redactor);
        self.tell(file, &adapted.definition, &findings, redactor);
    }

    /// Says where everything is; a message may quote a value that came from a variable.
    fn tell(&mut self, file: &Path, document: &Node, findings: &Findings, redactor: &Redactor) {
        let place = |fault| {
            let mut problem = locate::problem(file, document, fault);
            problem.message = redactor.text(&problem.message).into_owned();
            problem
        };
        let mut problems: Vec<Problem> = findings.faults.iter().map(place).collect();
        let warnings = findings.warnings.iter().map(|warning| place(&warning.fault));
        let mut warnings: Vec<Problem> = warnings.collect();
        for list in [&mut problems, &mut warnings] {
            list.sort();
            // A maker may find again what was found before it.
            list.dedup();
        }
        self.problems.append(&mut problems);
        self.warnings.append(&mut warnings);
    }
}
