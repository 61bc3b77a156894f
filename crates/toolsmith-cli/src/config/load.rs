//! Putting the layers together: flags over environment over file over defaults.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    ConfigError, Environment, Flag, Problem, Settings, Source, Template, folders, keys,
    kinds::Fault,
    layers::{self, Assignment, Layer},
};

/// The file that is read when it is there and no other is named.
pub const FILE_NAME: &str = "toolsmith.yaml";

/// Where a configuration is read from.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// The file that the user named; it must be there.
    pub file: Option<&'a Path>,
    /// The current folder, where `toolsmith.yaml` is looked for.
    pub folder: &'a Path,
    /// The environment.
    pub environment: &'a Environment,
    /// The flags that set keys.
    pub flags: &'a [Flag],
}

/// A configuration in force.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Where each of them came from.
    pub sources: Sources,
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
    /// What will not work, though the configuration is right: variables that are not set.
    pub warnings: Vec<Problem>,
}

/// Where each setting came from.
#[derive(Clone, Debug, Default)]
pub struct Sources(BTreeMap<&'static str, (Source, &'static str)>);

impl Sources {
    /// Returns where the setting of a dotted key came from.
    pub fn of(&self, key: &str) -> &Source {
        self.0.get(key).map_or(&Source::Default, |(source, _)| source)
    }

    /// Describes where it came from, with the key that set it when that was another one.
    pub fn describe(&self, key: &str) -> String {
        match self.0.get(key) {
            Some((source @ Source::File { .. }, by)) if *by != key => format!("{source} ({by})"),
            Some((source, _)) => source.to_string(),
            None => Source::Default.to_string(),
        }
    }
}

/// Loads a configuration, or says everything that is wrong with it.
///
/// ```
/// use std::path::Path;
/// use toolsmith_cli::config::{self, Environment, Inputs};
///
/// let environment = Environment::from_iter([("TOOLSMITH_LIMITS_MAX_CONCURRENT", "3")]);
/// let folder = Path::new("/nowhere");
/// let inputs = Inputs { file: None, folder, environment: &environment, flags: &[] };
/// let loaded = config::load(&inputs).unwrap();
/// assert_eq!(loaded.settings.limits.max_concurrent, 3);
/// assert_eq!(
///     loaded.sources.of("limits.max_concurrent").to_string(),
///     "environment TOOLSMITH_LIMITS_MAX_CONCURRENT"
/// );
/// ```
pub fn load(inputs: &Inputs<'_>) -> Result<Loaded, ConfigError> {
    let mut loading = Loading::of(inputs.environment);
    let file = inputs.file.map(Path::to_path_buf).or_else(|| {
        let usual = inputs.folder.join(FILE_NAME);
        usual.exists().then(|| PathBuf::from(FILE_NAME))
    });
    if let Some(name) = &file {
        loading.apply(layers::file(&inputs.folder.join(name), name));
    }
    loading.apply(layers::environment(inputs.environment));
    loading.apply(layers::flags(inputs.flags));
    if loading.problems.is_empty() {
        let Loading { settings, sources, .. } = &loading;
        loading.problems = folders::check(settings, sources, inputs.environment, inputs.folder);
    }
    if !loading.problems.is_empty() {
        return Err(ConfigError { problems: loading.problems });
    }
    let warnings = loading.warnings();
    Ok(Loaded { settings: loading.settings, sources: loading.sources, file, warnings })
}

/// The key that set a setting, with the value as shown and the templates in it.
type Earlier = (&'static str, (Value, Vec<Template>));

struct Loading<'a> {
    environment: &'a Environment,
    settings: Settings,
    sources: Sources,
    problems: Vec<Problem>,
}

impl<'a> Loading<'a> {
    fn of(environment: &'a Environment) -> Self {
        let (settings, sources) = (Settings::default(), Sources::default());
        Self { environment, settings, sources, problems: Vec::new() }
    }

    fn apply(&mut self, layer: Layer) {
        let mut problems = layer.problems;
        let mut set = BTreeMap::new();
        for assignment in layer.assignments {
            problems.extend(self.assign(assignment, &mut set));
        }
        problems.sort_by_key(|problem| match problem.source {
            Source::File { line, column, .. } => (line, column),
            _ => (0, 0),
        });
        self.problems.append(&mut problems);
    }

    /// Fills in one setting; `set` remembers what this layer has set already.
    fn assign(
        &mut self,
        assignment: Assignment,
        set: &mut BTreeMap<&'static str, Earlier>,
    ) -> Vec<Problem> {
        let Assignment { row, node, source } = assignment;
        if let Err(faults) = (row.slot)(&mut self.settings).read(&node, self.environment) {
            let problem = |fault: Fault| Problem {
                source: at(&source, fault.line, fault.column),
                key: format!("{}{}", row.name, fault.path),
                message: fault.message,
            };
            return faults.into_iter().map(problem).collect();
        }
        let key = row.setting();
        let slot = (row.slot)(&mut self.settings);
        // Templates are compared too: two variables look alike when they are shown.
        let value = (slot.show(), slot.templates());
        match set.get(key) {
            Some((other, earlier)) if *earlier != value => {
                let message = format!(
                    "contradicts `{other}`, which sets the same to another value; \
                     remove one of them"
                );
                return vec![Problem { source, key: row.name.to_owned(), message }];
            }
            Some(_) if row.name != key => {}
            _ => {
                set.insert(key, (row.name, value));
                self.sources.0.insert(key, (source, row.name));
            }
        }
        Vec::new()
    }

    fn warnings(&mut self) -> Vec<Problem> {
        let mut warnings = Vec::new();
        for row in keys::settings() {
            for template in (row.slot)(&mut self.settings).templates() {
                let missing = template.missing(self.environment).into_iter();
                warnings.extend(missing.map(|missing| Problem {
                    source: self.sources.of(row.name).clone(),
                    key: row.name.to_owned(),
                    message: missing.to_string(),
                }));
            }
        }
        warnings
    }
}

/// Moves a place in a file to the line and column of a fault; other sources have no lines.
fn at(source: &Source, line: usize, column: usize) -> Source {
    match source {
        Source::File { path, .. } => Source::File { path: path.clone(), line, column },
        other => other.clone(),
    }
}
