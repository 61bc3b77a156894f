//! Makes up tools from the words of real ones.

use std::{fs, path::Path};

use anyhow::Context;
use serde_json::Value;
use toolsmith_core::{Parameter, Tool, ToolError, ToolSpec};

const TOOLS: [&str; 3] =
    ["bfcl_tools_by_name.jsonl", "metatool_tools.jsonl", "apibank_tools.jsonl"];
const QUESTIONS: [&str; 3] =
    ["bfcl_queries.jsonl", "metatool_queries.jsonl", "apibank_queries.jsonl"];

/// Draws names, descriptions and parameters.
pub(super) struct Maker {
    name_words: Vec<String>,
    words: Vec<String>,
    lengths: Vec<usize>,
    parameters: Vec<(String, usize)>,
    parameter_words: Vec<String>,
    counts: Vec<usize>,
    questions: Vec<String>,
    state: u64,
}

/// A tool that was made up.
pub(super) struct Made {
    name: String,
    description: String,
    parameters: Vec<(String, String)>,
}

impl Made {
    /// Returns it as a tool, with a number that makes its name the only one.
    pub(super) fn tool(&self, number: u32) -> Result<Tool, ToolError> {
        let parameters = self
            .parameters
            .iter()
            .map(|(name, text)| Parameter::string(name.as_str()).with_description(text.as_str()));
        let letters = self.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(50);
        let spec = ToolSpec::new(&format!("{}_{number}", letters.collect::<String>()))?
            .with_description(self.description.as_str())
            .with_parameters(&parameters.collect::<Vec<_>>());
        Ok(Tool::function(spec, |_cx, input| async move { Ok(input) }))
    }
}

impl Maker {
    /// Reads the words of the sets.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut maker = Self {
            name_words: Vec::new(),
            words: Vec::new(),
            lengths: Vec::new(),
            parameters: Vec::new(),
            parameter_words: Vec::new(),
            counts: Vec::new(),
            questions: Vec::new(),
            state: 0x9e37_79b9_7f4a_7c15,
        };
        for file in TOOLS {
            rows(&folder.join(file), |row| maker.learn(row))?;
        }
        for file in QUESTIONS {
            rows(&folder.join(file), |row| maker.questions.extend(text(row, "query")))?;
        }
        Ok(maker)
    }

    fn learn(&mut self, row: &Value) {
        let name = text(row, "name").unwrap_or_default();
        self.name_words.extend(name.split(['_', '.', '-']).map(str::to_owned));
        let description = text(row, "description").unwrap_or_default();
        self.lengths.push(description.split_whitespace().count());
        self.words.extend(description.split_whitespace().map(str::to_owned));
        let properties = row.pointer("/parameters/properties").and_then(Value::as_object);
        self.counts.push(properties.map_or(0, serde_json::Map::len));
        for (name, schema) in properties.into_iter().flatten() {
            let description = text(schema, "description").unwrap_or_default();
            self.parameters.push((name.clone(), description.split_whitespace().count()));
            self.parameter_words.extend(description.split_whitespace().map(str::to_owned));
        }
    }

    /// Draws so many questions.
    pub(super) fn questions(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| draw(&self.questions, &mut self.state).clone()).collect()
    }

    /// Makes up a tool.
    pub(super) fn make(&mut self) -> Made {
        let state = &mut self.state;
        let name_length = 2 + draw(&[0, 0, 1, 1, 2], state);
        let length = *draw(&self.lengths, state);
        let count = *draw(&self.counts, state);
        let name = sentence(&self.name_words, name_length, "_", state);
        let description = sentence(&self.words, length, " ", state);
        let parameters = (0..count)
            .map(|_| {
                let (name, length) = draw(&self.parameters, state);
                (name.clone(), sentence(&self.parameter_words, *length, " ", state))
            })
            .collect();
        Made { name, description, parameters }
    }
}

fn sentence(words: &[String], length: usize, between: &str, state: &mut u64) -> String {
    let words: Vec<&str> = (0..length).map(|_| draw(words, state).as_str()).collect();
    words.join(between)
}

/// Draws one of many by a xorshift generator, the same ones in every run.
fn draw<'a, T>(of: &'a [T], state: &mut u64) -> &'a T {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    &of[(*state >> 11) as usize % of.len()]
}

fn rows(path: &Path, mut each: impl FnMut(&Value)) -> anyhow::Result<()> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    for line in text.lines() {
        each(&serde_json::from_str(line)?);
    }
    Ok(())
}

fn text(row: &Value, key: &str) -> Option<String> {
    row.get(key).and_then(Value::as_str).map(str::to_owned)
}
