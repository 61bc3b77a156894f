//! How a tool is shown where that differs from what it is, and the way back.

use serde_json::{Map, Value};
use toolsmith_core::Text;

/// How deep parameters are shown under other names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those of the tool itself.
    #[default]
    Top,
    /// Those of objects in its parameters too.
    All,
}

/// How one tool is shown where that differs from what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guise {
    /// What the tool is called.
    pub(crate) tool: Text,
    /// The name under which it is shown.
    pub(crate) shown: Text,
    /// Parameters under other names: what they are shown as, what they are called.
    pub(crate) keys: Vec<(String, String)>,
    /// How deep those names reach.
    pub(crate) reach: Reach,
    /// Parameters for which null means that they are left out, as [`joined`] writes them.
    pub(crate) fillers: Vec<String>,
}

impl Guise {
    /// Tells whether the tool is shown as it is.
    pub(crate) fn is_plain(&self) -> bool {
        self.tool == self.shown && self.keys.is_empty() && self.fillers.is_empty()
    }

    /// Returns the parameter that is shown under a name; the name itself where it is its own.
    pub(crate) fn real_key<'a>(&'a self, shown: &'a str) -> &'a str {
        self.keys.iter().find(|(name, _)| name == shown).map_or(shown, |(_, real)| real)
    }

    fn shown_key<'a>(&'a self, real: &'a str) -> &'a str {
        self.keys.iter().find(|(_, name)| name == real).map_or(real, |(shown, _)| shown)
    }

    /// Returns arguments as the tool wants them.
    pub(crate) fn real_arguments(&self, arguments: Value) -> Value {
        let arguments =
            if self.fillers.is_empty() { arguments } else { self.without_fillers(arguments, "") };
        if self.keys.is_empty() {
            return arguments;
        }
        renamed(arguments, self.reach, &|key| self.real_key(key).to_owned())
    }

    /// Returns arguments, or other values of the tool's input, as a model is to see them.
    pub(crate) fn shown_arguments(&self, arguments: &Value) -> Value {
        renamed(arguments.clone(), self.reach, &|key| self.shown_key(key).to_owned())
    }

    /// Leaves out nulls that only say that a parameter is not given.
    fn without_fillers(&self, value: Value, path: &str) -> Value {
        match value {
            Value::Array(members) => {
                members.into_iter().map(|member| self.without_fillers(member, path)).collect()
            }
            Value::Object(fields) => {
                let mut kept = Map::with_capacity(fields.len());
                for (key, value) in fields {
                    let here = joined(path, &key);
                    if !(value.is_null() && self.fillers.contains(&here)) {
                        let value = self.without_fillers(value, &here);
                        kept.insert(key, value);
                    }
                }
                Value::Object(kept)
            }
            other => other,
        }
    }
}

/// Returns the place of a parameter: the names on the way to it, lists and unions left out.
pub(crate) fn joined(path: &str, key: &str) -> String {
    // As in a JSON Pointer, so that a name with a slash is not taken for two.
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn renamed(value: Value, reach: Reach, name: &dyn Fn(&str) -> String) -> Value {
    let deep = |value: Value| match reach {
        Reach::Top => value,
        Reach::All => renamed(value, reach, name),
    };
    match value {
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (name(&key), deep(value))).collect()
        }
        Value::Array(members) if reach == Reach::All => members.into_iter().map(deep).collect(),
        other => other,
    }
}
