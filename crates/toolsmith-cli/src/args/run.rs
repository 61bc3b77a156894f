//! `toolsmith run` and `toolsmith batch`

use std::time::Duration;

use clap::Args;

/// Calls one tool.
#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "`dry_run` is the name of the flag")]
#[command(after_help = "\
Examples:
  toolsmith run echo message=hello
  toolsmith run calculator expression='2*(3+4)' --json
  toolsmith run write_file path=data/note.txt content=@note.txt

A value is typed by the tool's schema: `n=3` is a number where the schema says so.
`key:=JSON` gives JSON, `key=@FILE` the content of a file, `key=@@x` the text `@x`.")]
pub struct Run {
    /// The tool, with a version where it matters: NAME, NAME@1.2.0, NAME@^1
    pub name: String,
    /// Its input
    #[arg(value_name = "KEY=VALUE")]
    pub pairs: Vec<String>,
    /// The whole input as JSON, from a file, or from standard input; KEY=VALUE goes on top
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub params: Option<String>,
    /// Check the call and stop before it runs
    #[arg(long)]
    pub dry_run: bool,
    /// The conversation that the call belongs to
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// How long the call may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
}

/// Calls many tools at once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith batch calls.json
  echo '[{\"tool\": \"echo\", \"params\": {\"message\": \"hi\"}}]' | toolsmith batch -")]
pub struct Batch {
    /// A file with a JSON list of calls, or `-` for standard input
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub file: String,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let duration = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .filter(|duration| !duration.is_zero() && *duration <= Duration::from_hours(24 * 365))
        .ok_or_else(|| "expected a number of seconds above 0, at most a year".to_owned())
}
