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

/// Returns every path once.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    // Methods of one path stand side by side, but for some.
    let is_first = |place: usize, path| all().iter().take(place).all(|other| other.path != path);
    let paths = all().iter().map(|address| address.path).enumerate();
    paths.filter(move |(place, path)| is_first(*place, *path)).map(|(_, path)| path)
}

/// Returns what leads requests to their handlers.
pub(super) fn routes() -> Router<Gateway> {
    all().iter().fold(Router::new(), |router, address| {
        router.route(address.path, (address.route)(address.verb.filter()))
    })
}
