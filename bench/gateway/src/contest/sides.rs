//! The two sides of a game, each with its server.

use std::{fs, net::SocketAddr, path::Path, process::Command};

use anyhow::{Context, Result};
use serde_json::json;
use tempfile::TempDir;

use super::{
    Game,
    options::Options,
    process::{Server, free_address},
};
use crate::{
    load::{Patience, Speech},
    machine::{Cores, priority_of_session, this_program},
};

/// What stands behind both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// Each side has the tool itself.
    Nothing,
    /// One plain MCP server for both, on HTTP.
    Http,
    /// A plain MCP server for each, on standard streams.
    Stdio,
}

impl Behind {
    /// Says what the load does while it waits: the server behind both sides runs on its core.
    fn patience(self) -> Patience {
        match self {
            Self::Nothing => Patience::Spins,
            Self::Http | Self::Stdio => Patience::Sleeps,
        }
    }
}

/// The two sides of a game.
pub(super) struct Sides {
    pub(super) ours: Side,
    pub(super) theirs: Side,
    _behind: Option<Server>,
}

/// One side.
pub(super) struct Side {
    pub(super) server: Server,
    pub(super) path: &'static str,
    pub(super) tool: &'static str,
    pub(super) speech: Speech,
    pub(super) patience: Patience,
    /// What the server keeps, and how it is set up.
    _folder: Option<TempDir>,
}

impl Sides {
    pub(super) fn start(options: &Options, cores: Cores, game: &Game) -> Result<Self> {
        let behind = match game.behind {
            Behind::Http => Some(Server::start(&mut this_program(&["serve-rmcp"])?, cores.others)?),
            Behind::Nothing | Behind::Stdio => None,
        };
        let upstream = match (game.behind, &behind) {
            (Behind::Nothing, _) => None,
            (_, Some(server)) => Some(Upstream::Http(server.address)),
            (_, None) => Some(Upstream::Stdio { core: cores.others }),
        };
        let ours = ours(&options.toolsmith, upstream.as_ref(), game, cores.server)?;
        let theirs = match (&upstream, &options.proxy) {
            (Some(upstream), Some(proxy)) => theirs_between(proxy, upstream, game, cores.server)?,
            _ => theirs_alone(game, cores.server)?,
        };
        Ok(Self { ours, theirs, _behind: behind })
    }
}

/// A server behind a side.
enum Upstream {
    Http(SocketAddr),
    Stdio { core: usize },
}

impl Upstream {
    /// Returns the program and its words.
    fn program(core: usize) -> Result<(String, Vec<String>)> {
        let path = std::env::current_exe()?;
        let path = path.to_str().context("the path of this program is no text")?.to_owned();
        Ok((path, vec!["speak-rmcp".to_owned(), core.to_string(), priority_of_session()]))
    }
}

fn ours(toolsmith: &Path, upstream: Option<&Upstream>, game: &Game, core: usize) -> Result<Side> {
    let folder = tempfile::tempdir()?;
    if let Some(upstream) = upstream {
        let server = match upstream {
            Upstream::Http(address) => json!({ "url": format!("http://{address}/mcp") }),
            Upstream::Stdio { core } => {
                let (command, args) = Upstream::program(*core)?;
                json!({ "command": command, "args": args })
            }
        };
        // JSON is YAML.
        let settings = json!({ "mcpServers": { "up": server } }).to_string();
        fs::write(folder.path().join("toolsmith.yaml"), settings)?;
    }
    Ok(Side {
        server: Server::start(&mut serve(toolsmith, folder.path()), core)?,
        path: if game.speech == Speech::RunTool { "/run_tool" } else { "/mcp" },
        tool: if upstream.is_some() { "up__echo" } else { "echo" },
        speech: game.speech,
        patience: game.behind.patience(),
        _folder: Some(folder),
    })
}

/// Begins the command that starts our server in a folder.
pub(super) fn serve(toolsmith: &Path, folder: &Path) -> Command {
    let mut command = Command::new(toolsmith);
    command.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(folder);
    command
}

fn theirs_alone(game: &Game, core: usize) -> Result<Side> {
    let (word, path) = match game.speech {
        Speech::RunTool => ("serve-axum", "/run_tool"),
        Speech::Mcp2025 | Speech::Mcp2026 => ("serve-rmcp", "/mcp"),
    };
    let server = Server::start(&mut this_program(&[word])?, core)?;
    let (speech, patience) = (game.speech, game.behind.patience());
    Ok(Side { server, path, tool: "echo", speech, patience, _folder: None })
}

fn theirs_between(proxy: &Path, upstream: &Upstream, game: &Game, core: usize) -> Result<Side> {
    let folder = tempfile::tempdir()?;
    let address = free_address()?;
    let backend = match upstream {
        Upstream::Http(address) => format!("transport = \"http\"\nurl = \"http://{address}/mcp\""),
        Upstream::Stdio { core } => {
            let (command, args) = Upstream::program(*core)?;
            format!("transport = \"stdio\"\ncommand = {command:?}\nargs = {args:?}")
        }
    };
    let (host, port) = (address.ip(), address.port());
    let settings = format!(
        "[proxy]\nname = \"bench\"\n\n[proxy.listen]\nhost = \"{host}\"\nport = {port}\n\n\
         [[backends]]\nname = \"up\"\n{backend}\n"
    );
    let file = folder.path().join("proxy.toml");
    fs::write(&file, settings)?;
    let mut command = Command::new(proxy);
    command.arg("--config").arg(file).current_dir(folder.path());
    let server = Server::start_at(&mut command, core, address)?;
    let (speech, patience) = (game.speech, game.behind.patience());
    let folder = Some(folder);
    Ok(Side { server, path: "/", tool: "up/echo", speech, patience, _folder: folder })
}
