//! `toolsmith serve`

use clap::Args;

use crate::config::Flag;

/// Serves the tools to other programs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith serve
  toolsmith serve --listen 127.0.0.1:9000
  curl -d '{\"tool_id\": \"echo\", \"params\": {\"message\": \"hi\"}}' \\
       -H 'Content-Type: application/json' http://127.0.0.1:8001/run_tool

Ctrl-C lets calls under way end, pressing it again cuts them off, and once more ends at once.")]
pub struct Serve {
    /// Listen on this address and port; port 0 takes a free one [default: 127.0.0.1:8001]
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<String>,
}

impl Serve {
    /// Returns the flags that set keys of the configuration.
    pub fn as_settings(&self) -> Vec<Flag> {
        let values = self.listen.iter().cloned().collect();
        vec![Flag { name: "--listen", key: "serve.listen", values }]
    }
}
