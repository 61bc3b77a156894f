//! Commands: one process for each call, never through a shell.
//!
//! # The entry
//!
//! ```yaml
//! entry:
//!   type: command
//!   command: [grep, --count, --, "{pattern}", "{files}"]   # or a text: the program alone
//! ```
//!
//! | key | meaning |
//! |---|---|
//! | `command` | the program, or a list of it and its arguments |
//! | `args` | more arguments |
//! | `stdin` | `json` (the input; usual without placeholders), `none`, or a text with placeholders |
//! | `output` | `auto` (JSON if it is that, else text), `json`, `text`, `lines` |
//! | `env` | variables of the process, over those of the conversation and of Toolsmith |
//! | `cwd` | the folder it starts in, from the folder of the definition |
//! | `success_codes` | the exit codes that are no failure, `[0]` |
//! | `max_output` | the most bytes that it may write, 16 MiB |
//! | `limits` | `cpu_seconds`, `memory_mb`, `file_size_mb`, `open_files`, `processes` |
//! | `allow_dashes` | whether arguments that come from the input may begin with `-` |
//! | `stream` | whether lines are sent to the follower of the call as they come |
//!
//! `{name}` in an argument stands for a parameter and never leaves its argument. An argument that is
//! nothing but `{name}` becomes one argument for each item of a list. An argument whose parameter
//! is absent is left out; a list inside the list is left out as a whole: `[[--name, "{name}"]]`.
//! `{{name}}` is plain text. The program itself never comes from the input.

mod arguments;
mod entry;
mod executor;
mod follow;
mod output;
mod phrase;

use std::{collections::BTreeMap, sync::Arc};

use toolsmith_children::{Children, clean};
use toolsmith_core::{Draft, Fields, Kind, Made, Maker, Overlay, Work};

pub(crate) use self::entry::{read_env, read_limits};
use self::{entry::Entry, executor::CommandExecutor};

/// Makes tools that start a process for each call.
#[derive(Clone, Debug)]
pub struct CommandMaker {
    surroundings: Surroundings,
}

/// What every process of every tool gets.
#[derive(Clone)]
struct Surroundings {
    children: Children,
    environment: Arc<BTreeMap<String, String>>,
    overlay: Overlay,
}

impl CommandMaker {
    /// Takes our own environment, of which processes see a harmless part, and the conversations'.
    pub fn new(
        children: Children,
        environment: &BTreeMap<String, String>,
        overlay: Overlay,
    ) -> Self {
        let environment = Arc::new(clean(environment));
        Self { surroundings: Surroundings { children, environment, overlay } }
    }
}

impl Maker for CommandMaker {
    fn types(&self) -> &'static [&'static str] {
        &["command"]
    }

    fn kind(&self) -> Kind {
        Kind::Command
    }

    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made> {
        let mut entry = Entry::read(draft, entry)?;
        if let Some(confinement) = draft.confinement {
            entry.confine(confinement, draft.folder);
        }
        let streams = entry.stream;
        let executor = CommandExecutor::new(entry, draft, self.surroundings.clone());
        Some(Made { work: Work::Async(Arc::new(executor)), runtime: None, streams })
    }

    fn can_confine(&self) -> bool {
        true
    }
}

/// Values of variables may be secrets, so only their names are shown.
impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings")
            .field("environment", &self.environment.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
