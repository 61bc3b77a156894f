//! How a tool is shown where that differs from what it is, and the way back.

use std::collections::{BTreeMap, HashSet};

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
    /// Parameters under other names.
    pub(crate) keys: Keys,
    /// How deep those names reach.
    pub(crate) reach: Reach,
    /// Parameters for which null means that they are left out, as [`joined`] writes them.
    pub(crate) fillers: HashSet<String>,
}

/// Parameters under other names, found by either; schemas are foreign and may have thousands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    real: BTreeMap<String, String>,
    shown: BTreeMap<String, String>,
}

impl Keys {
    /// Tells whether all parameters are shown as they are.
    pub(crate) fn is_empty(&self) -> bool {
        self.real.is_empty()
    }

    /// Takes in a parameter that is shown under another name.
    pub(crate) fn add(&mut self, shown: &str, real: &str) {
        self.real.insert(shown.to_owned(), real.to_owned());
        self.shown.insert(real.to_owned(), shown.to_owned());
    }

    /// Returns the name under which a parameter is shown, where it is another.
    pub(crate) fn shown(&self, real: &str) -> Option<&str> {
        self.shown.get(real).map(String::as_str)
    }

    /// Returns what is shown and what it is called, in the order of the former.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.real.iter().map(|(shown, real)| (shown.as_str(), real.as_str()))
    }

    /// Returns a value with the names of its members as they are shown.
    pub(crate) fn shown_in(&self, value: Value, reach: Reach) -> Value {
        let name = |real: &str| self.shown(real).unwrap_or(real).to_owned();
        renamed(value, reach, &name, &mut false)
    }
}

impl Guise {
    /// Tells whether the tool is shown as it is.
    pub(crate) fn is_plain(&self) -> bool {
        self.tool == self.shown && self.keys.is_empty() && self.fillers.is_empty()
    }

    /// Returns the parameter that is shown under a name; the name itself where it is its own.
    pub(crate) fn real_key<'a>(&'a self, shown: &'a str) -> &'a str {
        self.keys.real.get(shown).map_or(shown, String::as_str)
    }

    /// Returns arguments as the tool wants them, and whether one is there under both its names.
    pub(crate) fn real_arguments(&self, arguments: Value) -> (Value, bool) {
        let arguments =
            if self.fillers.is_empty() { arguments } else { self.without_fillers(arguments, "") };
        if self.keys.is_empty() {
            return (arguments, false);
        }
        let mut is_repeated = false;
        let name = |shown: &str| self.real_key(shown).to_owned();
        (renamed(arguments, self.reach, &name, &mut is_repeated), is_repeated)
    }

    /// Returns arguments, or other values of the tool's input, as a model is to see them.
    pub(crate) fn shown_arguments(&self, arguments: &Value) -> Value {
        self.keys.shown_in(arguments.clone(), self.reach)
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

/// Renames the members of objects; says whether two of one object got the same name.
fn renamed(
    value: Value,
    reach: Reach,
    name: &dyn Fn(&str) -> String,
    is_repeated: &mut bool,
) -> Value {
    let deep = |value: Value, is_repeated: &mut bool| match reach {
        Reach::Top => value,
        Reach::All => renamed(value, reach, name, is_repeated),
    };
    match value {
        Value::Object(fields) => {
            let mut named = Map::with_capacity(fields.len());
            for (key, value) in fields {
                let value = deep(value, is_repeated);
                *is_repeated |= named.insert(name(&key), value).is_some();
            }
            Value::Object(named)
        }
        Value::Array(members) if reach == Reach::All => {
            members.into_iter().map(|member| deep(member, is_repeated)).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolsmith_core::ToolSpec;

    use crate::{Dialect, ProblemKind, RenderSettings, Settings, Tools, parse, render_tools};

    #[test]
    fn a_parameter_under_both_its_names_is_noted() {
        let schema = json!({"type": "object", "properties": {"城市": {"type": "string"}}});
        let spec = ToolSpec::new("weather").unwrap().with_input_schema(&schema);
        let shown = render_tools(Dialect::Gemini, &[&spec], &RenderSettings::default());
        let key = &shown.guises[0].keys.shown("城市").unwrap();
        let tools = Tools::of_specs([&spec]).shown_as(&shown);
        let text = json!({"functionCall": {"name": "weather", "args": {*key: "a", "城市": "b"}}});
        let reply = parse(Dialect::Gemini, &text.to_string(), &tools, &Settings::default());
        assert_eq!(reply.calls[0].arguments, json!({"城市": "b"}));
        assert_eq!(reply.problems[0].kind, ProblemKind::RepeatedParameter);
    }

    #[test]
    fn thousands_of_parameters_come_back_under_their_names() {
        let names: Vec<_> = (0..20_000).map(|number| format!("参数{number}")).collect();
        let properties: serde_json::Map<_, _> =
            names.iter().map(|name| (name.clone(), json!({"type": "string"}))).collect();
        let schema = json!({"type": "object", "properties": properties, "required": names});
        let spec = ToolSpec::new("wide").unwrap().with_input_schema(&schema);
        let shown = render_tools(Dialect::Gemini, &[&spec], &RenderSettings::default());
        let keys = &shown.guises[0].keys;
        let tools = Tools::of_specs([&spec]).shown_as(&shown);
        let arguments: serde_json::Map<_, _> =
            names.iter().map(|name| (keys.shown(name).unwrap().to_owned(), json!(name))).collect();
        let text = json!({"functionCall": {"name": "wide", "args": arguments}}).to_string();
        let reply = parse(Dialect::Gemini, &text, &tools, &Settings::default());
        assert_eq!(reply.calls[0].arguments["参数19999"], "参数19999");
        assert!(tools.shape("wide").unwrap().names(keys.shown("参数7").unwrap()));
    }
}
