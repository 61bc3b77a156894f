//! Why a request was not sent or its answer not read.

use std::{error::Error, fmt, io, time::Duration};

use reqwest::StatusCode;
use toolsmith_core::{Advice, ToolError};

/// Why a request was not sent or its answer not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The address is not allowed; nothing was sent to it.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// The request cannot be sent as it is; the text says why.
    #[error("{0}")]
    Invalid(String),
    /// The answer is larger than the limit, in bytes.
    #[error("the answer has more than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The answer led from one address to the next too often.
    #[error("more than {limit} redirects")]
    Redirects {
        /// How many were followed.
        limit: usize,
    },
    /// The answer led the body of the request to another origin; it was not sent there.
    #[error("{from} leads to {to}, where the body of the request was not sent")]
    BodyElsewhere {
        /// The origin that answered.
        from: String,
        /// The origin that it named.
        to: String,
    },
    /// The other end did not take the connection in time.
    #[error("no connection to {host} in time")]
    Timeout {
        /// Who did not answer.
        host: String,
    },
    /// No connection came about: unknown name, refused, unreachable.
    #[error("no connection to {host}")]
    Connect {
        /// Who was not reached.
        host: String,
        /// What the system said.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The connection cannot be trusted.
    #[error("no secure connection to {host}")]
    Tls {
        /// Whose certificate or protocol it was.
        host: String,
        /// What was wrong with it.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The connection broke, or what came was no HTTP.
    #[error("the connection to {host} broke")]
    Broken {
        /// The other end.
        host: String,
        /// What went wrong.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The other end answered with a failure.
    #[error("{host} answered {status}")]
    Status {
        /// The other end.
        host: String,
        /// The status.
        status: StatusCode,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
        /// The beginning of its answer.
        excerpt: String,
    },
    /// The client itself cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Setup(String),
}

/// An address that is refused, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    host: String,
    why: &'static str,
}

impl Denial {
    pub(crate) fn new(host: &str, why: &'static str) -> Self {
        Self { host: host.to_owned(), why }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}, and only public addresses may be called", self.host, self.why)
    }
}

impl Error for Denial {}

impl NetError {
    /// Turns it into the error of a call: what happened, and what to do.
    pub fn into_tool_error(self) -> ToolError {
        match self {
            Self::Denied(denial) => ToolError::denied(format!(
                "Access denied: {denial}. Use a public address, or ask the operator to allow \
                 this one."
            )),
            Self::Invalid(why) => ToolError::try_differently(format!(
                "The request was not sent: {why}. Correct it and call again."
            )),
            Self::TooLarge { limit } => ToolError::try_differently(format!(
                "The answer has more than {limit} bytes and was not read. Ask for less of it."
            )),
            Self::Redirects { limit } => ToolError::failed(format!(
                "The address led to another one more than {limit} times. Call the final address."
            )),
            Self::BodyElsewhere { from, to } => ToolError::failed(format!(
                "`{from}` leads to `{to}`, and what a request sends is not handed on to another \
                 server. If that one is meant, call its address directly."
            )),
            Self::Timeout { ref host } => ToolError::upstream(format!(
                "`{host}` did not answer in time. Try again later, or check the address."
            ))
            .with_source(self),
            Self::Connect { host, source } => ToolError::upstream(format!(
                "`{host}` could not be reached. Check the address, or try again later."
            ))
            .with_source(source),
            Self::Tls { host, source } => ToolError::upstream(format!(
                "`{host}` offers no connection that can be trusted: its certificate or protocol \
                 is not accepted."
            ))
            .with_advice(Advice::Final)
            .with_source(source),
            Self::Broken { host, source } => ToolError::upstream(format!(
                "The connection to `{host}` broke before its answer was complete. Try again later."
            ))
            .with_source(source),
            Self::Status { host, status, retry_after, excerpt } => {
                status_error(&host, status, retry_after, &excerpt)
            }
            Self::Setup(why) => ToolError::failed(format!("The HTTP client is not usable: {why}.")),
        }
    }

    /// Sorts what the HTTP library says; a refusal by our resolver comes back as what it is.
    pub(crate) fn from_library(error: reqwest::Error, host: &str) -> Self {
        let host = host.to_owned();
        if let Some(denial) = find::<Denial>(&error) {
            return denial.clone().into();
        }
        let is_tls = find::<rustls::Error>(&error).is_some();
        let (is_timeout, is_connect) = (error.is_timeout(), error.is_connect());
        let source = Box::new(error.without_url());
        match () {
            () if is_tls => Self::Tls { host, source },
            () if is_timeout => Self::Timeout { host },
            () if is_connect => Self::Connect { host, source },
            () => Self::Broken { host, source },
        }
    }
}

impl From<NetError> for ToolError {
    fn from(error: NetError) -> Self {
        error.into_tool_error()
    }
}

/// Says what a status means for the caller: 4xx is about the request, the others may pass.
fn status_error(
    host: &str,
    status: StatusCode,
    retry_after: Option<Duration>,
    excerpt: &str,
) -> ToolError {
    let details = toolsmith_core::json!({ "status": status.as_u16(), "body": excerpt });
    let answer = match excerpt {
        "" => String::new(),
        excerpt => format!(" Its answer: {excerpt}"),
    };
    let error = if matches!(status.as_u16(), 408 | 425 | 429 | 500..) {
        ToolError::upstream(format!("`{host}` answered {status}. Try again later.{answer}"))
    } else {
        let advice = advice(status);
        ToolError::try_differently(format!("`{host}` answered {status}. {advice}{answer}"))
    };
    let error = if matches!(status.as_u16(), 401 | 407 | 501) {
        error.with_advice(Advice::Final)
    } else {
        error
    };
    match retry_after {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    }
    .with_details(details)
}

fn advice(status: StatusCode) -> &'static str {
    match status.as_u16() {
        300..=399 => "It leads elsewhere; call the address that it names.",
        401 => "The credentials are missing or wrong: the tool's configuration must be put right.",
        403 => "The credentials do not allow this.",
        404 | 410 => "There is nothing at this address: check the values of the input.",
        405 => "This method is not allowed there.",
        413 | 414 => "The request is too large: send less.",
        _ => "Check the values of the input and call again.",
    }
}

/// Looks through the causes of an error for one of a type.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An I/O error shows the cause of its cause as its source, and skips the cause itself.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source());
    }
    None
}
