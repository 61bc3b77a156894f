//! The keys `sources` and `active_source`: several ways to run one tool.

use toolsmith_core::{Fault, Fields, Map, Value};

use super::rules::{add_all, key_fault};

const KEYS: [&str; 2] = ["sources", "active_source"];

/// Takes both keys as they are, for the maker that knows sources; nothing when there are none.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<Value> {
    let [list, active] = KEYS.map(|key| fields.any(key).cloned());
    if list.is_none() && active.is_some() {
        let message = "`active_source` is the place of a source in `sources`, which is not there";
        fields.add(key_fault(fields.pointer(), "active_source", message));
    }
    let mut taken = Map::new();
    taken.insert("sources".to_owned(), list?);
    taken.extend(active.map(|active| ("active_source".to_owned(), active)));
    if fields.any("entry").is_some() {
        let message = "`entry` says already how the tool runs: move it into the list, or remove it";
        fields.add(key_fault(fields.pointer(), "sources", message));
        return None;
    }
    Some(taken.into())
}

/// Looks at the form only, where nothing knows sources: which keys one has belongs to its maker.
pub(crate) fn check(fields: &mut Fields<'_>) {
    let count = fields.list("sources").map(|sources| {
        for (place, source) in sources.iter().enumerate() {
            match Fields::of(source, format!("{}/sources/{place}", fields.pointer())) {
                Ok(source) => {
                    add_all(fields, source_faults(source));
                }
                Err(fault) => fields.add(fault),
            }
        }
        sources.len()
    });
    let active = fields.count("active_source");
    if let (Some(count), Some(active)) = (count, active)
        && usize::try_from(active).is_ok_and(|active| active >= count)
    {
        let message = format!("there are only {count} sources, counted from 0");
        fields.blame("active_source", message);
    }
}

fn source_faults(mut source: Fields<'_>) -> Vec<Fault> {
    if source.any("type").is_none() {
        source.miss("type", "one of `local`, `docker`, `remote`");
    }
    source.word("type", &["local", "docker", "remote"]);
    let mut faults = source.finish();
    faults.retain(|fault| !fault.message.starts_with("unknown key"));
    faults
}
