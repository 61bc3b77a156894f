//! `toolsmith render` and `toolsmith parse`

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use toolsmith_dialects::Dialect;

/// Shows tools to a model in its dialect.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith render --dialect openai-chat calculator echo
  toolsmith render --dialect xml --instructions en > system-prompt.txt
  toolsmith tools search hash --json | jq -r '.tools[].name' | toolsmith render --dialect mcp -
  toolsmith parse --dialect hermes --json reply.txt | toolsmith render --dialect anthropic --calls
  toolsmith run echo message=hi --json | toolsmith render --dialect glm --results

Without names the tools are shown that are meant to be; more than --most, or tools that are only
to be found, are shown as the pair `search_tools` and `call_tool`. What had to be changed for the
provider is told on standard error.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Render {
    /// The dialect
    #[arg(long, value_name = "DIALECT", value_parser = written())]
    pub dialect: Dialect,
    /// The tools, with a version where it matters; `-` reads them from standard input, one a line
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Write calls instead: each line of standard input is one, {"name": …, "arguments": {…}}
    #[arg(long, conflicts_with_all = ["names", "results", "instructions", "json"])]
    pub calls: bool,
    /// Write results instead: each line of standard input is an outcome of `toolsmith run --json`
    #[arg(long, conflicts_with_all = ["names", "instructions", "json"])]
    pub results: bool,
    /// Add how calls are to be written, for the XML dialect
    #[arg(long, value_name = "LANGUAGE")]
    pub instructions: Option<Tongue>,
    /// Give every schema and parameter a title
    #[arg(long)]
    pub titles: bool,
    /// Let the provider hold the model to the schemas, where they can be written so
    #[arg(long)]
    pub strict: bool,
    /// Show so many tools at most, and the pair instead of more
    #[arg(long, value_name = "N", default_value = "128", value_parser = super::limit)]
    pub most: u32,
}

/// The language of instructions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Tongue {
    /// English
    En,
    /// Chinese
    Zh,
}

/// What the model's reasoning is.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Thinking {
    /// No part of the answer
    Apart,
    /// The same, and the reply begins inside it
    Begun,
    /// Text like any other, calls included
    Text,
}

/// Reads the calls in the reply of a model.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith parse reply.txt
  toolsmith parse --dialect openai-chat --json < response.json | jq '.calls'
  toolsmith parse --tools my-tools --dialect xml --json reply.txt
  my-model | toolsmith parse --dialect qwen-coder --events

The reply is read as it comes. Text is passed through, calls are shown when they are whole, and
what is odd is told on standard error with its place in bytes. --events prints one JSON event a
line as soon as it is known, --json one document at the end:
  {\"calls\": [{\"name\", \"arguments\"}], \"text\", \"problems\": [{\"kind\", \"message\", \"start\", \"end\"}]}
Calls that are not finished or cannot be read are never among `calls`, but in `set_aside`.
Values are typed by the schemas of the tools, those of --tools among them. Nothing is run.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Parse {
    /// A file, or `-` for standard input
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub file: String,
    /// The dialect; `auto` finds it out
    #[arg(long, value_name = "DIALECT", default_value = "auto", value_parser = read())]
    pub dialect: Dialect,
    /// Print events as they come, one JSON object a line
    #[arg(long, conflicts_with = "json")]
    pub events: bool,
    /// Take calls inside code fences for calls, not for examples
    #[arg(long)]
    pub fenced: bool,
    /// Decode entities such as &lt; in values
    #[arg(long)]
    pub entities: bool,
    /// What the text between <think> and </think> is: `apart` from the answer, `begun` when the
    /// prompt has opened it, or `text` like any other
    #[arg(long, value_name = "WORD", default_value = "apart")]
    pub thoughts: Thinking,
    /// Take arguments that are not quite JSON for unreadable
    #[arg(long)]
    pub no_repair: bool,
}

fn written() -> impl TypedValueParser<Value = Dialect> {
    dialect(Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect())
}

fn read() -> impl TypedValueParser<Value = Dialect> {
    let all = Dialect::ALL.iter().map(|dialect| dialect.as_str());
    dialect(std::iter::once(Dialect::Auto.as_str()).chain(all).collect())
}

fn dialect(names: Vec<&'static str>) -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Dialect>())
}
