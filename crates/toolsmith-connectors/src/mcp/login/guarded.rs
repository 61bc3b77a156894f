//! The requests of a login, sent by our own client.

use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy,
    OAuthHttpRequest,
};
use tokio::time::timeout;
use toolsmith_net::{Client, Guard, Request, Url};

/// The longest answer that is read, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Sends what a login needs.
///
/// The address of the MCP server is the operator's; those that it names are its own, and must be on
/// the public internet unless they are on the same host.
pub(super) struct Guarded {
    net: Client,
    host: Option<String>,
}

impl Guarded {
    pub(super) fn new(net: Client, base: &Url) -> Self {
        Self { net, host: base.host_str().map(str::to_owned) }
    }

    fn request(&self, asked: &OAuthHttpRequest) -> Request {
        let (url, request) = (asked.request.uri().to_string(), &asked.request);
        let host = Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let mut sent = Request::new(request.method().clone(), url);
        sent.headers.clone_from(request.headers());
        sent.body = request.body().clone().into();
        sent.guard =
            if host.is_some() && host == self.host { Guard::Trusted } else { Guard::Public };
        sent.max_bytes = Some(LONGEST);
        if asked.redirect_policy == OAuthHttpRedirectPolicy::Stop {
            sent.max_redirects = Some(0);
        }
        sent
    }
}

impl OAuthHttpClient for Guarded {
    fn execute(&self, asked: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        let sending = self.net.send(self.request(&asked));
        Box::pin(async move {
            let answer = match asked.timeout {
                Some(limit) => timeout(limit, sending).await?,
                None => sending.await,
            };
            let answer = answer.map_err(|error| Box::new(error) as OAuthHttpClientError)?;
            let mut response = http::Response::new(answer.body.to_vec());
            *response.status_mut() = answer.status;
            *response.headers_mut() = answer.headers;
            Ok(response)
        })
    }
}
