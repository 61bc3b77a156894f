//! One state of the table: found by name in a few steps, walked in the order of names.

use std::{ops::Bound, sync::Arc};

use archery::ArcTK;
use foldhash::quality::RandomState;
use rpds::{HashTrieMap, RedBlackTreeSet};
use toolsmith_core::Text;

use super::{Entry, family::Family};

/// The tools at one moment; the next state shares all that stays.
///
/// Names in a private namespace stand as `namespace/name`.
#[derive(Clone)]
pub(super) struct Snapshot {
    tools: HashTrieMap<Text, Family, ArcTK, RandomState>,
    /// The same names in order, so that a page of a long list costs no more than the page.
    names: RedBlackTreeSet<Text, ArcTK>,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            tools: HashTrieMap::new_with_hasher_and_ptr_kind(RandomState::default()),
            names: RedBlackTreeSet::new_with_ptr_kind(),
        }
    }
}

impl Snapshot {
    pub(super) fn len(&self) -> usize {
        self.tools.size()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Family> {
        self.tools.get(name)
    }

    pub(super) fn insert(&mut self, name: Text, family: Family) {
        if !self.tools.contains_key(&name) {
            self.names.insert_mut(name.clone());
        }
        self.tools.insert_mut(name, family);
    }

    /// Removes a tool; tells whether it was there.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.names.remove_mut(name);
        self.tools.remove_mut(name)
    }

    /// Walks the versions of each tool in the order of names, from behind a name on.
    pub(super) fn families(&self, after: Option<&str>) -> impl Iterator<Item = &Family> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let names = self.names.range::<str, _>((from, Bound::Unbounded));
        names.filter_map(|name| self.tools.get(name))
    }

    /// Walks the default version of each tool in the order of names, from behind a name on.
    pub(super) fn defaults(&self, after: Option<&str>) -> impl Iterator<Item = &Arc<Entry>> {
        self.families(after).filter_map(Family::default_version)
    }

    /// Walks the default version of each tool with the name it stands under.
    pub(super) fn named_defaults(&self) -> impl Iterator<Item = (&Text, &Arc<Entry>)> {
        self.tools.iter().filter_map(|(name, family)| Some((name, family.default_version()?)))
    }

    /// Returns every version of every tool that is not private, in the order of names.
    pub(super) fn public(&self) -> Vec<Arc<Entry>> {
        let versions = self.families(None).flat_map(Family::versions);
        versions.filter(|entry| entry.namespace.is_none()).map(Arc::clone).collect()
    }
}
