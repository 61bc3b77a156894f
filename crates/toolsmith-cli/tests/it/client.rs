//! A client of HTTP that keeps its connection, and tells whole answers from broken ones.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::Command,
    time::Duration,
};

use serde_json::Value;

/// How long an answer may take: plenty for a machine under load.
const PATIENCE: Duration = Duration::from_mins(1);

/// A connection.
pub(crate) struct Client(BufReader<TcpStream>);

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The connection was closed before anything was answered.
    Unanswered,
    /// A part of an answer came.
    Halfway(String),
}

/// An answer, whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    /// Whether it is the last one on its connection.
    pub(crate) is_last: bool,
    pub(crate) body: Value,
}

impl Client {
    pub(crate) fn connect(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn send(&mut self, line: &str, body: &str) -> Result<Answer, Broken> {
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        // A server that ends may have closed; whatever it has answered by then is read.
        self.0.get_mut().write_all(request.as_bytes()).ok();
        self.answer()
    }

    fn answer(&mut self) -> Result<Answer, Broken> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            match self.0.read_line(&mut head) {
                Ok(count) if count > 0 => {}
                _ if head.is_empty() => return Err(Broken::Unanswered),
                other => return Err(Broken::Halfway(format!("{other:?} in {head}"))),
            }
        }
        let halfway = |why: String| Broken::Halfway(format!("{why} after {head}"));
        let length = header(&head, "content-length").and_then(|text| text.parse().ok());
        let mut body = vec![0; length.ok_or_else(|| halfway("no length".to_owned()))?];
        self.0.read_exact(&mut body).map_err(|error| halfway(error.to_string()))?;
        let body = match body.as_slice() {
            [] => Value::Null,
            text => serde_json::from_slice(text).map_err(|error| halfway(error.to_string()))?,
        };
        let status = head.split(' ').nth(1).and_then(|text| text.parse().ok());
        let status = status.ok_or_else(|| halfway("no status".to_owned()))?;
        let session = header(&head, "mcp-session-id").map(str::to_owned);
        let is_last = header(&head, "connection") == Some("close");
        Ok(Answer { status, session, is_last, body })
    }

    /// Asks for a stream of events, and reads the head of its answer.
    pub(crate) fn listen(&mut self, path: &str) -> io::Result<()> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        self.0.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            self.0.read_line(&mut line)?;
        }
        Ok(())
    }

    /// Reads a stream until a line has a text in it.
    pub(crate) fn hear(&mut self, text: &str) -> io::Result<()> {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
}

/// Returns the memory that a process holds, in MB.
pub(crate) fn memory_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1_024
}

/// Returns how many files and connections a process has open.
pub(crate) fn files_of(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).unwrap().count()
}

/// Lets this process, and those that it starts, open as many files as the system allows it.
pub(crate) fn open_many_files() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let most = line.split_whitespace().nth(4).unwrap().parse().unwrap_or(20_000);
    let process = std::process::id().to_string();
    let limit = format!("--nofile={most}:{most}");
    let set = Command::new("prlimit").args(["--pid", &process, &limit]).status();
    if set.is_ok_and(|status| status.success()) { most } else { 1_000 }
}
