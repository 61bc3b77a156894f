//! The flags that every word takes.

use std::path::PathBuf;

use clap::Args;

use crate::config::Flag;

/// The flags that every word takes, before or after the word.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// Read this configuration [default: toolsmith.yaml when it is there]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Read tool definitions from this folder; may be repeated [default: tools]
    #[arg(long, global = true, value_name = "DIR")]
    pub tools: Vec<String>,
    /// Keep the database and artifacts in this folder [default: .toolsmith]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<String>,
    /// Log this much: off, error, warn, info, debug or trace [default: warn]
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log: Option<String>,
    /// Print one JSON document on standard output and nothing else there
    #[arg(long, global = true)]
    pub json: bool,
}

impl Globals {
    /// Returns the flags that set keys of the configuration.
    pub fn as_settings(&self) -> Vec<Flag> {
        let one = |value: &Option<String>| value.iter().cloned().collect();
        vec![
            Flag { name: "--tools", key: "tools_directory", values: self.tools.clone() },
            Flag { name: "--data", key: "data_directory", values: one(&self.data) },
            Flag { name: "--log", key: "log", values: one(&self.log) },
        ]
    }
}
