//! The versions of one tool, side by side.

use std::sync::Arc;

use toolsmith_core::{Version, VersionReq};

use super::Entry;

/// All versions of one tool, the newest first; never changed, only replaced.
#[derive(Clone, Debug)]
pub(super) enum Family {
    /// Nearly every tool has one version, and 100,000 of them should not pay for a list.
    One(Arc<Entry>),
    /// Several versions, the newest first.
    Many(Arc<[Arc<Entry>]>),
}

impl Family {
    pub(super) fn single(entry: Arc<Entry>) -> Self {
        Self::One(entry)
    }

    pub(super) fn versions(&self) -> &[Arc<Entry>] {
        match self {
            Self::One(entry) => std::slice::from_ref(entry),
            Self::Many(entries) => entries,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.versions().is_empty()
    }

    /// Returns what the bare name means: the newest version that is neither a pre-release nor
    /// deprecated; when there is none, the newest release; when there is none either, the newest.
    pub(super) fn default_version(&self) -> Option<&Arc<Entry>> {
        let entries = self.versions();
        let released = || entries.iter().filter(|entry| !entry.spec.version.is_prerelease());
        released()
            .find(|entry| entry.spec.deprecated.is_none())
            .or_else(|| released().next())
            .or_else(|| entries.first())
    }

    /// Returns the newest version in a range, those not deprecated first.
    pub(super) fn in_range(&self, range: &VersionReq) -> Option<&Arc<Entry>> {
        let fitting = || self.versions().iter().filter(|entry| entry.spec.version.is_in(range));
        fitting().find(|entry| entry.spec.deprecated.is_none()).or_else(|| fitting().next())
    }

    pub(super) fn exactly(&self, version: &Version) -> Option<&Arc<Entry>> {
        self.versions().iter().find(|entry| entry.spec.version == *version)
    }

    /// Returns the family with an entry added or put in the place of its version.
    pub(super) fn with(&self, entry: Arc<Entry>) -> Self {
        let mut entries: Vec<Arc<Entry>> = self.others(&entry.spec.version).collect();
        let at = entries.partition_point(|other| other.spec.version > entry.spec.version);
        entries.insert(at, entry);
        match <[_; 1]>::try_from(entries) {
            Ok([only]) => Self::One(only),
            Err(entries) => Self::Many(entries.into()),
        }
    }

    /// Returns the family without a version, or nothing when it was not there.
    pub(super) fn without(&self, version: &Version) -> Option<Self> {
        self.exactly(version)?;
        Some(Self::Many(self.others(version).collect()))
    }

    fn others(&self, version: &Version) -> impl Iterator<Item = Arc<Entry>> {
        self.versions().iter().filter(|other| other.spec.version != *version).map(Arc::clone)
    }
}
