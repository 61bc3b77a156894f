//! A small HTTP server on a free port, which answers as its test says and counts who came.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A request as the server read it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    /// Returns a header by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// An answer, written as it is.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn new(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), media_type.to_owned())];
        Self { status, headers, body: body.into() }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn redirect(status: u16, to: &str) -> Self {
        Self::new(status, "text/plain", "moved").with("location", to)
    }

    fn bytes(&self) -> Vec<u8> {
        let line = |(name, value): &(String, String)| format!("{name}: {value}\r\n");
        let headers: String = self.headers.iter().map(line).collect();
        let (status, length) = (self.status, self.body.len());
        let head = format!(
            "HTTP/1.1 {status} Status\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n"
        );
        [head.as_bytes(), &self.body].concat()
    }
}

type Answer = dyn Fn(&Seen) -> Reply + Send + Sync;

/// The server; it ends with its value.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    contacts: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0", answer).await
    }

    pub(crate) async fn start_at(
        place: &str,
        answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(place).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (contacts, seen) = (Arc::default(), Arc::default());
        let task = tokio::spawn(serve(
            listener,
            Arc::clone(&contacts),
            Arc::clone(&seen),
            Arc::new(answer),
        ));
        Self { address, contacts, seen, task }
    }

    /// A listener that nobody may contact.
    pub(crate) async fn canary() -> Self {
        Self::start(|_| Reply::new(200, "text/plain", "the canary sings")).await
    }

    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// How many connections were taken.
    pub(crate) fn contacts(&self) -> usize {
        self.contacts.load(SeqCst)
    }

    /// The requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    listener: TcpListener,
    contacts: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<Answer>,
) {
    let mut talks = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        contacts.fetch_add(1, SeqCst);
        let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
        talks.spawn(async move {
            let mut stream = stream;
            let Some(request) = read(&mut stream).await else { return };
            let reply = answer(&request);
            seen.lock().push(request);
            stream.write_all(&reply.bytes()).await.ok();
            stream.shutdown().await.ok();
        });
    }
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(k, v)| (k.to_ascii_lowercase(), v.trim().to_owned()));
    let mut seen = Seen { method, target, headers: headers.collect(), body: Vec::new() };
    let length = seen.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    seen.body = body;
    Some(seen)
}
