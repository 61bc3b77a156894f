//! What a client says about itself and its request.

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;
pub(crate) use toolsmith_core::LogLevel as Level;
use toolsmith_core::{Value, json};

use super::wire::{Word, present};

/// The `_meta` of a request.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Meta<'a> {
    #[serde(borrow, rename = "progressToken", default, deserialize_with = "present")]
    progress_token: Option<&'a RawValue>,
    /// The revision that the request is written in.
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    pub(crate) revision: Option<Word<'a>>,
    /// What the client can do.
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(crate) capabilities: Option<Capabilities>,
    /// From which level on the client wants to hear messages; none when it does not say.
    #[serde(rename = "io.modelcontextprotocol/logLevel")]
    pub(crate) level: Option<Level>,
}

impl<'a> Meta<'a> {
    /// Returns the token by which the client wants to hear how far its request is.
    pub(crate) fn progress_token(&self) -> Option<&'a RawValue> {
        let is_legal = |raw: &&RawValue| {
            raw.get().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit())
        };
        self.progress_token.filter(is_legal)
    }
}

/// The parameters of a request, as far as they say something about the client.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Introduced<'a> {
    /// What every request may have.
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: Option<Meta<'a>>,
}

/// What a client declares to be able to do.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Capabilities {
    elicitation: Option<Elicitation>,
    sampling: Option<IgnoredAny>,
    roots: Option<IgnoredAny>,
    #[serde(default)]
    extensions: Extensions,
}

#[derive(Debug, Default, Deserialize)]
struct Extensions {
    /// Long calls are polled.
    #[serde(rename = "io.modelcontextprotocol/tasks")]
    tasks: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
struct Elicitation {
    form: Option<IgnoredAny>,
    url: Option<IgnoredAny>,
}

/// What a client can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability of the protocol")]
pub(crate) struct Abilities {
    /// A person fills in a form.
    pub(crate) form: bool,
    /// A person visits an address.
    pub(crate) visit: bool,
    /// A model answers.
    pub(crate) sampling: bool,
    /// The folders that it works in.
    pub(crate) roots: bool,
    /// It polls long calls.
    pub(crate) tasks: bool,
}

impl Abilities {
    /// Tells whether the client can be asked anything.
    pub(crate) fn can_be_asked(self) -> bool {
        self.form || self.visit || self.sampling || self.roots
    }
}

impl From<&Capabilities> for Abilities {
    fn from(said: &Capabilities) -> Self {
        let elicitation = said.elicitation.as_ref();
        Self {
            // An empty object is what was said before there were two ways.
            form: elicitation.is_some_and(|how| how.form.is_some() || how.url.is_none()),
            visit: elicitation.is_some_and(|how| how.url.is_some()),
            sampling: said.sampling.is_some(),
            roots: said.roots.is_some(),
            tasks: said.extensions.tasks.is_some(),
        }
    }
}

/// Returns who we are, in the words of the protocol.
pub(crate) fn server_info() -> Value {
    json!({ "name": "toolsmith", "title": "Toolsmith", "version": env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abilities(text: &str) -> Abilities {
        Abilities::from(&serde_json::from_str::<Capabilities>(text).unwrap())
    }

    #[test]
    fn abilities_are_read_as_each_revision_writes_them() {
        assert!(!abilities("{}").can_be_asked());
        let old = abilities(r#"{"elicitation":{},"sampling":{},"roots":{"listChanged":true}}"#);
        assert!(old.form && !old.visit && old.sampling && old.roots);
        let both = abilities(r#"{"elicitation":{"form":{},"url":{}}}"#);
        assert!(both.form && both.visit && !both.sampling);
        assert!(!abilities(r#"{"elicitation":{"url":{}}}"#).form);
        assert!(abilities(r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#).tasks);
    }

    #[test]
    fn a_token_is_a_text_or_a_number() {
        for (text, is_taken) in [("\"a\"", true), ("7", true), ("null", false), ("{}", false)] {
            let text = format!(r#"{{"progressToken":{text}}}"#);
            let meta: Meta<'_> = serde_json::from_str(&text).unwrap();
            assert_eq!(meta.progress_token().is_some(), is_taken, "{text}");
        }
    }
}
