//! The HTTP status of each error of the contract.

use axum::http::StatusCode;
use toolsmith_core::{ErrorKind, ToolError};

/// What a caller is told who left before its outcome: nobody reads it but logs.
const CLIENT_CLOSED_REQUEST: u16 = 499;

/// Returns the status of a failed call.
pub(super) fn status_of(error: &ToolError) -> StatusCode {
    match error.kind() {
        ErrorKind::ToolNotFound => StatusCode::NOT_FOUND,
        ErrorKind::ValidationError => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::PermissionDenied => StatusCode::FORBIDDEN,
        ErrorKind::ApprovalRequired => StatusCode::PRECONDITION_REQUIRED,
        ErrorKind::Rejected if error.is_closing() => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Rejected | ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::ExecutorNotFound => StatusCode::NOT_IMPLEMENTED,
        ErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ErrorKind::Cancelled => {
            StatusCode::from_u16(CLIENT_CLOSED_REQUEST).unwrap_or(StatusCode::BAD_REQUEST)
        }
        ErrorKind::UpstreamError => StatusCode::BAD_GATEWAY,
        ErrorKind::DependencyError => StatusCode::FAILED_DEPENDENCY,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_ends_is_unavailable_and_not_busy() {
        assert_eq!(status_of(&ToolError::closing()).as_u16(), 503);
    }

    #[test]
    fn every_error_has_the_status_of_the_contract() {
        let statuses = ErrorKind::ALL
            .map(|kind| (kind.as_str(), status_of(&ToolError::new(kind, "x")).as_u16()));
        assert_eq!(
            statuses,
            [
                ("tool_not_found", 404),
                ("validation_error", 422),
                ("permission_denied", 403),
                ("approval_required", 428),
                ("rejected", 429),
                ("rate_limited", 429),
                ("executor_not_found", 501),
                ("timeout", 504),
                ("cancelled", 499),
                ("execution_error", 500),
                ("upstream_error", 502),
                ("output_invalid", 500),
                ("dependency_error", 424),
            ]
        );
    }
}
