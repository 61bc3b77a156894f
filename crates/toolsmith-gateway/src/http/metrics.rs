//! `GET /metrics`: what is measured, in the text format of Prometheus.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, header::CONTENT_TYPE},
    response::Response,
};

use tokio::task::spawn_blocking;

use super::answer::Failure;
use crate::{
    Gateway, Visitor,
    metrics::{self, MetricsDoor},
};

/// The format, as scrapers know it.
const FORMAT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Answers what is measured; who is no administrator was let in by the door for this alone.
pub(super) async fn metrics(
    State(gateway): State<Gateway>,
    visitor: Result<Visitor, Failure>,
) -> Result<Response, Failure> {
    match (gateway.0.config.metrics, visitor) {
        (MetricsDoor::Off, _) => return Err(Failure::no_such_place()),
        (MetricsDoor::Admins, Ok(visitor)) => visitor.must_be_admin()?,
        (MetricsDoor::Admins, Err(_)) | (MetricsDoor::Open, _) => {}
    }
    // A hundred thousand tools take a while to look through, and calls must not wait for it.
    let text = spawn_blocking(move || metrics::write(&metrics::gather(&gateway))).await;
    let text = text.map_err(|_| Failure::unreadable_metrics())?;
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(CONTENT_TYPE, FORMAT);
    Ok(response)
}
