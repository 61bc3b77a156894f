//! The keys of a receiver of events.

use std::time::Duration;

use toolsmith_core::{EventKind, Secret};

use super::{
    Template,
    kinds::{
        Count, Field, Hidden, ListOf, Named, OneOrMany, Optional, Record, Seconds, Switch, Text,
        Word, bind, with_suggestion,
    },
};

/// A receiver of events.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// What it is called.
    pub name: String,
    /// Where events are posted.
    pub url: Option<Template>,
    /// What they are signed with; several while one takes the place of another.
    pub secret: Vec<Secret<Template>>,
    /// The types of events that it wants; the usual ones when there are none.
    pub types: Vec<String>,
    /// The tools whose events it wants, as names and patterns; every event when there are none.
    pub tools: Vec<String>,
    /// How long it may take to answer.
    pub timeout: Duration,
    /// How often a message is posted before it is given up.
    pub max_tries: usize,
    /// How many events wait for it.
    pub max_waiting: usize,
    /// Whether its address may be a private one.
    pub allow_private: bool,
}

impl Default for Webhook {
    fn default() -> Self {
        Self {
            name: String::new(),
            url: None,
            secret: Vec::new(),
            types: Vec::new(),
            tools: Vec::new(),
            timeout: Duration::from_secs(15),
            max_tries: 10,
            max_waiting: 10_000,
            allow_private: false,
        }
    }
}

impl Webhook {
    /// Returns the types of events that it wants; the first that there is not is the error.
    pub(crate) fn kinds(&self) -> Result<Vec<EventKind>, &str> {
        self.types.iter().map(|name| EventKind::from_name(name).ok_or(name.as_str())).collect()
    }
}

/// Receivers by name, or as a list.
pub(super) const KIND: Named<Record<Webhook>> =
    Named { items: Record { fields: &WEBHOOK, check }, name: |webhook| &webhook.name };

static WEBHOOK: [Field<Webhook>; 9] = [
    Field { name: "name", slot: |s| bind(Word, &mut s.name) },
    Field { name: "url", slot: |s| bind(Optional(Text("an address")), &mut s.url) },
    Field { name: "secret", slot: |s| bind(OneOrMany(Hidden), &mut s.secret) },
    Field { name: "types", slot: |s| bind(ListOf(Word), &mut s.types) },
    Field { name: "tools", slot: |s| bind(ListOf(Word), &mut s.tools) },
    Field { name: "timeout", slot: |s| bind(Seconds, &mut s.timeout) },
    Field { name: "max_tries", slot: |s| bind(Count { least: 1 }, &mut s.max_tries) },
    Field { name: "max_waiting", slot: |s| bind(Count { least: 1 }, &mut s.max_waiting) },
    Field { name: "allow_private", slot: |s| bind(Switch, &mut s.allow_private) },
];

fn check(webhook: &Webhook) -> Option<String> {
    let missing = [
        ("name", webhook.name.is_empty()),
        ("url", webhook.url.is_none()),
        ("secret", webhook.secret.is_empty()),
    ];
    if let Some((key, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) {
        return Some(format!("expected a `{key}`"));
    }
    let unknown = webhook.kinds().err()?;
    let names = EventKind::ALL.iter().map(|kind| kind.as_str());
    Some(with_suggestion(format!("there are no events of type `{unknown}`"), unknown, names))
}
