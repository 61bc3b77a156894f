//! Switches, words and text.

use serde_json::Value;
use toolsmith_core::Secret;

use super::{Fault, Kind, Shape, alternatives, filled, mismatch, with_suggestion};
use crate::config::{
    Environment, Template,
    yaml::{Content, Node},
};

/// `true` or `false`.
pub(in crate::config) struct Switch;

impl Kind for Switch {
    type Output = bool;

    fn read(&self, node: &Node, environment: &Environment) -> Result<bool, Vec<Fault>> {
        filled::read(self, node, environment, |node| match node.value {
            Content::Bool(value) => Ok(value),
            _ => Err(mismatch(self, node)),
        })
    }

    fn show(&self, value: &bool) -> Value {
        (*value).into()
    }

    fn expects(&self) -> String {
        "`true` or `false`".to_owned()
    }
}

/// One of a few words.
pub(in crate::config) struct Choice<T: 'static>(pub(in crate::config) &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Choice<T> {
    fn words(&self) -> Vec<&'static str> {
        self.0.iter().map(|(word, _)| *word).collect()
    }

    fn find(&self, node: &Node) -> Result<T, Vec<Fault>> {
        let Content::Text(text) = &node.value else { return Err(mismatch(self, node)) };
        let found = self.0.iter().find(|(word, _)| word == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let sentence = format!("expected {}, found {}", self.expects(), node.describe());
            vec![Fault::at(node, with_suggestion(sentence, text, self.words()))]
        })
    }
}

impl<T: Copy + PartialEq> Kind for Choice<T> {
    type Output = T;

    fn read(&self, node: &Node, environment: &Environment) -> Result<T, Vec<Fault>> {
        filled::read(self, node, environment, |node| self.find(node))
    }

    fn show(&self, value: &T) -> Value {
        self.0
            .iter()
            .find(|(_, this)| this == value)
            .map_or(Value::Null, |(word, _)| (*word).into())
    }

    fn expects(&self) -> String {
        alternatives(&self.words())
    }
}

/// A level of logging, or levels for parts of the program: `warn,toolsmith_engine=debug`.
pub(in crate::config) struct LogFilter;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

impl LogFilter {
    fn check(&self, node: &Node) -> Result<String, Vec<Fault>> {
        let Content::Text(text) = &node.value else { return Err(mismatch(self, node)) };
        for directive in text.split(',') {
            let level = directive.rsplit_once('=').map_or(directive, |(_, level)| level);
            if !LEVELS.contains(&level) {
                let sentence = format!("expected {}, found {level:?}", self.expects());
                return Err(vec![Fault::at(node, with_suggestion(sentence, level, LEVELS))]);
            }
        }
        Ok(text.clone())
    }
}

impl Kind for LogFilter {
    type Output = String;

    fn read(&self, node: &Node, environment: &Environment) -> Result<String, Vec<Fault>> {
        filled::read(self, node, environment, |node| self.check(node))
    }

    fn show(&self, value: &String) -> Value {
        value.as_str().into()
    }

    fn expects(&self) -> String {
        format!("{}, or `part=level` pairs separated by commas", alternatives(&LEVELS))
    }

    fn shape(&self) -> Shape {
        Shape::Text
    }
}

/// A name: text that is not empty.
pub(in crate::config) struct Word;

impl Kind for Word {
    type Output = String;

    fn read(&self, node: &Node, environment: &Environment) -> Result<String, Vec<Fault>> {
        filled::read(self, node, environment, |node| match &node.value {
            Content::Text(text) if !text.trim().is_empty() => Ok(text.clone()),
            _ => Err(mismatch(self, node)),
        })
    }

    fn show(&self, value: &String) -> Value {
        value.as_str().into()
    }

    fn expects(&self) -> String {
        "text that is not empty".to_owned()
    }

    fn shape(&self) -> Shape {
        Shape::Text
    }
}

/// Text that may hold variables, described by a noun: "a folder".
pub(in crate::config) struct Text(pub(in crate::config) &'static str);

impl Kind for Text {
    type Output = Template;

    fn read(&self, node: &Node, _: &Environment) -> Result<Template, Vec<Fault>> {
        match &node.value {
            Content::Text(text) if !text.is_empty() => template(text, node),
            _ => Err(mismatch(self, node)),
        }
    }

    fn show(&self, value: &Template) -> Value {
        value.to_string().into()
    }

    fn expects(&self) -> String {
        self.0.to_owned()
    }

    fn shape(&self) -> Shape {
        Shape::Text
    }

    fn templates(&self, value: &Template) -> Vec<Template> {
        vec![value.clone()]
    }
}

/// Text that is never shown.
pub(in crate::config) struct Hidden;

impl Kind for Hidden {
    type Output = Secret<Template>;

    fn read(&self, node: &Node, _: &Environment) -> Result<Secret<Template>, Vec<Fault>> {
        match &node.value {
            Content::Text(text) => Ok(Secret::new(template(text, node)?.into_secret())),
            _ => {
                let message = format!("expected {}, found {}", self.expects(), node.kind());
                Err(vec![Fault::at(node, message)])
            }
        }
    }

    fn show(&self, value: &Secret<Template>) -> Value {
        value.to_string().into()
    }

    fn expects(&self) -> String {
        "text, in quotes".to_owned()
    }

    fn shape(&self) -> Shape {
        Shape::Text
    }

    fn templates(&self, value: &Secret<Template>) -> Vec<Template> {
        vec![value.expose().clone()]
    }
}

fn template(text: &str, node: &Node) -> Result<Template, Vec<Fault>> {
    Template::parse(text).map_err(|error| vec![Fault::at(node, error.to_string())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message<K: Kind>(kind: &K, node: &Node) -> String {
        kind.read(node, &Environment::default())
            .err()
            .map(|faults| faults[0].message.clone())
            .unwrap_or_default()
    }

    #[test]
    fn a_wrong_word_gets_the_right_ones_and_the_nearest() {
        let choice = Choice(&[("fifo", 1), ("priority", 2), ("reject", 3)]);
        assert_eq!(
            message(&choice, &Node::text("fiffo")),
            "expected `fifo`, `priority` or `reject`, found the text \"fiffo\". Did you mean `fifo`?"
        );
        assert_eq!(choice.read(&Node::text("reject"), &Environment::default()).ok(), Some(3));
    }

    #[test]
    fn log_filters_are_checked_level_by_level() {
        for filter in ["warn", "off", "info,toolsmith_engine=debug", "a::b=trace"] {
            assert_eq!(message(&LogFilter, &Node::text(filter)), "", "{filter}");
        }
        assert!(message(&LogFilter, &Node::text("wran")).ends_with("Did you mean `warn`?"));
        assert!(message(&LogFilter, &Node::text("a=loud")).contains("found \"loud\""));
    }

    #[test]
    fn a_secret_is_never_repeated_in_a_complaint() {
        let number = Node { value: Content::Number(12_345.into()), line: 1, column: 1 };
        assert_eq!(message(&Hidden, &number), "expected text, in quotes, found a number");
        let secret = Hidden.read(&Node::text("hunter2"), &Environment::default()).unwrap();
        assert_eq!(Hidden.show(&secret), "***");
    }
}
