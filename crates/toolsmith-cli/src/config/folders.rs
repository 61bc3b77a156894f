//! Folders that cannot be meant: a file in the place of one, or one that is named and not there.

use std::path::Path;

use super::{Environment, Problem, Settings, Source, Sources, Template};

/// Says which folders of the settings cannot be used; relative ones are looked for in `folder`.
///
/// Messages show folders as they are written, since a variable may hold a secret.
pub(super) fn check(
    settings: &Settings,
    sources: &Sources,
    environment: &Environment,
    folder: &Path,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut look = |key: &str, template: &Template| {
        let source = sources.of(key);
        // A variable that is not set is complained of where the folder is needed.
        let Ok(resolved) = template.resolve(environment) else { return };
        let path = folder.join(resolved.text.expose());
        let is_wanted = key == "tools_directory" && matches!(source, Source::Flag { .. });
        let message = if path.is_file() {
            format!("`{template}` is a file; a folder is needed here")
        } else if is_wanted && !path.exists() {
            format!("there is no folder `{template}`")
        } else {
            return;
        };
        problems.push(Problem { source: source.clone(), key: key.to_owned(), message });
    };
    look("data_directory", &settings.data_directory);
    settings.tools_directory.iter().for_each(|template| look("tools_directory", template));
    problems
}
