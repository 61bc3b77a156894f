//! The client: sends a request, follows where it leads, reads the answer within its limits.

use std::{
    collections::HashMap,
    fmt,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use reqwest::{Method, Url};

use crate::{
    Allow, Connections, Guard, NetError, Overflow, Request, Resolve, Response, SystemResolver,
    guard::{self, host_of},
    headers, redirect,
    resolver::Sieve,
    tls,
};

/// How a client is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is open beyond the public internet.
    pub allow: Allow,
    /// Who looks host names up.
    pub resolver: Arc<dyn Resolve>,
    /// How long a connection may take to come about; whole requests end with the call.
    pub connect_timeout: Duration,
    /// How many bytes of an answer are read, unpacked.
    pub max_bytes: usize,
    /// How many bytes the headers of an answer may have.
    pub max_header_bytes: u32,
    /// How many redirects are followed.
    pub max_redirects: usize,
    /// Certificates in PEM that are trusted besides the built-in ones.
    pub extra_roots: Vec<u8>,
    /// A certificate in PEM: only the server that has it is spoken to, by whatever name.
    pub pinned: Option<Vec<u8>>,
    /// A socket on this machine that every request goes through, whatever its address says.
    pub socket: Option<PathBuf>,
    /// How many connections to one host are kept for later requests.
    pub max_idle: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            allow: Allow::default(),
            resolver: Arc::new(SystemResolver),
            connect_timeout: Duration::from_secs(10),
            max_bytes: 10 * 1024 * 1024,
            max_header_bytes: 64 * 1024,
            max_redirects: 5,
            extra_roots: Vec::new(),
            pinned: None,
            socket: None,
            max_idle: usize::MAX,
        }
    }
}

/// Sends requests under rules; cheap to clone, with connections shared by its clones.
///
/// Dropping the future of a request ends it.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    settings: Settings,
    allow: Arc<Allow>,
    /// Made by the first request: most runs of a program send none.
    pools: OnceLock<Pools>,
}

/// The connections, apart by the rules they were made under.
///
/// A resolver is told a name and no port, and connections are kept and used again. Requests under
/// different rules must therefore never share a client.
struct Pools {
    trusted: reqwest::Client,
    public: reqwest::Client,
    /// For the ports that the allow list names.
    by_port: HashMap<u16, reqwest::Client>,
}

impl Client {
    /// Makes a client; nothing is contacted.
    pub fn new(settings: Settings) -> Result<Self, NetError> {
        if !settings.extra_roots.is_empty() || settings.pinned.is_some() {
            tls::config(&settings.extra_roots, settings.pinned.as_deref())?;
        }
        let allow = Arc::new(settings.allow.clone());
        Ok(Self(Arc::new(Inner { settings, allow, pools: OnceLock::new() })))
    }

    /// Returns a client of the same settings whose requests all go through a socket.
    ///
    /// Each has a connection of its own: whoever serves the socket may have few of them.
    pub fn through(&self, socket: PathBuf) -> Result<Self, NetError> {
        Self::new(Settings { socket: Some(socket), max_idle: 0, ..self.0.settings.clone() })
    }

    /// Returns a client of the same settings whose requests each have a connection of their own.
    ///
    /// For servers on this machine, where a connection costs little. One that is kept can be closed
    /// by the server just when the next request is sent, and a simple server that writes its answer
    /// in two pieces holds the second back for 40 ms on all requests but the first.
    pub fn afresh(&self) -> Result<Self, NetError> {
        Self::new(Settings { max_idle: 0, ..self.0.settings.clone() })
    }

    /// Reads an address, and refuses what can be refused without looking its name up.
    pub fn check(&self, url: &str, guard: Guard) -> Result<Url, NetError> {
        guard::check(url, guard, &self.0.allow)
    }

    /// Returns the connections themselves, for a library that speaks a protocol on top of HTTP.
    ///
    /// The rules for addresses hold for it too; it must [check](Self::check) what it asks first, and
    /// follows no redirects.
    pub fn connections(&self, guard: Guard) -> Result<Connections, NetError> {
        let pools = self.0.pools()?;
        Ok(match guard {
            Guard::Trusted => pools.trusted.clone(),
            Guard::Public => pools.public.clone(),
        })
    }

    /// Sends a request and reads the answer, whatever its status is.
    pub async fn send(&self, mut request: Request) -> Result<Response, NetError> {
        let limit = request.max_redirects.unwrap_or(self.0.settings.max_redirects);
        headers::check(&mut request.headers, request.guard)?;
        for _ in 0..=limit {
            let url = self.check(&request.url, request.guard)?;
            let answer = self.ask(&request, url).await?;
            // Who follows no redirects wants to see them.
            let next = if limit == 0 { None } else { redirect::follow(&request, &answer)? };
            let Some(next) = next else { return self.read(&request, answer).await };
            request = next;
        }
        Err(NetError::Redirects { limit })
    }

    async fn ask(&self, request: &Request, url: Url) -> Result<reqwest::Response, NetError> {
        let host = host_of(&url);
        let client = self.0.pools()?.of(&url, request.guard);
        let mut message = reqwest::Request::new(request.method.clone(), url);
        message.headers_mut().clone_from(&request.headers);
        let has_body = !request.body.is_empty()
            || matches!(request.method, Method::POST | Method::PUT | Method::PATCH);
        *message.body_mut() = has_body.then(|| request.body.clone().into());
        let answer = client.execute(message).await;
        let answer = answer.map_err(|error| NetError::from_library(error, &host))?;
        let limit = usize::try_from(self.0.settings.max_header_bytes).unwrap_or(usize::MAX);
        if headers::size(answer.headers()) > limit {
            return Err(NetError::TooLarge { limit });
        }
        Ok(answer)
    }

    async fn read(
        &self,
        request: &Request,
        mut answer: reqwest::Response,
    ) -> Result<Response, NetError> {
        let limit = request.max_bytes.unwrap_or(self.0.settings.max_bytes);
        let (url, status) = (answer.url().clone(), answer.status());
        let headers = std::mem::take(answer.headers_mut());
        let host = host_of(&url);
        let mut body = BytesMut::new();
        let mut is_cut = false;
        while let Some(chunk) = next_chunk(&mut answer, &host).await? {
            let room = limit - body.len();
            is_cut = chunk.len() > room;
            if is_cut && request.overflow == Overflow::Refuse {
                return Err(NetError::TooLarge { limit });
            }
            body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if is_cut {
                break;
            }
        }
        Ok(Response { status, headers, url, body: body.freeze(), is_cut })
    }
}

impl Inner {
    fn pools(&self) -> Result<&Pools, NetError> {
        if let Some(pools) = self.pools.get() {
            return Ok(pools);
        }
        let made = Pools::new(&self.settings, &self.allow)?;
        Ok(self.pools.get_or_init(|| made))
    }
}

impl Pools {
    fn new(settings: &Settings, allow: &Arc<Allow>) -> Result<Self, NetError> {
        let tls = tls::config(&settings.extra_roots, settings.pinned.as_deref())?;
        let make = |guard, port| {
            let resolver = Arc::clone(&settings.resolver);
            let sieve = Sieve { resolver, allow: Arc::clone(allow), guard, port };
            build(settings, tls.clone(), sieve)
        };
        let by_port = allow.ports().into_iter().map(|port| Ok((port, make(Guard::Public, port)?)));
        Ok(Self {
            trusted: make(Guard::Trusted, 0)?,
            public: make(Guard::Public, 0)?,
            by_port: by_port.collect::<Result<_, NetError>>()?,
        })
    }

    fn of(&self, url: &Url, guard: Guard) -> &reqwest::Client {
        let port = url.port_or_known_default().unwrap_or_default();
        match guard {
            Guard::Trusted => &self.trusted,
            Guard::Public => self.by_port.get(&port).unwrap_or(&self.public),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Client").field(&self.0.settings).finish()
    }
}

async fn next_chunk(answer: &mut reqwest::Response, host: &str) -> Result<Option<Bytes>, NetError> {
    answer.chunk().await.map_err(|error| NetError::from_library(error, host))
}

fn build(
    settings: &Settings,
    tls: rustls::ClientConfig,
    sieve: Sieve,
) -> Result<reqwest::Client, NetError> {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(Arc::new(sieve))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .no_proxy()
        .connect_timeout(settings.connect_timeout)
        .http2_max_header_list_size(settings.max_header_bytes)
        .pool_max_idle_per_host(settings.max_idle)
        .user_agent(concat!("toolsmith/", env!("CARGO_PKG_VERSION")));
    let builder = match &settings.socket {
        Some(socket) => builder.unix_socket(socket.as_path()),
        None => builder,
    };
    builder.build().map_err(|error| NetError::Setup(error.to_string()))
}
