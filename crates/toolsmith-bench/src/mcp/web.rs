//! The server on streamable HTTP, as small as it can be: one answer a request, no session.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result};

use super::echo;
use crate::machine::this_program;

/// A server in a process of its own, which ends with this one.
pub(super) struct Web {
    pub(super) address: String,
    server: Child,
}

impl Web {
    pub(super) fn start() -> Result<Self> {
        let mut server = Command::new(this_program()?)
            .args(["serve-mcp-echo", "--http"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut address = String::new();
        BufReader::new(server.stdout.take().context("no pipe")?).read_line(&mut address)?;
        Ok(Self { address: address.trim().to_owned(), server })
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // It ends by itself when its input does.
        drop(self.server.stdin.take());
        self.server.wait().ok();
    }
}

/// Prints its address and answers until its input ends.
pub(super) fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut output = std::io::stdout().lock();
    writeln!(output, "http://{}/mcp", listener.local_addr()?)?;
    output.flush()?;
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || answer_all(connection));
        }
    });
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
    Ok(())
}

fn answer_all(mut connection: TcpStream) -> Result<()> {
    connection.set_nodelay(true)?;
    let mut input = BufReader::new(connection.try_clone()?);
    while let Some((method, body)) = read_request(&mut input)? {
        let answer = match method.as_str() {
            "POST" => echo::respond(&body)?.map(|answer| answer.to_string()),
            _ => None,
        };
        let head = match (&answer, method.as_str()) {
            (Some(_), _) => "200 OK\r\ncontent-type: application/json",
            (None, "POST") => "202 Accepted",
            (None, _) => "405 Method Not Allowed",
        };
        let body = answer.unwrap_or_default();
        let length = body.len();
        let message = format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\n\r\n{body}");
        connection.write_all(message.as_bytes())?;
    }
    Ok(())
}

/// Reads the method and the body of a request; nothing at the end.
fn read_request(input: &mut impl BufRead) -> Result<Option<(String, Vec<u8>)>> {
    let mut first = String::new();
    if input.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let method = first.split(' ').next().unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some((method, body)))
}
