//! Requests that were answered: by address, method and status, with how long it took.

use std::{sync::OnceLock, time::Duration};

use axum::http::{Method, StatusCode};
use toolsmith_engine::{
    durations::{Durations, Spread},
    lanes::{Lane, Lanes},
};

use super::Route;

const METHODS: [&str; 4] = ["GET", "POST", "DELETE", "other"];

/// The statuses that are answered; the last one stands for all others.
const STATUSES: [u16; 27] = [
    200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 424, 428,
    429, 499, 500, 501, 502, 503, 504, 0,
];

/// Counts requests, apart for each thread; memory is taken for what is met.
#[derive(Debug)]
pub(crate) struct Requests(Lanes<Box<[OnceLock<Box<ByStatus>>]>>);

type ByStatus = [OnceLock<Box<Durations>>; STATUSES.len()];

/// Requests for one address with one method that were answered with one status.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) route: &'static str,
    pub(crate) method: &'static str,
    /// 0 for one that is not counted apart.
    pub(crate) status: u16,
    pub(crate) durations: Spread,
}

impl Default for Requests {
    fn default() -> Self {
        let places = || (0..Route::count() * METHODS.len()).map(|_| OnceLock::new()).collect();
        Self(Lanes::new(places))
    }
}

impl Requests {
    /// Counts a request that was answered.
    pub(crate) fn count(
        &self,
        (route, method): (Route, usize),
        status: StatusCode,
        duration: Duration,
    ) {
        let place = route.place() * METHODS.len() + method;
        let Some(by_status) = self.0.at(Lane::here()).get(place) else { return };
        let by_status = by_status.get_or_init(Box::default);
        let other = STATUSES.len() - 1;
        let status = STATUSES.iter().position(|known| *known == status.as_u16());
        if let Some(durations) = by_status.get(status.unwrap_or(other)) {
            durations.get_or_init(Box::default).count(duration);
        }
    }

    /// Returns how many requests were counted.
    pub(crate) fn total(&self) -> u64 {
        self.read().iter().map(|answered| answered.durations.count()).sum()
    }

    /// Returns what was counted.
    pub(crate) fn read(&self) -> Vec<Answered> {
        let mut all = Vec::new();
        for place in 0..Route::count() * METHODS.len() {
            for (nth, status) in STATUSES.into_iter().enumerate() {
                let mut durations = Spread::default();
                let lanes =
                    self.0.iter().filter_map(|lane| lane.get(place)?.get()?.get(nth)?.get());
                lanes.for_each(|lane| lane.spread(&mut durations));
                if durations.count() > 0 {
                    let route = Route::at(place / METHODS.len());
                    let method = METHODS.get(place % METHODS.len()).copied().unwrap_or("other");
                    all.push(Answered { route, method, status, durations });
                }
            }
        }
        all
    }
}

/// Returns where a method stands among those that are counted apart.
pub(crate) fn place_of(method: &Method) -> usize {
    let known = METHODS.iter().position(|name| *name == method.as_str());
    known.unwrap_or(METHODS.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_counted_together() {
        let requests = Requests::default();
        let put = place_of(&Method::PUT);
        let teapot = StatusCode::IM_A_TEAPOT;
        requests.count((Route::of("/x"), put), teapot, Duration::from_secs(1));
        requests.count((Route::of("/y"), put), teapot, Duration::from_secs(1));
        requests.count(
            (Route::of("/docs"), place_of(&Method::GET)),
            StatusCode::OK,
            Duration::ZERO,
        );
        let read = requests.read();
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].route, read[0].method, read[0].status), ("/docs", "GET", 200));
        assert_eq!((read[1].route, read[1].method, read[1].status), ("", "other", 0));
        assert_eq!(read[1].durations.count(), 2);
    }
}
