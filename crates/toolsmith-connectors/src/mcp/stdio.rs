//! Starts the program of a server.

use std::{io, path::Path};

use toolsmith_children::{Child, ChildError, Command, find};
use toolsmith_core::{Advice, ToolError, json};

use super::{settings::Program, surroundings::Surroundings};
use crate::confine;

/// Starts the program with a clean environment and what its settings add.
pub(super) async fn start(
    server: &str,
    program: &Program,
    folder: &Path,
    surroundings: &Surroundings,
) -> Result<Child, ToolError> {
    let command = command(server, program, folder, surroundings)?;
    let started = surroundings.children.spawn(command).await;
    started.map_err(|error| not_started(server, &error).with_source(error))
}

fn command(
    server: &str,
    program: &Program,
    folder: &Path,
    surroundings: &Surroundings,
) -> Result<Command, ToolError> {
    let vault = &surroundings.vault;
    let mut env = surroundings.environment.as_ref().clone();
    for (name, template) in &program.env {
        env.insert(name.clone(), vault.fill(template)?.expose().clone());
    }
    let name = vault.fill(&program.command)?.expose().clone();
    let path = env.get("PATH").cloned().unwrap_or_default();
    let missing = |error: ChildError| not_started(server, &error).with_source(error);
    let file = find(&name, &path, folder).map_err(missing)?;
    let file = std::path::absolute(file).map_err(|error| missing(error.into()))?;
    let base = folder;
    let folder = match &program.cwd {
        Some(cwd) => folder.join(vault.fill(cwd)?.expose()),
        None => folder.to_owned(),
    };
    if !folder.is_dir() {
        return Err(ToolError::upstream(format!(
            "The MCP server `{server}` cannot be started: there is no folder `{}`. Create it, or \
             correct its `cwd`.",
            folder.display()
        )));
    }
    let args = program.args.iter().map(|arg| Ok(vault.fill(arg)?.expose().clone()));
    let args: Vec<String> = args.collect::<Result<_, ToolError>>()?;
    let mut command = Command::new(file, &folder).with_args(args).with_env(env);
    command.name = Some(name.into());
    if let Some(confinement) = &program.sandbox {
        command.sandbox = Some(confine::sandbox(confinement, base));
        command.limits = confine::limits(confinement, command.limits);
    }
    Ok(command)
}

fn not_started(server: &str, error: &ChildError) -> ToolError {
    let why = match error {
        ChildError::NotFound { program, .. } if program.contains('/') => {
            format!("there is no program `{program}`. Correct its `command`")
        }
        ChildError::NotFound { program, .. } => format!(
            "there is no program `{program}` in the folders of PATH. Install it, or give its whole \
             path as `command`"
        ),
        ChildError::Start { program, source } => {
            let kind = source.kind();
            let hint = match kind {
                io::ErrorKind::PermissionDenied => "Make the file executable",
                _ => "Check the file and what runs it",
            };
            format!("`{program}` does not start: {kind}. {hint}")
        }
        ChildError::Sandbox { lack, .. } => {
            format!("its sandbox cannot be enforced on this machine: {lack}")
        }
        ChildError::Unshown(source) => format!(
            "its sandbox cannot be set up: {source}. Create what is missing, or correct `sandbox`"
        ),
        _ => "it cannot be talked to".to_owned(),
    };
    let searched = match error {
        ChildError::NotFound { searched, .. } => Some(searched),
        _ => None,
    };
    ToolError::upstream(format!("The MCP server `{server}` cannot be started: {why}."))
        .with_advice(Advice::Final)
        .with_details(json!({ "server": server, "searched": searched }))
}
