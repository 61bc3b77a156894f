//! What an operator says about a server.

use std::{fmt, path::PathBuf, time::Duration};

use toolsmith_core::{Confinement, Template, fits_pattern};

use super::{http::Credentials, login::Registered};

/// How long a server may take to start, handshake and tool list included.
///
/// The first start of a package runner downloads the server.
pub const START_TIMEOUT: Duration = Duration::from_mins(1);

/// How long a call may take.
pub const CALL_TIMEOUT: Duration = Duration::from_mins(1);

/// A server as its operator describes it.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// The name by which tools, messages and definitions call it.
    pub name: String,
    /// How it is reached.
    pub link: Link,
    /// What stands before the names of its tools.
    pub prefix: Prefix,
    /// When it is started.
    pub start: Start,
    /// How long it may take to start.
    pub start_timeout: Duration,
    /// How long a call of its tools may take.
    pub call_timeout: Duration,
    /// Which of its tools are offered.
    pub selection: Selection,
    /// What happens when it changes the definition of a tool.
    pub on_change: OnChange,
    /// The folders that it is told of when it asks.
    pub roots: Vec<PathBuf>,
    /// The folder that relative paths are counted from.
    pub folder: PathBuf,
}

impl ServerSettings {
    /// Describes a server with the usual settings.
    pub fn new(name: impl Into<String>, link: Link) -> Self {
        Self {
            name: name.into(),
            link,
            prefix: Prefix::Name,
            start: Start::Lazy,
            start_timeout: START_TIMEOUT,
            call_timeout: CALL_TIMEOUT,
            selection: Selection::default(),
            on_change: OnChange::Accept,
            roots: Vec::new(),
            folder: PathBuf::from("."),
        }
    }

    /// Returns what its tool names begin with.
    pub(super) fn prefix(&self) -> String {
        match &self.prefix {
            Prefix::Name => format!("{}__", self.name),
            Prefix::Text(text) => text.clone(),
            Prefix::None => String::new(),
        }
    }
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Link {
    /// It is a program that speaks on its standard input and output.
    Stdio(Program),
    /// It is a service that speaks streamable HTTP.
    Http(Address),
}

/// A server that is started.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program.
    pub command: Template,
    /// Its arguments.
    pub args: Vec<Template>,
    /// Its variables, besides the harmless ones of ours.
    pub env: Vec<(String, Template)>,
    /// The folder that it starts in.
    pub cwd: Option<Template>,
    /// What it may see, reach and use; everything that we may, otherwise.
    pub sandbox: Option<Confinement>,
}

impl Program {
    /// Describes a program without arguments.
    pub fn new(command: Template) -> Self {
        Self { command, args: Vec::new(), env: Vec::new(), cwd: None, sandbox: None }
    }
}

/// A server that runs elsewhere.
#[derive(Clone, Debug)]
pub struct Address {
    /// Where it listens.
    pub url: Template,
    /// What is sent along with every request.
    pub headers: Vec<(String, Template)>,
    /// How we say who we are, besides headers.
    pub credentials: Option<Credentials>,
    /// As whom a person logs in, when the server does not register us by itself.
    pub login: Registered,
}

impl Address {
    /// Describes a server that asks for nothing.
    pub fn new(url: Template) -> Self {
        Self { url, headers: Vec::new(), credentials: None, login: Registered::default() }
    }
}

/// What stands before the names of a server's tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Prefix {
    /// The server's name and `__`.
    #[default]
    Name,
    /// This text.
    Text(String),
    /// Nothing; a name that is taken gets the server's name all the same.
    None,
}

/// When a server is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// By the first call, or when nobody knows its tools yet.
    #[default]
    Lazy,
    /// With the program.
    Eager,
}

/// What happens when a server changes the definition of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnChange {
    /// The change is taken and told.
    #[default]
    Accept,
    /// The tool waits until a person has accepted the change.
    Approve,
}

/// Which tools of a server are offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these, by the server's own names; all when empty. `*` stands for any text.
    pub allow: Vec<String>,
    /// Not these.
    pub deny: Vec<String>,
}

impl Selection {
    /// Tells whether a tool is offered.
    pub fn offers(&self, tool: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|pattern| fits_pattern(pattern, tool));
        (self.allow.is_empty() || is_in(&self.allow)) && !is_in(&self.deny)
    }
}

/// Shows the address or the program, variables as `***`: what a message may name.
impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(program) => {
                write!(f, "{}", program.command)?;
                program.args.iter().try_for_each(|arg| write!(f, " {arg}"))
            }
            Self::Http(address) => write!(f, "{}", address.url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_choose_tools() {
        for (pattern, name, expected) in [
            ("read", "read", true),
            ("read", "read_file", false),
            ("read_*", "read_file", true),
            ("*_file", "read_file", true),
            ("r*d*e", "read_file", true),
            ("r*x*e", "read_file", false),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits_pattern(pattern, name), expected, "{pattern} {name}");
        }
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let selection = Selection { allow: list(&["read_*"]), deny: list(&["read_secret"]) };
        assert!(selection.offers("read_file"));
        assert!(!selection.offers("read_secret") && !selection.offers("write"));
        assert!(Selection::default().offers("anything"));
    }
}
