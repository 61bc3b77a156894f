//! One definition file, and what is known of its tool.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering::SeqCst},
};

use serde_json::Value;
use toolsmith_core::ToolSpec;

/// A definition file whose every part carries the number of its generation.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) file: PathBuf,
    make: Make,
    /// The newest generation that was written.
    written: AtomicU64,
    /// The newest generation that was seen in service.
    live: AtomicU64,
    /// Odd while the file is away, until its tool was seen again.
    away: AtomicU64,
    /// How many things were done to the file.
    round: AtomicU64,
}

/// What runs the tool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Make {
    Javascript,
    Command,
    Builtin,
}

/// What was known of a place at one moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) live: u64,
    pub(super) away: u64,
    pub(super) round: u64,
}

impl Known {
    pub(super) fn is_away(self) -> bool {
        self.away % 2 == 1
    }
}

impl Place {
    pub(super) fn new(folder: &Path, number: usize) -> Self {
        let make = [Make::Javascript, Make::Command, Make::Builtin][number % 3];
        let name = format!("tool_{number}");
        Self {
            file: folder.join(format!("{name}.yaml")),
            name,
            make,
            written: AtomicU64::new(0),
            live: AtomicU64::new(0),
            away: AtomicU64::new(0),
            round: AtomicU64::new(0),
        }
    }

    pub(super) fn known(&self) -> Known {
        Known {
            live: self.live.load(SeqCst),
            away: self.away.load(SeqCst),
            round: self.round.load(SeqCst),
        }
    }

    pub(super) fn written(&self) -> u64 {
        self.written.load(SeqCst)
    }

    pub(super) fn is_live(&self, generation: u64) {
        self.live.store(generation, SeqCst);
    }

    /// Notes that the file goes away, or that its tool is back.
    pub(super) fn turn(&self) {
        self.away.fetch_add(1, SeqCst);
    }

    /// Counts what is done to the file; returns the count.
    pub(super) fn next_round(&self) -> u64 {
        self.round.fetch_add(1, SeqCst) + 1
    }

    /// Returns the next generation and its text.
    pub(super) fn next(&self) -> (u64, String) {
        let generation = self.written.fetch_add(1, SeqCst) + 1;
        (generation, self.definition(generation))
    }

    /// Writes the next generation in one go.
    pub(super) fn write_next(&self) -> io::Result<u64> {
        let (generation, text) = self.next();
        fs::write(&self.file, text)?;
        Ok(generation)
    }

    fn definition(&self, generation: u64) -> String {
        let (parameter, entry) = match self.make {
            Make::Javascript => (
                format!("{{name: generation, type: integer, default: {generation}}}"),
                format!(
                    "{{type: javascript, code: \"function main(input) {{ return [{generation}, \
                     input.generation]; }}\"}}"
                ),
            ),
            Make::Command => (
                format!("{{name: generation, type: integer, default: {generation}}}"),
                format!(
                    "{{type: command, command: [/bin/echo, \"{generation}\", \"{{generation}}\"]}}"
                ),
            ),
            Make::Builtin => (
                format!("{{name: message, type: string, default: \"{generation}\"}}"),
                "{type: builtin, handler: echo}".to_owned(),
            ),
        };
        format!(
            "name: {}\nversion: \"1.0.{generation}\"\ndescription: \"{generation}\"\n\
             annotations: {{read_only: true}}\nparameters:\n  - {parameter}\nentry: {entry}\n",
            self.name
        )
    }

    /// Returns a text that is wrong, in a line of its own number.
    pub(super) fn broken(&self, number: u64) -> (u64, String) {
        let above = number % 997;
        let pad = "# broken\n".repeat(usize::try_from(above).unwrap_or_default());
        let rest = match number % 3 {
            0 => format!("{{name: {}, paramters: []}}\n", self.name),
            1 => "name: [\"never closed\n".to_owned(),
            _ => format!("{{name: {}, description: x, timeout: soon}}\n", self.name),
        };
        (above, pad + &rest)
    }

    /// Returns every number of generation that an output carries.
    pub(super) fn numbers(&self, output: &Value) -> Vec<Option<u64>> {
        match self.make {
            Make::Javascript => {
                output.as_array().map_or(vec![None], |all| all.iter().map(Value::as_u64).collect())
            }
            Make::Command => {
                let words = output.as_str().unwrap_or("none").split_whitespace();
                words.map(|word| word.parse().ok()).collect()
            }
            Make::Builtin => vec![output["message"].as_str().and_then(|text| text.parse().ok())],
        }
    }

    /// Returns the generation that the version of a tool tells.
    pub(super) fn generation_of(spec: &ToolSpec) -> Option<u64> {
        spec.version.to_string().rsplit('.').next()?.parse().ok()
    }

    /// Returns every number of generation that a description of the tool carries.
    pub(super) fn described(spec: &ToolSpec) -> Vec<Option<u64>> {
        let schema = spec.input_schema.to_value();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let default = properties.map(|(_, property)| match &property["default"] {
            Value::String(text) => text.parse().ok(),
            other => other.as_u64(),
        });
        let own = [Self::generation_of(spec), spec.description.parse().ok()];
        own.into_iter().chain(default).collect()
    }
}
