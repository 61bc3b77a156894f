//! A web server for tests: one thread, one answer to every request.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread::{JoinHandle, spawn},
    time::Duration,
};

/// A server on a free port of this machine; it ends when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers every request with the JSON that is made of its lines.
    pub(crate) fn start(answer: fn(&[String]) -> String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = spawn(move || {
            for stream in listener.incoming() {
                if ends.load(SeqCst) {
                    return;
                }
                // A client that goes away early is not the server's matter.
                stream.and_then(|stream| serve(stream, answer)).ok();
            }
        });
        Self { address, is_over, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, SeqCst);
        // It wakes up for one more visitor.
        TcpStream::connect(self.address).ok();
        self.thread.take().unwrap().join().ok();
    }
}

fn serve(stream: TcpStream, answer: fn(&[String]) -> String) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    for line in reader.by_ref().lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let body = answer(&lines);
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: \
         close\r\n\r\n",
        body.len()
    );
    reader.get_mut().write_all((head + &body).as_bytes())
}
