//! Changing the tools of a running program, for administrators at its doors.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{task::spawn_blocking, time::sleep};
use toolsmith_core::{BoxFuture, ErrorKind, State, ToolError, ToolName};
use toolsmith_definitions::{Problem, Reloaded};
use toolsmith_engine::Engine;
use toolsmith_gateway::{Caretaker, Definition, Form, OnClash, Reload, Switch};

use super::house::Premises;
use crate::{catalogue, files};

/// How often it is looked again for a file that is gone: a reload doubts it the first time.
const LOOKS: u32 = 40;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

impl Caretaker for Premises {
    fn add(&self, definition: Definition) -> BoxFuture<'_, Result<ToolName, ToolError>> {
        let premises = self.clone();
        Box::pin(off_thread(move || premises.define(&definition)))
    }

    fn remove<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<(), ToolError>> {
        Box::pin(async move {
            let (premises, name) = (self.clone(), tool.clone());
            off_thread(move || premises.forget(&name)).await?;
            for _ in 0..LOOKS {
                self.reload_off_thread().await?;
                if !self.is_defined(tool) {
                    return Ok(());
                }
                sleep(BETWEEN_LOOKS).await;
            }
            Err(ToolError::failed(format!("The file of `{tool}` is gone, and the tool is not.")))
        })
    }

    fn switch<'a>(
        &'a self,
        tool: &'a ToolName,
        to: Switch,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        Box::pin(async move {
            let (switches, name, enabled) = (self.switches.clone(), tool.clone(), to == Switch::On);
            off_thread(move || {
                switches.set(&name, enabled).map_err(|error| {
                    ToolError::failed("The switch cannot be remembered.").with_source(error)
                })
            })
            .await?;
            self.reload_off_thread().await?;
            let entry = self.engine.registry().get(tool.as_str());
            if entry.is_some_and(|entry| entry.spec.enabled == enabled) {
                return Ok(());
            }
            let message = format!("The switch of `{tool}` takes effect with the next start.");
            Err(ToolError::new(ErrorKind::DependencyError, message))
        })
    }

    fn start<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<State, ToolError>> {
        Box::pin(async move {
            self.must_have_service(tool)?;
            for name in catalogue::with_needs(self.engine.registry(), tool.as_str())? {
                if let Some(held) = self.services.start(&name).await.transpose()? {
                    self.held.lock().insert(name, held);
                }
            }
            Ok(self.state_of(tool))
        })
    }

    fn stop<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<State, ToolError>> {
        Box::pin(async move {
            self.must_have_service(tool)?;
            self.held.lock().remove(tool.as_str());
            self.services.stop(tool.as_str()).await;
            Ok(self.state_of(tool))
        })
    }

    fn reload(&self) -> BoxFuture<'_, Result<Reload, ToolError>> {
        Box::pin(async move {
            let Reloaded { added, updated, removed, problems, .. } =
                self.reload_off_thread().await?;
            let problems = problems.iter().map(Problem::to_string).collect();
            Ok(Reload { added, updated, removed, problems })
        })
    }
}

impl Premises {
    async fn reload_off_thread(&self) -> Result<Reloaded, ToolError> {
        let definitions = self.definitions.clone();
        off_thread(move || Ok(definitions.reload())).await
    }

    /// Checks a definition like a file, writes it as one, and takes it into the registry.
    fn define(&self, definition: &Definition) -> Result<ToolName, ToolError> {
        let ending = match definition.form {
            Form::Json => "json",
            Form::Yaml => "yaml",
        };
        let checked =
            self.definitions.check(Path::new(&format!("tool.{ending}")), &definition.text);
        if !checked.problems.is_empty() {
            return Err(ToolError::validation(listed(&checked.problems)));
        }
        let [tool] = checked.tools.as_slice() else {
            return Err(ToolError::validation("Send the definition of one tool."));
        };
        let name = tool.spec.name.clone();
        let path = self.place_for(&name, ending)?;
        let is_there = self.engine.registry().has(name.as_str());
        if is_there && definition.on_clash == OnClash::Refuse {
            let message = format!("`{name}` is there already; `?replace=true` takes its place.");
            return Err(ToolError::validation(message));
        }
        if let Some(other) = self.file_of(&name)?.filter(|other| *other != path) {
            let file = other.file_name().unwrap_or_default().display();
            let message = format!("`{name}` is defined in the file {file}; change it there.");
            return Err(ToolError::validation(message));
        }
        let before = fs::read(&path).ok();
        write(&path, &definition.text)?;
        let reloaded = self.definitions.reload();
        let wrong: Vec<Problem> =
            reloaded.problems.into_iter().filter(|problem| problem.file == path).collect();
        if wrong.is_empty() && is_live(&self.engine, &name) {
            return Ok(name);
        }
        // What the registry does not take must not wait in the folder for the next start.
        match before {
            Some(before) => fs::write(&path, before),
            None => fs::remove_file(&path),
        }
        .map_err(unwritten)?;
        self.definitions.reload();
        Err(ToolError::validation(listed(&wrong)))
    }

    fn place_for(&self, name: &ToolName, ending: &str) -> Result<PathBuf, ToolError> {
        let folder = self.definitions.folders().first().ok_or_else(|| {
            ToolError::validation("There is no folder for tools; `tools_directory` names one.")
        })?;
        if name.as_str().starts_with('.') {
            let message = format!(
                "`{name}` begins with a dot: its file would be a hidden one, which is not read. \
                 Choose another name."
            );
            return Err(ToolError::validation(message));
        }
        // A name may hold what a file name may not.
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let stem: String = name.as_str().chars().map(plain).collect();
        Ok(folder.join(format!("{stem}.{ending}")))
    }

    /// Returns the file that defines a tool; an error when it defines others too.
    fn file_of(&self, name: &ToolName) -> Result<Option<PathBuf>, ToolError> {
        let written = self.definitions.written();
        let is_of = |value: &serde_json::Value| value["name"] == name.as_str();
        let Some((file, _)) = written.iter().find(|(_, value)| is_of(value)) else {
            return Ok(None);
        };
        if written.iter().filter(|(other, _)| other == file).count() > 1 {
            let shown = file.file_name().unwrap_or_default().display();
            let message = format!("The file {shown} defines `{name}` and others; change it there.");
            return Err(ToolError::validation(message));
        }
        Ok(Some(file.clone()))
    }

    fn forget(&self, name: &ToolName) -> Result<(), ToolError> {
        let file = self.file_of(name)?.ok_or_else(|| {
            ToolError::validation(format!("`{name}` is not defined in a file; disable it instead."))
        })?;
        fs::remove_file(file).map_err(unwritten)
    }

    fn is_defined(&self, name: &ToolName) -> bool {
        // A built-in tool comes back when the definition in its place goes.
        is_live(&self.engine, name) && !self.builtins.contains(name)
    }

    fn must_have_service(&self, tool: &ToolName) -> Result<(), ToolError> {
        match self.services.status(tool.as_str()) {
            Some(_) => Ok(()),
            None => Err(ToolError::validation(format!(
                "`{tool}` has no service of its own: it runs when it is called."
            ))),
        }
    }

    fn state_of(&self, tool: &ToolName) -> State {
        self.services.status(tool.as_str()).map_or(State::Stopped, |status| status.state)
    }
}

fn is_live(engine: &Engine, name: &ToolName) -> bool {
    engine.registry().has(name.as_str())
}

/// Writes a file as a whole: nobody reads half of it.
fn write(path: &Path, text: &str) -> Result<(), ToolError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Files with a dot in front are passed over.
    let beside = path.with_file_name(format!(".{name}.new"));
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::write(&beside, text))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(unwritten)
}

fn unwritten(error: io::Error) -> ToolError {
    let message =
        format!("The file of the definition cannot be changed: {}.", files::explain(&error));
    ToolError::failed(message).with_source(error)
}

fn listed(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    if lines.is_empty() {
        return "The definition is not taken: a tool of that name is built in.".to_owned();
    }
    lines.join("; ")
}

/// Does what reads and writes files off the threads that others need.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let broken = |_| ToolError::failed("The tools could not be changed; the log says why.");
    spawn_blocking(work).await.map_err(broken)?
}
