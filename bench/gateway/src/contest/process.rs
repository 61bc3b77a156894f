//! A server in a process of its own, which ends with this one.

use std::{
    io::{BufRead, BufReader, Read},
    net::{SocketAddr, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use crate::machine::stay_on;

/// How long a server may take until it listens.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a server says when it listens.
const LISTENING: &str = "listening on http://";

/// A server that listens.
pub(super) struct Server {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Server {
    /// Starts a server on a core and waits until it says on its standard error where it listens.
    pub(super) fn start(command: &mut Command, core: usize) -> Result<Self> {
        let mut child = spawn(command.stdout(Stdio::null()).stderr(Stdio::piped()), core)?;
        let errors = child.stderr.take();
        let found = errors.context("no pipe").and_then(|errors| {
            let mut lines = BufReader::new(errors);
            let address = address_in(&mut lines)?;
            drain(lines);
            Ok(address)
        });
        Self::or_end(child, found)
    }

    /// Starts a server that was told where to listen, and waits until it does.
    pub(super) fn start_at(
        command: &mut Command,
        core: usize,
        address: SocketAddr,
    ) -> Result<Self> {
        let mut child = spawn(command.stdout(Stdio::null()).stderr(Stdio::null()), core)?;
        let given_up = Instant::now() + PATIENCE;
        let found = loop {
            if TcpStream::connect(address).is_ok() {
                break Ok(address);
            }
            if Instant::now() > given_up || matches!(child.try_wait(), Ok(Some(_))) {
                break Err(anyhow::anyhow!("{command:?} does not listen on {address}"));
            }
            thread::sleep(Duration::from_millis(5));
        };
        Self::or_end(child, found)
    }

    fn or_end(child: Child, address: Result<SocketAddr>) -> Result<Self> {
        let address_or = address.as_ref().copied().unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
        let server = Self { child, address: address_or };
        address.map(|_| server)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Starts a process on a core; this one goes there for the moment, as children inherit it.
fn spawn(command: &mut Command, core: usize) -> Result<Child> {
    stay_on(core)?;
    command.stdin(Stdio::null());
    command.spawn().with_context(|| format!("{command:?} does not start"))
}

fn address_in(lines: &mut impl BufRead) -> Result<SocketAddr> {
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            bail!("a server ended before it listened");
        }
        if let Some((_, rest)) = line.split_once(LISTENING) {
            return Ok(rest.trim().parse()?);
        }
    }
}

/// Reads what nobody wants to know, so that its writer never waits.
fn drain(mut from: impl Read + Send + 'static) {
    thread::spawn(move || std::io::copy(&mut from, &mut std::io::sink()));
}

/// Returns an address that nobody listens on.
pub(super) fn free_address() -> Result<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    ensure!(address.port() != 0, "no free port");
    Ok(address)
}
