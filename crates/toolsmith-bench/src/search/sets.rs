//! Reads the sets: tools, questions and which tools answer them.

use std::{collections::HashMap, fs, path::Path};

use anyhow::Context;
use serde_json::Value;

use super::{judge::float, sample};

/// The sets: name, file of the tools, file of the questions.
const SETS: [(&str, &str, &str); 3] = [
    ("bfcl", "bfcl_tools_by_name.jsonl", "bfcl_queries.jsonl"),
    ("metatool", "metatool_tools.jsonl", "metatool_queries.jsonl"),
    ("apibank", "apibank_tools.jsonl", "apibank_queries.jsonl"),
];

/// Tools and questions about them.
#[derive(Clone, Debug)]
pub(super) struct Set {
    /// The name of the set.
    pub(super) name: &'static str,
    /// The tools; a tool is known by its place.
    pub(super) tools: Vec<Tool>,
    /// The questions.
    pub(super) questions: Vec<Question>,
}

/// A tool of a set.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: String,
    /// Its Chinese name, where the set has one.
    pub(super) title: String,
    /// What it does, for people and for models.
    pub(super) description: String,
    parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
struct Parameter {
    name: String,
    description: String,
    values: String,
}

/// A question.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The words.
    pub(super) text: String,
    /// Whether it asks for a tool of the first half.
    pub(super) in_first_half: bool,
    right: Vec<u32>,
}

/// What to do with the allowed values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// They are left out, as the baseline did.
    Left,
    /// They follow the description.
    Indexed,
}

impl Set {
    /// Reads all sets of a folder.
    pub(super) fn load_all(folder: &Path) -> anyhow::Result<Vec<Self>> {
        SETS.iter()
            .map(|(name, tools, questions)| {
                let rows = rows(&folder.join(tools))?;
                let places: HashMap<&str, u32> =
                    rows.iter().map(|row| text(row, "tool_id")).zip(0..).collect();
                let questions = self::rows(&folder.join(questions))?;
                Ok(Self {
                    name,
                    questions: questions.iter().map(|row| question(row, &places)).collect(),
                    tools: rows.iter().map(tool).collect(),
                })
            })
            .collect()
    }

    /// Returns the set with the questions the baseline was scored on.
    pub(super) fn sampled(&self) -> Self {
        let drawn = sample::sample(self.questions.len());
        let questions = drawn.into_iter().map(|place| self.questions[place].clone()).collect();
        Self { name: self.name, tools: self.tools.clone(), questions }
    }

    /// Returns the set without titles, and asked for by them instead.
    pub(super) fn asked_in_chinese(&self) -> Option<Self> {
        let mut set = self.clone();
        set.questions.clear();
        for (tool, place) in set.tools.iter_mut().zip(0..) {
            let text = std::mem::take(&mut tool.title);
            if !text.is_empty() {
                set.questions.push(Question { text, in_first_half: true, right: vec![place] });
            }
        }
        (!set.questions.is_empty()).then_some(set)
    }

    /// Tells whether any parameter of the set lists its allowed values.
    pub(super) fn has_values(&self) -> bool {
        let mut parameters = self.tools.iter().flat_map(|tool| &tool.parameters);
        parameters.any(|parameter| !parameter.values.is_empty())
    }
}

impl Tool {
    /// Returns name and text of each parameter.
    pub(super) fn parameters(&self, values: Values) -> impl Iterator<Item = (&str, String)> {
        self.parameters.iter().map(move |parameter| {
            let mut text = parameter.description.clone();
            if values == Values::Indexed {
                text.push_str(&parameter.values);
            }
            (parameter.name.as_str(), text)
        })
    }
}

impl Question {
    /// Returns which share of the right tools is among these.
    pub(super) fn share_in(&self, found: &[u32]) -> f64 {
        let right = self.right.iter().filter(|place| found.contains(place)).count();
        float(right) / float(self.right.len().max(1))
    }
}

fn rows(path: &Path) -> anyhow::Result<Vec<Value>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    text.lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("in {}", path.display())))
        .collect()
}

fn tool(row: &Value) -> Tool {
    let properties = row.pointer("/parameters/properties").and_then(Value::as_object);
    Tool {
        name: text(row, "name").to_owned(),
        title: text(row, "chinese_name").to_owned(),
        description: format!("{} {}", text(row, "description"), text(row, "description_for_model")),
        parameters: properties.into_iter().flatten().map(parameter).collect(),
    }
}

fn parameter((name, schema): (&String, &Value)) -> Parameter {
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    Parameter {
        name: name.clone(),
        description: text(schema, "description").to_owned(),
        values: values.filter_map(Value::as_str).flat_map(|value| [" ", value]).collect(),
    }
}

fn question(row: &Value, places: &HashMap<&str, u32>) -> Question {
    let names = row.get("relevant").and_then(Value::as_array);
    let names: Vec<&str> = names.into_iter().flatten().filter_map(Value::as_str).collect();
    // Halves are parted by tool, so that a parameter chosen on one half meets strange tools in the
    // other.
    let sum: u64 = names.first().map_or(0, |name| name.bytes().fold(0xcbf2_9ce4_8422_2325, mix));
    Question {
        text: text(row, "query").to_owned(),
        in_first_half: (sum ^ (sum >> 29)) & 1 == 0,
        right: names.iter().filter_map(|name| places.get(name).copied()).collect(),
    }
}

fn mix(sum: u64, byte: u8) -> u64 {
    (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}
