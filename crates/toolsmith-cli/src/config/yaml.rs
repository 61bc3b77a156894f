//! YAML with positions: a small tree of our own, so that every complaint can say where.
//!
//! The text is read event by event, not by the library's recursive loader, so that depth is bounded
//! before the stack is. JSON is YAML too. Merge keys (`<<`) are ordinary keys, as in YAML 1.2.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use saphyr::{Scalar, ScalarStyle, Tag};
use saphyr_parser::{Event, Parser, Span};
use serde_json::{Map, Number, Value};

/// The longest text that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// How deep lists and maps may nest.
pub const MAX_DEPTH: usize = 64;

/// How many nodes aliases may add: a few nested anchors could otherwise grow into billions.
const MAX_ALIASED: usize = 10_000;

/// A value and where it begins; lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Content,
    /// Its line.
    pub line: usize,
    /// Its column.
    pub column: usize,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Nothing: `null`, `~`, or no value at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the text; no key stands twice.
    Map(Vec<Entry>),
}

/// One key of a map with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key as it is written.
    pub key: String,
    /// The key's line.
    pub line: usize,
    /// The key's column.
    pub column: usize,
    /// The value.
    pub value: Node,
}

/// Why a text could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for YamlError {}

impl Node {
    /// Makes a text that stands in no file.
    pub fn text(text: impl Into<String>) -> Self {
        Self { value: Content::Text(text.into()), line: 1, column: 1 }
    }

    /// Makes a list that stands in no file.
    pub fn list(items: Vec<Self>) -> Self {
        Self { value: Content::List(items), line: 1, column: 1 }
    }

    /// Returns the same value as JSON, without positions.
    pub fn to_json(&self) -> Value {
        match &self.value {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(number) => Value::Number(number.clone()),
            Content::Text(text) => Value::String(text.clone()),
            Content::List(items) => items.iter().map(Self::to_json).collect(),
            Content::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Names what kind of value it is, for messages about values that must not be shown.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Content::Null => "nothing",
            Content::Bool(_) => "true or false",
            Content::Number(_) => "a number",
            Content::Text(_) => "text",
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
        }
    }

    /// Describes the value for a message: `the text "ten"`, `the number 3`, `a list`.
    pub fn describe(&self) -> String {
        match &self.value {
            Content::Bool(value) => format!("`{value}`"),
            Content::Number(number) => format!("the number {number}"),
            Content::Text(text) if text.chars().count() > 40 => {
                format!("the text {:?}…", text.chars().take(40).collect::<String>())
            }
            Content::Text(text) => format!("the text {text:?}"),
            Content::Null | Content::List(_) | Content::Map(_) => self.kind().to_owned(),
        }
    }
}

/// Reads every document of a text; a text without content has none.
///
/// ```
/// use toolsmith_cli::config::yaml;
///
/// let documents = yaml::parse("name: echo\n").unwrap();
/// assert_eq!(documents[0].to_json(), serde_json::json!({"name": "echo"}));
/// ```
pub fn parse(text: &str) -> Result<Vec<Node>, YamlError> {
    if text.len() > MAX_BYTES {
        let message = format!("the text is longer than {MAX_BYTES} bytes");
        return Err(YamlError { line: 1, column: 1, message });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse_events(text).or_else(|error| {
        // JSON writers escape characters beyond U+FFFF as surrogate pairs, which YAML does not know.
        // Joined only after a failure, so that a text that is valid as it stands is left alone.
        match join_surrogates(text) {
            Some(joined) => parse_events(&joined),
            None => Err(error),
        }
    })
}

/// Reads one word as a plain value: `3` is a number, `true` is not a text.
pub fn scalar(text: &str) -> Node {
    let value =
        resolve(text, ScalarStyle::Plain, None).unwrap_or_else(|_| Content::Text(text.to_owned()));
    Node { value, line: 1, column: 1 }
}

fn parse_events(text: &str) -> Result<Vec<Node>, YamlError> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::default();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| YamlError {
            line: error.marker().line(),
            column: error.marker().col() + 1,
            message: format!("this is not valid YAML: {}", error.info()),
        })?;
        builder.take(event, Position::of(span))?;
    }
    Ok(builder.documents)
}

#[derive(Clone, Copy)]
struct Position {
    line: usize,
    column: usize,
}

impl Position {
    fn of(span: Span) -> Self {
        Self { line: span.start.line(), column: span.start.col() + 1 }
    }

    fn node(self, value: Content) -> Node {
        Node { value, line: self.line, column: self.column }
    }

    fn error(self, message: impl Into<String>) -> YamlError {
        YamlError { line: self.line, column: self.column, message: message.into() }
    }
}

/// A list or a map whose end has not come yet.
struct Open {
    start: Position,
    anchor: usize,
    inside: Inside,
}

enum Inside {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, seen: HashSet<String>, key: Option<(String, Position)> },
}

/// Builds trees from events.
#[derive(Default)]
struct Builder {
    documents: Vec<Node>,
    root: Option<Node>,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    aliased: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, at: Position) -> Result<(), YamlError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if self.awaits_key() {
                    // A key is its text, whatever it would mean as a value: `1` and `"1"` are one key.
                    self.remember(anchor, || at.node(Content::Text(text.clone().into_owned())));
                    return self.key(text.into_owned(), at);
                }
                let value = resolve(&text, style, tag.as_deref()).map_err(|m| at.error(m))?;
                self.add(at.node(value), anchor);
                Ok(())
            }
            Event::Alias(id) => self.alias(id, at),
            Event::SequenceStart(anchor, tag) => {
                check(tag.as_deref()).map_err(|m| at.error(m))?;
                self.start(at, anchor, Inside::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                check(tag.as_deref()).map_err(|m| at.error(m))?;
                let inside = Inside::Map { entries: Vec::new(), seen: HashSet::new(), key: None };
                self.start(at, anchor, inside)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.end();
                Ok(())
            }
            Event::DocumentEnd => {
                self.anchors.clear();
                let empty = || at.node(Content::Null);
                self.documents.push(self.root.take().unwrap_or_else(empty));
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {
                Ok(())
            }
        }
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { inside: Inside::Map { key: None, .. }, .. }))
    }

    fn remember(&mut self, anchor: usize, node: impl FnOnce() -> Node) {
        // The parser counts anchors from 1; 0 means none.
        if anchor > 0 {
            self.anchors.insert(anchor, node());
        }
    }

    fn start(&mut self, at: Position, anchor: usize, inside: Inside) -> Result<(), YamlError> {
        if self.awaits_key() {
            return Err(at.error("a key must be text, not a list or a map"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(at.error(format!("lists and maps nest deeper than {MAX_DEPTH} levels")));
        }
        self.open.push(Open { start: at, anchor, inside });
        Ok(())
    }

    fn end(&mut self) {
        let Some(Open { start, anchor, inside }) = self.open.pop() else { return };
        let value = match inside {
            Inside::List(items) => Content::List(items),
            Inside::Map { entries, .. } => Content::Map(entries),
        };
        self.add(start.node(value), anchor);
    }

    fn key(&mut self, text: String, at: Position) -> Result<(), YamlError> {
        if let Some(Open { inside: Inside::Map { seen, key, .. }, .. }) = self.open.last_mut() {
            if !seen.insert(text.clone()) {
                return Err(at.error(format!("the key `{text}` stands twice; remove one of them")));
            }
            *key = Some((text, at));
        }
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) {
        self.remember(anchor, || node.clone());
        match self.open.last_mut().map(|open| &mut open.inside) {
            None => self.root = Some(node),
            Some(Inside::List(items)) => items.push(node),
            Some(Inside::Map { entries, key, .. }) => {
                if let Some((key, Position { line, column })) = key.take() {
                    entries.push(Entry { key, line, column, value: node });
                }
            }
        }
    }

    fn alias(&mut self, id: usize, at: Position) -> Result<(), YamlError> {
        let Some(target) = self.anchors.get(&id) else {
            return Err(at.error("this alias refers to itself or to another document"));
        };
        if self.awaits_key() {
            let Content::Text(text) = &target.value else {
                return Err(at.error("a key must be text"));
            };
            let text = text.clone();
            return self.key(text, at);
        }
        let (nodes, depth) = extent(target);
        self.aliased += nodes;
        if self.aliased > MAX_ALIASED || self.open.len() + depth > MAX_DEPTH {
            return Err(at.error("the aliases of this text grow too large"));
        }
        let value = target.value.clone();
        self.add(at.node(value), 0);
        Ok(())
    }
}

/// Counts the nodes of a tree and its levels of lists and maps.
fn extent(node: &Node) -> (usize, usize) {
    let children: Vec<&Node> = match &node.value {
        Content::List(items) => items.iter().collect(),
        Content::Map(entries) => entries.iter().map(|entry| &entry.value).collect(),
        _ => return (1, 0),
    };
    children
        .into_iter()
        .map(extent)
        .fold((1, 1), |(nodes, depth), (more, below)| (nodes + more, depth.max(below + 1)))
}

/// Decides what a scalar means by the core schema of YAML 1.2.
fn resolve(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Content, String> {
    check(tag)?;
    // The library knows integers up to 64 bits with a sign; JSON has those without one too.
    if let (ScalarStyle::Plain, None, Ok(number)) = (style, tag, text.parse::<u64>()) {
        return Ok(Content::Number(number.into()));
    }
    let tag = tag.cloned().map(std::borrow::Cow::Owned);
    let scalar = Scalar::parse_from_cow_and_metadata(text.into(), style, tag.as_ref());
    Ok(match scalar.ok_or_else(|| format!("{text:?} does not fit its tag"))? {
        Scalar::Null => Content::Null,
        Scalar::Boolean(value) => Content::Bool(value),
        Scalar::Integer(number) => Content::Number(number.into()),
        Scalar::FloatingPoint(number) => {
            Content::Number(Number::from_f64(number.into_inner()).ok_or_else(|| {
                format!("`{text}` is not a finite number; put it in quotes if it is text")
            })?)
        }
        Scalar::String(text) => Content::Text(text.into_owned()),
    })
}

/// Refuses tags outside the core schema: they mean nothing here, and dropping them would surprise.
fn check(tag: Option<&Tag>) -> Result<(), String> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema() => {
            Err(format!("the tag `{tag}` is not known here; remove it"))
        }
        _ => Ok(()),
    }
}

/// Rewrites `\ud83d\ude00` as `😀`; nothing when the text has no such pair.
fn join_surrogates(text: &str) -> Option<String> {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        let (before, from) = rest.split_at(start);
        joined.push_str(before);
        let pair = (escape(from), from.get(6..).and_then(escape));
        let taken = if let (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) = pair {
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            joined.extend(char::from_u32(code));
            12
        } else {
            // An escaped backslash is taken whole, so that `\\\\ud83d` stays what it is.
            let taken = if from.starts_with("\\\\") { 2 } else { 1 };
            joined.push_str(from.get(..taken).unwrap_or_default());
            taken
        };
        rest = from.get(taken..).unwrap_or_default();
    }
    joined.push_str(rest);
    (joined != text).then_some(joined)
}

/// Reads `\uXXXX` at the beginning of a text.
fn escape(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn json_of(text: &str) -> Value {
        let documents = parse(text).unwrap();
        assert_eq!(documents.len(), 1, "{documents:?}");
        documents[0].to_json()
    }

    fn error_of(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn every_key_and_value_knows_its_place() {
        let documents = parse("# a comment\na:\n  b: [1,\n    中, x]\n").unwrap();
        let Content::Map(entries) = &documents[0].value else { panic!() };
        assert_eq!((entries[0].line, entries[0].column), (2, 1));
        let Content::Map(inner) = &entries[0].value.value else { panic!() };
        assert_eq!((entries[0].value.line, entries[0].value.column), (3, 3));
        let Content::List(items) = &inner[0].value.value else { panic!() };
        let places: Vec<_> = items.iter().map(|item| (item.line, item.column)).collect();
        assert_eq!(places, [(3, 7), (4, 5), (4, 8)]);
    }

    #[test]
    fn plain_words_mean_what_the_core_schema_says() {
        let text = "[~, null, true, 3, -3, 0x10, 1.5, 18446744073709551615, yes, '3', !!str 3, '']";
        assert_eq!(
            json_of(text),
            json!([
                null,
                null,
                true,
                3,
                -3,
                16,
                1.5,
                18_446_744_073_709_551_615_u64,
                "yes",
                "3",
                "3",
                ""
            ])
        );
        assert_eq!(scalar("10").to_json(), json!(10));
        assert_eq!(scalar("30d").to_json(), json!("30d"));
        assert_eq!(scalar("{a").to_json(), json!("{a"));
    }

    #[test]
    fn a_key_that_stands_twice_is_an_error_at_its_second_place() {
        assert_eq!(
            error_of("a: 1\nb: 2\na: 3\n"),
            "3:1: the key `a` stands twice; remove one of them"
        );
        assert_eq!(
            error_of("{\"a\": 1, 'a': 2}"),
            "1:10: the key `a` stands twice; remove one of them"
        );
    }

    #[test]
    fn broken_text_says_where() {
        for text in ["a: [1", "a: 'x", "a: b: c", "a:\n\tb: 1", "a: *nowhere", "}"] {
            let error = parse(text).unwrap_err();
            assert!(error.message.starts_with("this is not valid YAML"), "{text}: {error}");
            assert!(error.line >= 1 && error.column >= 1, "{text}: {error}");
        }
    }

    #[test]
    fn unusual_things_are_refused_in_words() {
        assert_eq!(error_of("? [a]\n: 1\n"), "1:3: a key must be text, not a list or a map");
        assert_eq!(error_of("a: !color red"), "1:4: the tag `!color` is not known here; remove it");
        assert_eq!(error_of("a: !set {b: 1}"), "1:4: the tag `!set` is not known here; remove it");
        assert_eq!(error_of("a: !!int x"), "1:4: \"x\" does not fit its tag");
        assert_eq!(
            error_of("a: 12e4567"),
            "1:4: `12e4567` is not a finite number; put it in quotes if it is text"
        );
        assert_eq!(
            error_of("a: &x [*x]"),
            "1:8: this alias refers to itself or to another document"
        );
        assert_eq!(
            error_of("a: &x 1\n---\nb: *x\n"),
            "3:4: this alias refers to itself or to another document"
        );
    }

    #[test]
    fn anchors_are_copied_and_merge_keys_are_ordinary() {
        assert_eq!(
            json_of("a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n"),
            json!({"a": {"b": 1}, "c": {"b": 1}, "d": {"<<": {"b": 1}}})
        );
        assert_eq!(json_of("&k a: 1\nb: *k\n"), json!({"a": 1, "b": "a"}));
    }

    #[test]
    fn hostile_texts_are_stopped_early() {
        let deep = "lists and maps nest deeper than 64 levels";
        for level in ["[", "{a: ", "- ", "? "] {
            let text = level.repeat(MAX_BYTES / level.len());
            let message = parse(&text).unwrap_err().message;
            let is_stopped = [deep, "a key must be text", "this is not valid YAML: recursion"]
                .iter()
                .any(|beginning| message.starts_with(beginning));
            assert!(is_stopped, "{level}: {message}");
        }
        let indented: Vec<String> = (0..1000).map(|n| " ".repeat(n) + "a:\n").collect();
        assert!(error_of(&indented.concat()).ends_with(deep));
        assert!(error_of(&"#".repeat(MAX_BYTES + 1)).contains("longer than 1048576 bytes"));
        let bomb: String = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, n| {
            let last = n - 1;
            text + &format!("a{n}: &a{n} [*a{last}, *a{last}]\n")
        });
        assert!(error_of(&bomb).ends_with("the aliases of this text grow too large"));
    }

    #[test]
    fn empty_texts_and_several_documents_are_told_apart() {
        assert_eq!(parse("").unwrap(), []);
        assert_eq!(parse("# only a comment\n").unwrap(), []);
        assert_eq!(parse("---\n").unwrap()[0].value, Content::Null);
        let two: Vec<_> = parse("a: 1\n---\nb: 2\n").unwrap().iter().map(Node::to_json).collect();
        assert_eq!(two, [json!({"a": 1}), json!({"b": 2})]);
    }

    #[test]
    fn json_with_escaped_emoji_is_read() {
        assert_eq!(
            json_of(r#"{"a": "\ud83d\ude00 \u4e2d \\ud83d"}"#),
            json!({"a": r"😀 中 \ud83d"})
        );
        assert!(error_of(r#"{"a": "\ud83d"}"#).contains("invalid Unicode"));
    }

    proptest! {
        #[test]
        fn any_json_text_is_yaml(value in json_value()) {
            prop_assert_eq!(json_of(&value.to_string()), value.clone());
            prop_assert_eq!(json_of(&serde_json::to_string_pretty(&value).unwrap()), value);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[-\\[\\]{}:,?&*!|>'\"%@`#\\\\ \\n\\ta-c0-9<~.]{0,60}") {
            parse(&text).ok();
        }
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            "[ -~\\n\\t中文é😀]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[ -~中]{0,6}", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect::<Value>()),
            ]
        })
    }
}
