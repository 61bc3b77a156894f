//! One state of the table: found by name in a few steps, walked in the order of names.

use std::{
    ops::Bound,
    sync::{Arc, OnceLock},
};

use archery::ArcTK;
use foldhash::quality::RandomState;
use rpds::{HashTrieMap, RedBlackTreeSet};
use toolsmith_core::Text;

use super::{
    Entry, Filter,
    family::Family,
    shelves::{Shelves, has_label},
};

/// How many tools are looked at for a page before shelves are made for what seems to be rare.
const LOOKED_AT: usize = 512;

/// The tools at one moment; the next state shares all that stays.
///
/// Names in a private namespace stand as `namespace/name`.
#[derive(Clone)]
pub(super) struct Snapshot {
    tools: HashTrieMap<Text, Family, ArcTK, RandomState>,
    /// The same names in order, so that a page of a long list costs no more than the page.
    names: RedBlackTreeSet<Text, ArcTK>,
    /// What is where, once somebody has asked for what is rare.
    shelves: OnceLock<Arc<Shelves>>,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            tools: HashTrieMap::new_with_hasher_and_ptr_kind(RandomState::default()),
            names: RedBlackTreeSet::new_with_ptr_kind(),
            shelves: OnceLock::new(),
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
        self.shelves.take();
        if !self.tools.contains_key(&name) {
            self.names.insert_mut(name.clone());
        }
        self.tools.insert_mut(name, family);
    }

    /// Removes a tool; tells whether it was there.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.shelves.take();
        self.names.remove_mut(name);
        self.tools.remove_mut(name)
    }

    /// Returns the first tools that pass a filter in the order of names, from behind a name on.
    pub(super) fn page(
        &self,
        filter: &Filter,
        after: Option<&str>,
        limit: usize,
    ) -> Vec<Arc<Entry>> {
        let (mut page, mut looked_at, mut last) = (Vec::new(), 0, None);
        let most = if has_label(filter) { LOOKED_AT } else { usize::MAX };
        for (name, entry) in self.in_order(after).take(most) {
            if page.len() == limit {
                return page;
            }
            (looked_at, last) = (looked_at + 1, Some(name));
            page.extend(filter.accepts(entry).then(|| Arc::clone(entry)));
        }
        // Who has seen all of them needs no shelf.
        let is_more_wanted = looked_at == most && page.len() < limit;
        let Some(last) = last.filter(|_| is_more_wanted) else { return page };
        let shelves = self.shelves.get_or_init(|| {
            let entries = self.in_order(None).map(|(name, entry)| (name, &**entry));
            Arc::new(Shelves::of(entries))
        });
        let shelf = shelves.smallest(filter).unwrap_or_default();
        let rest = shelf.iter().skip(shelf.partition_point(|name| name <= last));
        let tools = rest.filter_map(|name| self.tools.get(name)?.default_version());
        let room = limit - page.len();
        page.extend(tools.filter(|entry| filter.accepts(entry)).take(room).map(Arc::clone));
        page
    }

    /// Walks the versions of each tool in the order of names.
    fn families(&self) -> impl Iterator<Item = &Family> {
        self.names.iter().filter_map(|name| self.tools.get(name))
    }

    /// Walks the default version of each tool in the order of names, from behind a name on.
    fn in_order(&self, after: Option<&str>) -> impl Iterator<Item = (&Text, &Arc<Entry>)> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let names = self.names.range::<str, _>((from, Bound::Unbounded));
        names.filter_map(|name| Some((name, self.tools.get(name)?.default_version()?)))
    }

    /// Walks the default version of each tool in the order of names.
    pub(super) fn defaults(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.families().filter_map(Family::default_version)
    }

    /// Walks the default version of each tool with the name it stands under.
    pub(super) fn named_defaults(&self) -> impl Iterator<Item = (&Text, &Arc<Entry>)> {
        self.tools.iter().filter_map(|(name, family)| Some((name, family.default_version()?)))
    }

    /// Returns every version of every tool that is not private, in the order of names.
    pub(super) fn public(&self) -> Vec<Arc<Entry>> {
        let versions = self.families().flat_map(Family::versions);
        versions.filter(|entry| entry.namespace.is_none()).map(Arc::clone).collect()
    }
}
