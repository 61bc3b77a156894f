//! How long our server takes until it answers, and what it holds at rest.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::{Map, Value, json};

use super::{options::Options, process::Server, sides::serve};
use crate::machine::{Cores, median, memory_of, rounded};

/// For how long the memory must stay the same to count as that at rest.
const REST: Duration = Duration::from_secs(1);

/// Starts our server some times, makes one call each, and reads its memory then.
pub(super) fn measure(options: &Options, cores: Cores) -> Result<Map<String, Value>> {
    let folder = tempfile::tempdir()?;
    let starts = if options.is_quick { 5 } else { 15 };
    // The first start makes the database; the figure is that of every later one.
    let first = start(&options.toolsmith, folder.path(), cores)?.1;
    let mut times = Vec::new();
    for _ in 0..starts {
        times.push(start(&options.toolsmith, folder.path(), cores)?.1);
    }
    let mut figures = Map::new();
    figures.insert("start_ms".to_owned(), json!(rounded(median(times))));
    figures.insert("first_start_ms".to_owned(), json!(rounded(first)));
    let held: Result<Vec<f64>> = (0..3)
        .map(|_| {
            let (server, _) = start(&options.toolsmith, folder.path(), cores)?;
            thread::sleep(REST);
            memory_of(server.pid())
        })
        .collect();
    figures.insert("idle_rss_mb".to_owned(), json!(rounded(median(held?))));
    Ok(figures)
}

/// Returns a server and the milliseconds from its start to its first answer.
fn start(toolsmith: &Path, folder: &Path, cores: Cores) -> Result<(Server, f64)> {
    let before = Instant::now();
    let server = Server::start(&mut serve(toolsmith, folder), cores.server)?;
    call(server.address)?;
    let took = before.elapsed();
    Ok((server, took.as_secs_f64() * 1e3))
}

fn call(address: SocketAddr) -> Result<()> {
    let body = r#"{"tool_id":"echo","params":{"message":"hi"}}"#;
    let length = body.len();
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(
        format!(
            "POST /run_tool HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
        .as_bytes(),
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    ensure!(answer.contains(r#""success":true"#), "{answer}");
    Ok(())
}
