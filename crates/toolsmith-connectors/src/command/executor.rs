//! Starts the process of a call and makes its output of what the process writes.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use toolsmith_children::{ChildError, Command, Exchange, Exit, Finished, Follower, Overflow, find};
use toolsmith_core::{
    Advice, BoxFuture, Draft, Executor, ToolContext, ToolError, Value, Vault, json,
};

use super::{
    Surroundings,
    entry::{Entry, Stdin},
    follow::Lines,
    output,
};

/// How much of the complaints of a failed program goes into the error.
const COMPLAINTS: usize = 4 * 1024;

/// How much more is read, so that a secret at its beginning is whole or cut off.
const SPARE: usize = 16 * 1024;

/// How much of that goes into the message; the details hold the rest.
const IN_MESSAGE: usize = 1_000;

/// Runs the command of one tool.
#[derive(Debug)]
pub(super) struct CommandExecutor {
    entry: Entry,
    folder: PathBuf,
    vault: Vault,
    surroundings: Surroundings,
}

impl CommandExecutor {
    pub(super) fn new(entry: Entry, draft: &Draft<'_>, surroundings: Surroundings) -> Self {
        // An empty path is the current folder, but no folder that a process could start in.
        let folder = Path::new(".").join(draft.folder);
        Self { entry, folder, vault: draft.vault.clone(), surroundings }
    }

    async fn run(&self, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        let command = self.command(cx, &input)?;
        let stdin = self.stdin(&input)?;
        let mut lines = self.entry.stream.then(|| Lines::new(cx));
        let exchange = Exchange {
            stdin,
            max_stdout: self.entry.max_output,
            overflow: Overflow::Fail,
            max_stderr: COMPLAINTS + SPARE,
            follower: lines.as_mut().map(|lines| lines as &mut dyn Follower),
        };
        let run = self.surroundings.children.run(command, exchange).await;
        if let Some(lines) = lines {
            lines.finish().await;
        }
        let finished = run.map_err(not_run)?;
        match finished.exit {
            Exit::Code(code) if self.entry.success_codes.contains(&code) => {
                self.entry.form.read(finished.stdout)
            }
            _ => Err(self.failed(finished)),
        }
    }

    fn command(&self, cx: &ToolContext, input: &Value) -> Result<Command, ToolError> {
        let Entry { program, arguments, cwd, limits, sandbox, .. } = &self.entry;
        let mut env = BTreeMap::clone(&self.surroundings.environment);
        let own = self.entry.env.iter().map(|(name, template)| {
            Ok((name.clone(), self.vault.fill(template)?.expose().clone()))
        });
        let own: BTreeMap<String, String> = own.collect::<Result<_, ToolError>>()?;
        // The program is looked for before the conversation has its say: it must not be able to
        // put another one in its place.
        let path = own.get("PATH").or_else(|| env.get("PATH")).cloned().unwrap_or_default();
        let name = self.vault.fill(program)?.expose().clone();
        let file = find(&name, &path, &self.folder).map_err(not_run)?;
        let overlay = self.surroundings.overlay.of(cx.context());
        env.extend(overlay);
        // Programs that trace read their place from here.
        let trace = cx.context().trace;
        env.extend(trace.map(|trace| ("TRACEPARENT".to_owned(), trace.to_string())));
        env.extend(own);
        let folder = match cwd {
            Some(cwd) => self.folder.join(self.vault.fill(cwd)?.expose()),
            None => self.folder.clone(),
        };
        // The system would only say that something was not found, which is taken for the program.
        if !folder.is_dir() {
            return Err(ToolError::failed(format!(
                "There is no folder `{}` for the program to start in. Create it, or correct `cwd`.",
                folder.display()
            )));
        }
        // A relative path would be looked for from the folder that the process starts in.
        let file = std::path::absolute(file).map_err(ChildError::Pipes).map_err(not_run)?;
        let mut command = Command::new(file, &folder)
            .with_args(arguments.fill(&self.vault, input)?)
            .with_env(env)
            .with_limits(*limits);
        command.name = Some(name.into());
        command.sandbox.clone_from(sandbox);
        Ok(command)
    }

    fn stdin(&self, input: &Value) -> Result<Vec<u8>, ToolError> {
        match &self.entry.stdin {
            Stdin::Json => Ok(format!("{input}\n").into_bytes()),
            Stdin::Nothing => Ok(Vec::new()),
            Stdin::Text(phrase) => Ok(phrase.fill_loosely(&self.vault, input)?.into_bytes()),
        }
    }

    fn failed(&self, finished: Finished) -> ToolError {
        let Finished { exit, stdout, stderr_tail, .. } = finished;
        let stderr = output::text(stderr_tail);
        // Some programs complain where others answer.
        let complaint = if stderr.trim().is_empty() { output::text(stdout) } else { stderr };
        // Before it is cut: the rest of a secret that is cut in two is not recognised any more.
        let complaint = self.vault.redactor().text(&complaint);
        let complaint = end(&complaint, COMPLAINTS);
        let message = match end(complaint, IN_MESSAGE).trim() {
            "" => format!("The program `{}` ended with {exit}.", self.entry.program),
            said => format!("The program `{}` ended with {exit}: {said}", self.entry.program),
        };
        let details = json!({
            "exit_code": exit.code(),
            "signal": exit.signal_name(),
            "stderr": complaint,
        });
        let error = ToolError::failed(message).with_details(details);
        // A program that complains may be content with another input; one that crashed will not be.
        if exit.code().is_some() { error.with_advice(Advice::Differently) } else { error }
    }
}

impl Executor for CommandExecutor {
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(self.run(cx, input))
    }
}

/// Returns the end of a text, at most so many bytes of it.
fn end(text: &str, most: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(most));
    text.get(start..).unwrap_or_default()
}

fn not_run(error: ChildError) -> ToolError {
    match &error {
        ChildError::NotFound { program, .. } if program.contains('/') => ToolError::failed(format!(
            "There is no program `{program}`, counted from the folder of the definition. Correct \
             the path; arguments stand in the list after it."
        )),
        ChildError::NotFound { program, searched } => ToolError::failed(format!(
            "There is no program `{program}` in the folders of PATH, which were searched. Install \
             it, or give its whole path."
        ))
        .with_details(json!({ "searched": searched })),
        ChildError::Start { source, .. } if source.kind() == io::ErrorKind::ArgumentListTooLong => {
            ToolError::try_differently("The arguments are longer than the system allows; send less.")
        }
        ChildError::TooMuchOutput { limit } => ToolError::try_differently(format!(
            "The program wrote more than {limit} bytes and was ended; ask for less."
        )),
        ChildError::Sandbox { lack, .. } => ToolError::failed(format!(
            "The tool was not run, since its sandbox cannot be enforced on this machine: {lack}."
        )),
        ChildError::Unshown(source) => ToolError::failed(format!(
            "The tool was not run, since its sandbox cannot be set up: {source}. Create what is \
             missing, or correct `sandbox`."
        )),
        ChildError::Start { program, source } => ToolError::failed(format!(
            "The program `{program}` cannot be started: {}. Check the file, what runs it, and `cwd`.",
            source.kind()
        )),
        _ => ToolError::failed("The program could not be talked to."),
    }
    .with_source(error)
}
