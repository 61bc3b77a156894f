//! The addresses of the HTTP door: the router and its description are both made of them.

mod address;
mod table;

use axum::Router;

pub(super) use self::address::{Address, Fails, Of, Sent};
use crate::Gateway;

/// Returns every address.
pub(super) fn all() -> &'static [Address] {
    table::ADDRESSES
}

/// Returns what leads requests to their handlers.
pub(super) fn routes() -> Router<Gateway> {
    all().iter().fold(Router::new(), |router, address| {
        router.route(address.path, (address.route)(address.verb.filter()))
    })
}
