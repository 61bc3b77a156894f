//! The way out of a sandbox: a proxy of ours that connects to listed hosts only.
//!
//! It listens at a port inside the sandbox's own network, which the child opened for us before its
//! program began; the connections that it makes are made from outside.

use std::{
    io,
    net::{SocketAddr, TcpListener as PlainListener},
    os::fd::OwnedFd,
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream, lookup_host},
    task::{JoinHandle, JoinSet},
    time::timeout,
};
use toolsmith_core::address::refusal;

/// The port of the proxy inside; nobody else is there to take it.
pub(crate) const PORT: u16 = 3128;

/// How long the head of a request may be.
const HEAD: usize = 16 * 1024;

/// How long a head may take to come, and a connection to be made.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many connections there may be at once.
const CONNECTIONS: usize = 64;

/// Serves one child; dropping it closes every connection.
#[derive(Debug)]
pub(crate) struct Proxy(JoinHandle<()>);

impl Proxy {
    /// Serves the socket that a child has opened inside.
    pub(crate) fn serve(socket: OwnedFd, hosts: Vec<String>) -> io::Result<Self> {
        let listener = PlainListener::from(socket);
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        Ok(Self(tokio::spawn(accept(listener, hosts.into()))))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn accept(listener: TcpListener, hosts: Arc<[String]>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTIONS => {
                // A connection that is gone before it was accepted is no reason to stop.
                if let Ok((stream, _)) = accepted {
                    connections.spawn(attend(stream, Arc::clone(&hosts)));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves one connection; whatever fails ends it.
async fn attend(mut inside: TcpStream, hosts: Arc<[String]>) {
    let Ok(Ok(request)) = timeout(PATIENCE, Request::read(&mut inside)).await else { return };
    let Request { host, port, first, .. } = &request;
    if !hosts.iter().any(|pattern| allows(pattern, host, *port)) {
        let reason = format!("`{host}:{port}` is not among the hosts of this sandbox\n");
        return refuse(inside, "403 Forbidden", &reason).await;
    }
    let mut outside = match connect(host, *port, &hosts).await {
        Ok(outside) => outside,
        Err((status, reason)) => return refuse(inside, status, &reason).await,
    };
    let greeted = if request.is_tunnel {
        inside.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await
    } else {
        Ok(())
    };
    if greeted.is_ok() && outside.write_all(first).await.is_ok() {
        copy_bidirectional(&mut inside, &mut outside).await.ok();
    }
}

/// Connects to a listed host; otherwise says with which status and why not.
async fn connect(
    host: &str,
    port: u16,
    hosts: &[String],
) -> Result<TcpStream, (&'static str, String)> {
    let unreachable = || ("502 Bad Gateway", format!("cannot connect to `{host}:{port}`\n"));
    let found = timeout(PATIENCE, lookup_host((host, port))).await;
    let found: Vec<SocketAddr> = found.ok().and_then(Result::ok).ok_or_else(unreachable)?.collect();
    let (open, closed): (Vec<SocketAddr>, Vec<SocketAddr>) =
        found.into_iter().partition(|address| closure(host, *address, hosts).is_none());
    if let (true, Some(address)) = (open.is_empty(), closed.first()) {
        let why = closure(host, *address, hosts).unwrap_or_default();
        let address = address.ip();
        let reason = format!(
            "`{host}` leads to {address}, {why}; it is reached if the hosts of this sandbox list \
             the address, too\n"
        );
        return Err(("403 Forbidden", reason));
    }
    let connecting = timeout(PATIENCE, TcpStream::connect(&*open)).await;
    connecting.ok().and_then(Result::ok).ok_or_else(unreachable)
}

/// Says why a name of the list may not lead to an address; whoever owns the name chooses that.
fn closure(host: &str, address: SocketAddr, hosts: &[String]) -> Option<&'static str> {
    let ip = address.ip().to_canonical();
    let name = ip.to_string();
    let is_listed = hosts.iter().any(|pattern| allows(pattern, &name, address.port()));
    let is_local = host == "localhost" && ip.is_loopback();
    if is_listed || is_local { None } else { refusal(ip) }
}

async fn refuse(mut inside: TcpStream, status: &str, reason: &str) {
    let length = reason.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    inside.write_all(format!("{head}{reason}").as_bytes()).await.ok();
    inside.shutdown().await.ok();
}

/// What a connection asks for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    host: String,
    port: u16,
    /// What the host is told first.
    first: Vec<u8>,
    is_tunnel: bool,
}

impl Request {
    async fn read(stream: &mut TcpStream) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if bytes.len() > HEAD || stream.read_buf(&mut bytes).await? == 0 {
                return Err(io::ErrorKind::InvalidData.into());
            }
        };
        let (head, rest) = bytes.split_at(end + 4);
        Self::parse(head, rest).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn parse(head: &[u8], rest: &[u8]) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?;
        let (line, fields) = head.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if method == "CONNECT" {
            let (host, port) = authority(target, None)?;
            return Some(Self { host, port, first: rest.to_vec(), is_tunnel: true });
        }
        let target = target.strip_prefix("http://")?;
        let (place, path) = target.split_at(target.find('/').unwrap_or(target.len()));
        let path = if path.is_empty() { "/" } else { path };
        let (host, port) = authority(place, Some(80))?;
        // Another request on the same connection could be for another host.
        let mut first = format!("{method} {path} {version}\r\nConnection: close\r\n");
        let is_kept = |line: &&str| {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            !name.starts_with("proxy-") && name != "connection"
        };
        for line in fields.split("\r\n").filter(|line| !line.is_empty()).filter(is_kept) {
            first.push_str(line);
            first.push_str("\r\n");
        }
        first.push_str("\r\n");
        let first = [first.as_bytes(), rest].concat();
        Some(Self { host, port, first, is_tunnel: false })
    }
}

/// Reads `host:port`, `[::1]:port` too.
fn authority(text: &str, usual: Option<u16>) -> Option<(String, u16)> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port.parse().ok()?)),
        _ => (text, usual),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    (!host.is_empty() && !host.contains('@')).then_some((host.to_ascii_lowercase(), port?))
}

/// Tells whether a pattern of the list covers a host.
fn allows(pattern: &str, host: &str, port: u16) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    let (name, wanted) = match pattern.rsplit_once(':') {
        Some((name, wanted)) if !name.contains(':') || name.ends_with(']') => {
            (name.to_owned(), wanted.parse().ok())
        }
        _ => (pattern, Some(port)),
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let is_host = match name.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|front| front.ends_with('.')),
        None => name == host,
    };
    is_host && wanted == Some(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_covers_its_host_and_nothing_that_looks_like_it() {
        for (pattern, host, port) in [
            ("example.org", "example.org", 443),
            ("Example.org:8080", "example.org", 8080),
            ("*.example.org", "a.b.example.org", 80),
            ("::1", "::1", 80),
            ("[::1]:81", "::1", 81),
        ] {
            assert!(allows(pattern, host, port), "{pattern}");
        }
        for (pattern, host, port) in [
            ("example.org", "evil-example.org", 443),
            ("example.org", "example.org.evil", 443),
            ("example.org:8080", "example.org", 443),
            ("*.example.org", "example.org", 80),
            ("*.example.org", "badexample.org", 80),
            ("example.org:x", "example.org", 80),
        ] {
            assert!(!allows(pattern, host, port), "{pattern}");
        }
    }

    #[test]
    fn a_name_does_not_lead_to_addresses_that_are_not_listed() {
        let hosts = ["*.example.org", "db.example.org", "10.0.0.5", "10.0.0.6:5432", "localhost"];
        let hosts = hosts.map(str::to_owned);
        let open =
            |host: &str, address: &str| closure(host, address.parse().unwrap(), &hosts).is_none();
        for address in ["9.9.9.9:443", "10.0.0.5:80", "10.0.0.6:5432", "[2606:4700::1111]:443"] {
            assert!(open("db.example.org", address), "{address}");
        }
        assert!(open("localhost", "127.0.0.1:80") && open("localhost", "[::1]:80"));
        for address in [
            "127.0.0.1:80",
            "[::1]:80",
            "[::ffff:127.0.0.1]:80",
            "10.0.0.6:80",
            "10.0.0.7:5432",
            "192.168.1.1:443",
            "169.254.169.254:80",
            "[fd00:ec2::254]:80",
            "[64:ff9b::169.254.169.254]:80",
            "0.0.0.0:80",
        ] {
            assert!(!open("db.example.org", address), "{address}");
            assert!(!open("a.example.org", address), "{address}");
        }
    }

    #[test]
    fn a_tunnel_and_a_plain_request_are_understood() {
        let tunnel = Request::parse(b"CONNECT A.example:443 HTTP/1.1\r\n\r\n", b"rest").unwrap();
        assert_eq!((tunnel.host.as_str(), tunnel.port), ("a.example", 443));
        assert_eq!((tunnel.first.as_slice(), tunnel.is_tunnel), (&b"rest"[..], true));
        let head =
            b"GET http://b.example/x?y HTTP/1.1\r\nHost: b.example\r\nProxy-Connection: z\r\n\r\n";
        let plain = Request::parse(head, b"").unwrap();
        let first = "GET /x?y HTTP/1.1\r\nConnection: close\r\nHost: b.example\r\n\r\n";
        assert_eq!((plain.port, plain.first.as_slice()), (80, first.as_bytes()));
        assert_eq!(Request::parse(b"GET /x HTTP/1.1\r\n\r\n", b""), None);
        assert_eq!(Request::parse(b"CONNECT user@h:1 HTTP/1.1\r\n\r\n", b""), None);
    }
}
