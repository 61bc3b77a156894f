//! What every command is given: global flags, the environment, and where to print.

use std::{io, path::Path};

use serde::Serialize;
use toolsmith_core::Redactor;

use crate::{
    args::Globals,
    config::{self, ConfigError, Environment, Flag, Inputs, Loaded},
    logging,
    output::{self, Colour, Form, Output},
};

/// One run of the command.
#[derive(Debug)]
pub struct Session {
    /// The flags that every word takes.
    pub globals: Globals,
    /// The environment of the process.
    pub environment: Environment,
    /// Where results go.
    pub output: Output,
    /// Knows the secrets of the configuration, once it is loaded.
    pub redactor: Redactor,
}

impl Session {
    /// Starts a session.
    pub fn new(globals: Globals, environment: Environment, output: Output) -> Self {
        let output = if environment.forbids_colour() { output.without_colour() } else { output };
        Self { globals, environment, output, redactor: Redactor::default() }
    }

    /// Loads the configuration, switches logging on, and logs the warnings.
    ///
    /// Only words that need settings call it, so that a broken file does not stop the others.
    pub fn load(&self) -> Result<Loaded, ConfigError> {
        self.load_with(Vec::new())
    }

    /// The same, with flags of one word that set keys too.
    pub fn load_with(&self, own: Vec<Flag>) -> Result<Loaded, ConfigError> {
        let mut flags = self.globals.as_settings();
        flags.extend(own);
        let loaded = config::load(&Inputs {
            file: self.globals.config.as_deref(),
            folder: Path::new(""),
            environment: &self.environment,
            flags: &flags,
        })?;
        for secret in config::secrets(&loaded.settings, &self.environment) {
            self.redactor.add(&secret);
        }
        logging::start(&loaded.settings.log, &self.environment, &self.redactor);
        for warning in &loaded.warnings {
            tracing::warn!("{warning}");
        }
        Ok(loaded)
    }

    /// Prints a result in the form that its reader wants, without the secrets in use.
    ///
    /// Definitions may have values of variables in their texts and defaults.
    pub fn show<T: Serialize>(
        &self,
        value: &T,
        text: impl FnOnce(Colour) -> String,
    ) -> io::Result<()> {
        match self.output.form {
            Form::Json => {
                let mut value = serde_json::to_value(value)?;
                self.redactor.value(&mut value);
                output::print_json(&value)
            }
            Form::People => output::print(&self.redactor.text(&text(self.output.colour))),
        }
    }
}
