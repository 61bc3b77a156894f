//! Which tools to list.

use toolsmith_core::{AllowList, BackendRuntime, Exposure, Kind, Rights, Text};

use super::Entry;

/// Which tools to list; an empty filter accepts every tool that is not private.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this category.
    pub category: Option<Text>,
    /// With at least one of these tags.
    pub any_tags: Vec<Text>,
    /// With all of these tags.
    pub all_tags: Vec<Text>,
    /// In this group.
    pub group: Option<Text>,
    /// Of this kind.
    pub kind: Option<Kind>,
    /// Running there.
    pub backend_runtime: Option<BackendRuntime>,
    /// That can be called, or that cannot.
    pub enabled: Option<bool>,
    /// That are shown to models so.
    pub exposure: Option<Exposure>,
    /// Of these names and patterns.
    pub names: Option<AllowList>,
    /// Also the private tools of this namespace.
    pub namespace: Option<Text>,
}

impl Filter {
    /// Accepts the tools of a category.
    pub fn category(category: impl Into<Text>) -> Self {
        Self { category: Some(category.into()), ..Self::default() }
    }

    /// Accepts the tools with at least one of these tags.
    pub fn any_tags<T: Into<Text>>(tags: impl IntoIterator<Item = T>) -> Self {
        Self { any_tags: tags.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Accepts the tools with all of these tags.
    pub fn all_tags<T: Into<Text>>(tags: impl IntoIterator<Item = T>) -> Self {
        Self { all_tags: tags.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Accepts the tools that a caller may see.
    pub fn visible_to(rights: &Rights) -> Self {
        let Rights { tools, namespace, .. } = rights.clone();
        Self { names: tools, namespace, ..Self::default() }
    }

    /// Tells whether a tool is accepted.
    pub fn accepts(&self, entry: &Entry) -> bool {
        let spec = &entry.spec;
        let has = |tag: &Text| spec.tags.contains(tag);
        (entry.namespace.is_none() || entry.namespace == self.namespace)
            && self.category.as_ref().is_none_or(|category| **category == *spec.category.as_str())
            && (self.any_tags.is_empty() || self.any_tags.iter().any(has))
            && self.all_tags.iter().all(has)
            && self.group.as_ref().is_none_or(|group| spec.groups.contains(group))
            && self.names.as_ref().is_none_or(|names| names.contains(spec.name.as_str()))
            && self.exposure.is_none_or(|exposure| exposure == spec.exposure)
            && self.kind.is_none_or(|kind| kind == spec.kind)
            && self.enabled.is_none_or(|enabled| enabled == spec.enabled)
            && self.backend_runtime.is_none_or(|runtime| runtime == spec.backend_runtime)
    }
}
