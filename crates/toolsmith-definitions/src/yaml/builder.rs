//! Trees from events, without recursion.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Span};

use super::{Content, Entry, MAX_DEPTH, Node, YamlError, scalars};

/// How much aliases may add: a few nested anchors could otherwise grow into billions.
///
/// Each node counts once, and once more for every 64 bytes of its texts.
const MAX_ALIASED: usize = 10_000;

/// Builds trees from events.
pub(super) struct Builder {
    documents: Vec<Node>,
    root: Option<Node>,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    aliased: usize,
    max_aliased: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self::with_aliases(MAX_ALIASED)
    }
}

impl Builder {
    /// Makes one that lets aliases add so many nodes.
    pub(super) fn with_aliases(max_aliased: usize) -> Self {
        Self {
            documents: Vec::new(),
            root: None,
            open: Vec::new(),
            anchors: HashMap::new(),
            aliased: 0,
            max_aliased,
        }
    }

    /// Returns the documents that were complete.
    pub(super) fn into_documents(self) -> Vec<Node> {
        self.documents
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let at = Position::of(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if self.awaits_key() {
                    // A key is its text, whatever it would mean as a value: `1` and `"1"` are one key.
                    self.remember(anchor, || at.node(Content::Text(text.clone().into_owned())));
                    return self.key(text.into_owned(), at);
                }
                let value =
                    scalars::resolve(&text, style, tag.as_deref()).map_err(|m| at.error(m))?;
                self.add(at.node(value), anchor);
                Ok(())
            }
            Event::Alias(id) => self.alias(id, at),
            Event::SequenceStart(anchor, tag) => {
                scalars::check(tag.as_deref()).map_err(|m| at.error(m))?;
                self.start(at, anchor, Inside::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                scalars::check(tag.as_deref()).map_err(|m| at.error(m))?;
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
            self.aliased += 1 + text.len() / 64;
            if self.aliased > self.max_aliased {
                return Err(at.error("the aliases of this text grow too large"));
            }
            return self.key(text, at);
        }
        let (nodes, depth) = extent(target);
        self.aliased += nodes;
        if self.aliased > self.max_aliased || self.open.len() + depth > MAX_DEPTH {
            return Err(at.error("the aliases of this text grow too large"));
        }
        let value = target.value.clone();
        self.add(at.node(value), 0);
        Ok(())
    }
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

/// Weighs the nodes of a tree, and counts its levels of lists and maps.
fn extent(node: &Node) -> (usize, usize) {
    let weight = |text: &str| text.len() / 64;
    let (children, own): (Vec<&Node>, usize) = match &node.value {
        Content::List(items) => (items.iter().collect(), 1),
        Content::Map(entries) => {
            let keys: usize = entries.iter().map(|entry| weight(&entry.key)).sum();
            (entries.iter().map(|entry| &entry.value).collect(), 1 + keys)
        }
        Content::Text(text) => return (1 + weight(text), 0),
        _ => return (1, 0),
    };
    children
        .into_iter()
        .map(extent)
        .fold((own, 1), |(nodes, depth), (more, below)| (nodes + more, depth.max(below + 1)))
}
