//! `toolsmith run` and `toolsmith batch`

use std::time::Duration;

use clap::Args;

/// Calls one tool.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_field_names, reason = "`dry_run` is the name of the flag")]
#[command(after_help = "\
Examples:
  toolsmith run echo message=hello
  toolsmith run calculator expression='2*(3+4)' --json
  toolsmith run echo message=@note.txt
  echo '{\"expression\": \"1/3\"}' | toolsmith run calculator --params - precision=2

A value is typed by the tool's schema: `n=3` is a number where the schema says so.
`key:=JSON` gives JSON, `key=@FILE` the content of a file, `key=@@x` the text `@x`.

The output goes to standard output: the field `result` or the only field of an object, text as
it is, everything else as JSON; --json prints the whole outcome. Ctrl-C cancels the call, a
second one ends at once.

Exit codes: 0 success, 1 the tool failed, 2 wrong arguments or configuration, 3 no such tool,
4 wrong input, 5 not allowed, 6 out of time, 7 refused for now, 130 cancelled.")]
pub struct Run {
    /// The tool, with a version where it matters: NAME, NAME@1.2.0, NAME@^1
    pub name: String,
    /// Its input
    #[arg(value_name = "KEY=VALUE")]
    pub pairs: Vec<String>,
    /// The whole input as JSON, from a file, or from standard input; KEY=VALUE goes on top
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub params: Option<String>,
    /// Check the call, print its input, and stop before it runs
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
  toolsmith batch calls.jsonl
  toolsmith batch calls.json --json | jq '.outcomes[].output'
  echo '{\"tool\": \"echo\", \"params\": {\"message\": \"hi\"}}' | toolsmith batch -

One call a line (JSON Lines), or a JSON list of calls:
  {\"tool\": NAME, \"params\": {…}, \"context\": {\"conversation_id\": …, \"thread_id\": …,
   \"task_id\": …, \"workflow_id\": …, \"timeout\": SECONDS, \"priority\": …,
   \"idempotency_key\": …, \"variables\": {…}}}
Only `tool` is needed. Calls run at the same time, outcomes come in their order, and a failure
stops no other call. Of a list nothing runs unless all of it can be read; lines are read and run a
thousand at a time.

Exit codes: 0 when every call succeeded, else that of the first failure as in `toolsmith run`;
2 when a call cannot be read.")]
pub struct Batch {
    /// A file with calls, or `-` for standard input
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub file: String,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(call_timeout);
    seconds.ok_or_else(|| "expected a number of seconds above 0, at most a year".to_owned())
}

/// Takes a number of seconds for the time that a call may take: above 0, at most a year.
pub(crate) fn call_timeout(seconds: f64) -> Option<Duration> {
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    (!duration.is_zero() && duration <= Duration::from_hours(24 * 365)).then_some(duration)
}
