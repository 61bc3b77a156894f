//! `toolsmith import …`

use std::path::PathBuf;

use clap::{Args, Subcommand, builder::PossibleValuesParser};

/// What to make tools of.
#[derive(Debug, Subcommand)]
pub enum ImportWord {
    /// Make tools of the operations of an OpenAPI document (3.0, 3.1, 3.2, Swagger 2.0).
    Openapi(ImportOpenapi),
    /// Take over the MCP servers of another client.
    Mcp(ImportMcp),
    /// Make definitions of an old registry in TOML (`__registry__.toml` and its folders).
    Toml(ImportToml),
    /// Make definitions of an old registry in JSON (`registry.json`, `sources.json`, `groups.json`).
    Registry(ImportRegistry),
}

/// Makes tools of an OpenAPI document.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith import openapi petstore.yaml
  toolsmith import openapi http://127.0.0.1:8000/openapi.json --prefix shop
  toolsmith import openapi stripe.json --tag Customers --method get --method post
  toolsmith import openapi jira.yaml --path '/rest/api/3/issue/**' --dry-run
  toolsmith import openapi big.yaml --json | jq '.unmapped'
  toolsmith import openapi petstore.yaml --prune

Each operation becomes one file with one tool. Files that somebody has changed stay as they are,
unless --force is given; importing again renews the others, and lists the files of operations that
are gone. What cannot be mapped is listed with its reason. Secrets are variables of the environment: the end of the output names them.")]
pub struct ImportOpenapi {
    /// The document, in JSON or YAML
    #[arg(value_name = "FILE|URL")]
    pub source: String,
    /// The folder to write to [default: a folder named after the API in the first tool folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Only operations with this tag; may be repeated, then any of them
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Only paths that fit; `*` is one step, `**` any; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub path: Vec<String>,
    /// Only operations with this method; may be repeated
    #[arg(long, value_name = "METHOD")]
    pub method: Vec<String>,
    /// Only this operation, by its identifier or the name of its tool; may be repeated
    #[arg(long, value_name = "ID")]
    pub operation: Vec<String>,
    /// What names of tools and variables begin with
    #[arg(long, value_name = "WORD")]
    pub prefix: Option<String>,
    /// Send requests there, whatever the document says
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// What happens to files that are there already
    #[command(flatten)]
    pub handling: Handling,
}

/// What happens to files that are there already.
#[derive(Clone, Copy, Debug, Args)]
pub struct Handling {
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Overwrite files that somebody has changed
    #[arg(long)]
    pub force: bool,
    /// Remove the files of an earlier import whose tools are no longer there
    #[arg(long)]
    pub prune: bool,
}

/// The clients whose files are known.
const CLIENTS: [&str; 3] = ["claude", "cursor", "vscode"];

/// Takes over the MCP servers of another client.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith import mcp --from claude
  toolsmith import mcp .vscode/mcp.json
  toolsmith import mcp --from cursor --json | jq -r .yaml

The servers are written to toolsmith.yaml; when there is one already, what to add to it is printed.
Values that look like secrets become variables of the environment: the end of the output names
them.")]
pub struct ImportMcp {
    /// The file; the usual places of the clients are looked at otherwise
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The client whose file is looked for
    #[arg(long, value_name = "CLIENT", value_parser = PossibleValuesParser::new(CLIENTS))]
    pub from: Option<String>,
}

/// Makes definitions of an old registry in TOML.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith import toml configs/tools --dry-run
  toolsmith import toml configs/tools --out tools
  toolsmith import toml configs/tools/__registry__.toml --json

Such a folder can also be used as it is: `toolsmith --tools configs/tools tools list`. Each tool
becomes one file, and the sets become groups.yaml. What was put right is told as a warning, what
has no place in definitions is listed. Files that somebody has changed stay as they are, unless
--force is given.")]
pub struct ImportToml {
    /// The folder with the registry, or the registry itself
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The folder to write to [default: the first tool folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What happens to files that are there already
    #[command(flatten)]
    pub handling: Handling,
}

/// Makes definitions of an old registry in JSON.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith import registry data --dry-run
  toolsmith import registry data --out tools
  toolsmith import registry registry.json sources.json --json

Folders of local tools are looked for from the current folder, or from the folder above one that is
called `data`. Files that somebody has changed stay as they are, unless --force is given.")]
pub struct ImportRegistry {
    /// The folder with the three files, or single files of them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// The folder to write to [default: the first tool folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What happens to files that are there already
    #[command(flatten)]
    pub handling: Handling,
}
