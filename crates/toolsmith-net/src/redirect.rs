//! What is asked next when an answer leads elsewhere.

use reqwest::{
    Method, StatusCode, Url,
    header::{HeaderMap, LOCATION},
};

use crate::{Guard, NetError, Request, guard, headers};

/// Turns a request into the one that its answer leads to; nothing when it leads nowhere.
pub(crate) fn follow(
    request: &Request,
    answer: &reqwest::Response,
) -> Result<Option<Request>, NetError> {
    next(request, answer.url(), answer.status(), answer.headers())
}

fn next(
    request: &Request,
    from: &Url,
    status: StatusCode,
    answer: &HeaderMap,
) -> Result<Option<Request>, NetError> {
    let is_redirect = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = answer.get(LOCATION).filter(|_| is_redirect) else { return Ok(None) };
    let unreadable = || NetError::Invalid("the answer leads to an unreadable address".to_owned());
    // Servers send bytes beyond ASCII as UTF-8; anything else is no address.
    let location = str::from_utf8(location.as_bytes()).map_err(|_| unreadable())?;
    let target = from.join(location.trim()).map_err(|_| unreadable())?;
    let target = guard::parse(target.as_str())?;
    let mut next = Request { url: target.as_str().to_owned(), ..request.clone() };
    if matches!(status.as_u16(), 301..=303) && !matches!(next.method, Method::GET | Method::HEAD) {
        next.method = Method::GET;
        next.body = bytes::Bytes::new();
        headers::drop_body(&mut next.headers);
    }
    if !keeps_trust(from, &target) {
        if !next.body.is_empty() {
            let origin = |url: &Url| url.origin().ascii_serialization();
            return Err(NetError::BodyElsewhere { from: origin(from), to: origin(&target) });
        }
        headers::drop_credentials(&mut next.headers);
        // The operator trusted one origin, not the addresses that its answers name.
        next.guard = Guard::Public;
    }
    Ok(Some(next))
}

/// Tells whether a target is who was asked: the same origin, or its host over a secure connection.
fn keeps_trust(from: &Url, target: &Url) -> bool {
    // Ports that are written out belong to services of their own; only the usual pair is one.
    let is_upgrade = (from.scheme(), target.scheme()) == ("http", "https")
        && (from.port(), target.port()) == (None, None)
        && from.host_str() == target.host_str();
    is_upgrade || from.origin() == target.origin()
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderName;

    use super::*;

    fn asked(method: Method, from: &str) -> Request {
        let mut request = Request::new(method, from).trusted();
        for (name, value) in [("authorization", "Bearer x"), ("cookie", "c=1"), ("accept", "*/*")] {
            request = request.with_header(name, value).unwrap();
        }
        let secret = toolsmith_core::Secret::new("key".to_owned());
        request = request.with_secret_header("x-api-key", &secret).unwrap();
        request.with_header("content-type", "text/plain").unwrap()
    }

    fn lead(request: &Request, status: u16, location: &str) -> Result<Request, NetError> {
        let mut answer = HeaderMap::new();
        answer.insert(LOCATION, location.parse().unwrap());
        let (from, status) = (request.url.parse().unwrap(), StatusCode::from_u16(status).unwrap());
        next(request, &from, status, &answer).map(Option::unwrap)
    }

    fn led(status: u16, method: Method, location: &str) -> Request {
        let mut request = asked(method, "https://a.example/x/y");
        request.body = "body".into();
        lead(&request, status, location).unwrap()
    }

    fn names(request: &Request) -> Vec<&str> {
        let mut names: Vec<&str> = request.headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn within_an_origin_everything_is_kept() {
        let request = led(307, Method::POST, "../z?q=1#f");
        assert_eq!(request.url, "https://a.example/z?q=1");
        assert_eq!((request.method.as_str(), &request.body[..]), ("POST", &b"body"[..]));
        assert_eq!(request.headers.len(), 5);
        assert_eq!(request.guard, Guard::Trusted);
    }

    #[test]
    fn another_origin_gets_no_credentials_and_no_trust() {
        for target in ["https://b.example/", "http://a.example/", "https://a.example:8443/"] {
            let request = asked(Method::PUT, "https://a.example/x/y");
            let request = lead(&request, 308, target).unwrap();
            assert_eq!(names(&request), ["accept", "content-type"], "{target}");
            assert_eq!(request.guard, Guard::Public, "{target}");
            assert_eq!(request.method, Method::PUT);
        }
    }

    #[test]
    fn a_body_never_goes_to_another_origin() {
        for status in [307, 308] {
            for guard in [Guard::Public, Guard::Trusted] {
                let mut request = asked(Method::POST, "https://a.example/x");
                (request.guard, request.body) = (guard, "s3cret".into());
                let error = lead(&request, status, "https://b.example/y?z=1").unwrap_err();
                assert!(matches!(error, NetError::BodyElsewhere { .. }), "{error:?}");
                let told = error.into_tool_error();
                let hosts = "`https://a.example` leads to `https://b.example`";
                assert!(told.message().contains(hosts), "{told}");
            }
        }
        // What has become a GET has nothing left to send.
        let elsewhere = led(303, Method::POST, "https://b.example/");
        assert_eq!((elsewhere.method.as_str(), elsewhere.body.len()), ("GET", 0));
    }

    #[test]
    fn a_host_that_leads_to_its_secure_self_keeps_its_trust() {
        let mut request = asked(Method::POST, "http://intern.example/x");
        request.body = "body".into();
        let led = lead(&request, 308, "https://intern.example/x").unwrap();
        assert_eq!(
            (led.guard, led.headers.len(), &led.body[..]),
            (Guard::Trusted, 5, &b"body"[..])
        );
        request.body = bytes::Bytes::new();
        for other in [
            "https://intern.example:8443/",
            "https://x.intern.example/",
            "https://evil.example/",
            "http://intern.example:443/",
        ] {
            let led = lead(&request, 308, other).unwrap();
            assert_eq!((led.guard, led.headers.len()), (Guard::Public, 2), "{other}");
        }
        let odd = asked(Method::GET, "http://intern.example:8080/");
        assert_eq!(lead(&odd, 302, "https://intern.example/").unwrap().guard, Guard::Public);
    }

    #[test]
    fn see_other_becomes_a_get_without_a_body() {
        for status in [301, 302, 303] {
            let request = led(status, Method::POST, "/there");
            assert_eq!((request.method.as_str(), request.body.len()), ("GET", 0));
            assert!(!request.headers.contains_key("content-type"));
            assert_eq!(led(status, Method::HEAD, "/there").method, Method::HEAD);
        }
    }
}
