//! The tools of one state by what filters ask for, so that what is rare is found without a walk.

use std::collections::HashMap;

use foldhash::quality::RandomState;
use toolsmith_core::Text;

use super::{Entry, Filter};

/// The names under which tools stand, in order, for each thing that a filter may ask for.
#[derive(Debug, Default)]
pub(super) struct Shelves(HashMap<Label, Vec<Text>, RandomState>);

/// What is asked for.
type Label = (Aspect, Text);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Aspect {
    Category,
    Tag,
    Group,
    Runtime,
}

impl Shelves {
    /// Puts tools in order on their shelves.
    pub(super) fn of<'a>(tools: impl Iterator<Item = (&'a Text, &'a Entry)>) -> Self {
        let mut shelves = Self::default();
        for (name, tool) in tools {
            for label in labels_of(tool) {
                shelves.0.entry(label).or_default().push(name.clone());
            }
        }
        shelves
    }

    /// Returns the shelf with the fewest tools on which everything is that a filter accepts;
    /// nothing for a filter that asks for no such thing.
    pub(super) fn smallest(&self, filter: &Filter) -> Option<&[Text]> {
        let shelves =
            labels_in(filter).map(|label| self.0.get(&label).map_or(&[][..], Vec::as_slice));
        shelves.min_by_key(|shelf| shelf.len())
    }
}

/// Tells whether a filter asks for something that there are shelves for.
pub(super) fn has_label(filter: &Filter) -> bool {
    labels_in(filter).next().is_some()
}

fn labels_of(tool: &Entry) -> impl Iterator<Item = Label> {
    let spec = &tool.spec;
    let tags = spec.tags.iter().map(|tag| (Aspect::Tag, tag.clone()));
    let groups = spec.groups.iter().map(|group| (Aspect::Group, group.clone()));
    let category = (Aspect::Category, Text::new(spec.category.as_str()));
    let runtime = (Aspect::Runtime, Text::new(spec.backend_runtime.as_str()));
    tags.chain(groups).chain([category, runtime])
}

fn labels_in(filter: &Filter) -> impl Iterator<Item = Label> {
    let tags = filter.all_tags.iter().map(|tag| (Aspect::Tag, tag.clone()));
    let group = filter.group.iter().map(|group| (Aspect::Group, group.clone()));
    let category = filter.category.iter().map(|category| (Aspect::Category, category.clone()));
    let runtime = filter.backend_runtime.map(|place| (Aspect::Runtime, Text::new(place.as_str())));
    tags.chain(group).chain(category).chain(runtime)
}
