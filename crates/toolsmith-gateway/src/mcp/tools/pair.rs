//! The pair that finds and calls tools which are not listed.

use std::sync::Arc;

use parking_lot::Mutex;
use toolsmith_core::{Exposure, Rights};
use toolsmith_engine::registry::{Entry, Filter, Registry};

/// The tools that find and call others.
const PAIR: [&str; 2] = ["search_tools", "call_tool"];

/// Remembers whether there are tools that are found by search only.
#[derive(Debug, Default)]
pub(crate) struct Deferred(Mutex<Option<(u64, bool)>>);

impl Deferred {
    /// Returns the pair, when there is something that a caller could find by it.
    pub(super) fn pair(&self, registry: &Registry, rights: &Rights) -> Vec<Arc<Entry>> {
        let of =
            |filter| Filter { exposure: Some(Exposure::Deferred), enabled: Some(true), ..filter };
        let finds = |filter| !registry.page(&of(filter), None, 1).is_empty();
        if !self.is_there(registry, || finds(Filter::default())) && rights.namespace.is_none()
            || !finds(Filter::visible_to(rights))
        {
            return Vec::new();
        }
        let pair: Vec<_> = PAIR
            .iter()
            .filter_map(|name| registry.visible(name, rights))
            .filter(|entry| entry.spec.enabled)
            .collect();
        // One of the two alone finds nothing or calls nothing.
        if pair.len() == PAIR.len() { pair } else { Vec::new() }
    }

    /// Looks through the whole registry once for each of its states.
    fn is_there(&self, registry: &Registry, look: impl FnOnce() -> bool) -> bool {
        let now = *registry.changes().borrow();
        if let Some((then, known)) = *self.0.lock()
            && then == now
        {
            return known;
        }
        let found = look();
        *self.0.lock() = Some((now, found));
        found
    }
}
