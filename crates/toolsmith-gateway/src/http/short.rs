//! The short way of calls: past the router, through the same door, to the same handlers.
//!
//! Nearly all requests are calls, and the router costs a call more than reading and answering it:
//! it boxes the work of every layer and moves the request from one to the next.

use axum::{
    Router,
    body::Body,
    http::{Method, Request},
    response::{IntoResponse, Response},
};
use hyper::{body::Incoming, service::Service as _};
use hyper_util::service::TowerToHyperService;

use super::run_tool;
use crate::{Gateway, Visitor, door, mcp};

/// What answers requests.
#[derive(Debug)]
pub(crate) struct Answering {
    gateway: Gateway,
    router: TowerToHyperService<Router>,
}

impl Answering {
    /// Answers for a gateway.
    pub(crate) fn new(gateway: Gateway) -> Self {
        let router = TowerToHyperService::new(super::router(gateway.clone()));
        Self { gateway, router }
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Response {
        let gateway = &self.gateway;
        match (request.method(), request.uri().path()) {
            (&Method::POST, "/run_tool") => {
                let inside = async |visitor, request| match Visitor::known(visitor) {
                    Ok(visitor) => run_tool::answer(gateway, visitor, request).await,
                    Err(failure) => failure.into_response(),
                };
                door::stand(gateway, request.map(Body::new), inside).await
            }
            (&Method::POST, "/mcp") => {
                let inside = async |visitor, request| match Visitor::known(visitor) {
                    Ok(visitor) => mcp::http::answer(gateway, visitor, None, request).await,
                    Err(failure) => failure.into_response(),
                };
                door::stand(gateway, request.map(Body::new), inside).await
            }
            // What is rare is boxed by the router itself, so that connections stay small.
            _ => self.router.call(request).await.into_response(),
        }
    }
}
