//! Reading a schema into its shape, references resolved.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use jsonschema::{Draft, ReferencingError, Registry, Uri, uri};
use serde_json::{Map, Value};

use super::{
    shape::{Node, NodeId, Shape},
    types::Types,
};

/// The base of a schema that does not name itself.
const NAMELESS: &str = "json-schema:///";

/// What was found in a schema.
pub(super) struct Reading {
    /// Its shape.
    pub(super) shape: Shape,
    /// How many distinct patterns it has.
    pub(super) patterns: usize,
    /// Whether a pattern needs more than an automaton: look-around or back-references.
    pub(super) looks_around: bool,
    /// Whether a reference leads somewhere that only the validator can tell.
    pub(super) is_dynamic: bool,
}

impl Reading {
    /// Reads a well-formed schema.
    pub(super) fn of(source: &Value, draft: Draft) -> Result<Self, ReferencingError> {
        let id = source.get(draft_id(draft)).and_then(Value::as_str).unwrap_or(NAMELESS);
        let base = uri::from_str(id.trim_end_matches('#'))?;
        let registry = Registry::new().draft(draft).add(base.as_str(), source)?.prepare()?;
        Ok(Reader::read(source, Some(&registry), draft, &Some(Arc::new(base))))
    }

    /// Reads a well-formed schema of 2020-12 that has no references.
    pub(super) fn of_plain(source: &Value) -> Self {
        Reader::read(source, None, Draft::Draft202012, &None)
    }
}

/// The address that references start from, where there are any.
type Origin = Option<Arc<Uri<String>>>;

/// A schema that is waiting to be read, and the address that its references start from.
struct Waiting<'r> {
    id: NodeId,
    schema: &'r Value,
    base: Origin,
}

struct Reader<'r> {
    /// What references lead to, where there are any.
    registry: Option<&'r Registry<'r>>,
    draft: Draft,
    nodes: Vec<Node>,
    /// Schemas by address: the same schema reached twice is one node, which closes the loops.
    seen: HashMap<*const Value, NodeId>,
    waiting: Vec<Waiting<'r>>,
    patterns: HashSet<&'r str>,
    is_dynamic: bool,
}

impl<'r> Reader<'r> {
    fn read(
        source: &'r Value,
        registry: Option<&'r Registry<'r>>,
        draft: Draft,
        base: &Origin,
    ) -> Reading {
        let mut reader = Self {
            registry,
            draft,
            nodes: Vec::new(),
            seen: HashMap::new(),
            waiting: Vec::new(),
            patterns: HashSet::new(),
            is_dynamic: false,
        };
        reader.find(source, base);
        // A list of what is left, not recursion: chains of references may be long.
        while let Some(next) = reader.waiting.pop() {
            let node = reader.node(next.schema, next.base);
            if let Some(place) = reader.nodes.get_mut(next.id.0) {
                *place = node;
            }
        }
        Reading {
            shape: Shape::new(reader.nodes),
            patterns: reader.patterns.len(),
            looks_around: reader.patterns.iter().any(|pattern| looks_around(pattern)),
            is_dynamic: reader.is_dynamic,
        }
    }

    /// Returns the node of a schema, which is read later when it is new.
    fn find(&mut self, schema: &'r Value, base: &Origin) -> NodeId {
        let id = NodeId(self.nodes.len());
        let known = *self.seen.entry(std::ptr::from_ref(schema)).or_insert(id);
        if known == id {
            self.nodes.push(Node::new());
            self.waiting.push(Waiting { id, schema, base: base.clone() });
        }
        known
    }

    fn find_all(&mut self, schemas: &'r Value, base: &Origin) -> Vec<NodeId> {
        match schemas {
            Value::Array(list) => list.iter().map(|schema| self.find(schema, base)).collect(),
            Value::Object(map) => map
                .values()
                // Draft 7 has lists of names among its `dependencies`.
                .filter(|schema| !schema.is_array())
                .map(|schema| self.find(schema, base))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn node(&mut self, schema: &'r Value, base: Origin) -> Node {
        let mut node = Node::new();
        let Value::Object(words) = schema else {
            node.types = if schema == &Value::Bool(false) { Types::NONE } else { Types::ANY };
            return node;
        };
        if let Some(default) = words.get("default") {
            node.default = Some(Arc::new(default.clone()));
        }
        if self.draft <= Draft::Draft7
            && let Some(Value::String(reference)) = words.get("$ref")
        {
            // Up to draft 7 a reference stands alone. A default beside it means nothing there
            // either, but whoever wrote it wanted it.
            node.also.extend(self.follow(reference, &base));
            return node;
        }
        let base = self.rebase(words, base);
        for (word, value) in words {
            self.take(&mut node, word, value, &base);
        }
        if let (Some(Value::Array(_)), Some(rest)) =
            (words.get("items"), words.get("additionalItems"))
        {
            node.items = Some(self.find(rest, &base));
        }
        if node.rest.is_some() {
            node.named = node.fields.iter().map(|(name, _)| name.clone()).collect();
        }
        node
    }

    /// Reads one keyword.
    fn take(&mut self, node: &mut Node, word: &str, value: &'r Value, base: &Origin) {
        match word {
            "type" => node.types = node.types.and(Types::of_keyword(value)),
            "enum" => {
                let values = value.as_array().map(Vec::as_slice).unwrap_or_default();
                node.types = node.types.and(Types::of_all(values));
            }
            "const" => node.types = node.types.and(Types::of(value)),
            "properties" => {
                for (name, schema) in value.as_object().into_iter().flatten() {
                    let child = self.find(schema, base);
                    node.fields.push((name.as_str().into(), child));
                }
            }
            "additionalProperties" => node.rest = Some(self.find(value, base)),
            "prefixItems" => node.prefix = self.find_all(value, base),
            "items" if value.is_array() => node.prefix = self.find_all(value, base),
            "items" => node.items = Some(self.find(value, base)),
            "allOf" => node.also.extend(self.find_all(value, base)),
            "anyOf" | "oneOf" => {
                let forms = self.find_all(value, base);
                node.either.push(forms);
            }
            "not" | "if" | "then" | "else" => node.apart.push(self.find(value, base)),
            "dependentSchemas" | "dependencies" => node.apart.extend(self.find_all(value, base)),
            "pattern" => self.patterns.extend(value.as_str()),
            "patternProperties" => {
                self.patterns
                    .extend(value.as_object().into_iter().flatten().map(|(p, _)| p.as_str()));
                node.beneath.extend(self.find_all(value, base));
            }
            "contains" | "propertyNames" | "contentSchema" => {
                node.beneath.push(self.find(value, base));
            }
            "unevaluatedItems" | "unevaluatedProperties" => {
                node.is_doubled = true;
                node.beneath.push(self.find(value, base));
            }
            "$ref" => node.also.extend(value.as_str().and_then(|to| self.follow(to, base))),
            "$dynamicRef" | "$recursiveRef" => {
                self.is_dynamic = true;
                node.apart.extend(value.as_str().and_then(|to| self.follow(to, base)));
            }
            _ => {}
        }
    }

    /// Returns the address that references start from in a schema that may name itself.
    fn rebase(&self, words: &Map<String, Value>, base: Origin) -> Origin {
        let id = words.get(draft_id(self.draft));
        let (Some(Value::String(id)), Some(from)) = (id, &base) else { return base };
        let id = id.trim_end_matches('#');
        if id.is_empty() || id.starts_with('#') {
            return base;
        }
        uri::resolve_against(&from.borrow(), id).ok().map(Arc::new).or(base)
    }

    fn follow(&mut self, reference: &str, base: &Origin) -> Option<NodeId> {
        let resolver = self.registry.zip(base.as_ref());
        let resolver = resolver.map(|(registry, base)| registry.resolver(base.as_ref().clone()));
        let Some(Ok(target)) = resolver.as_ref().map(|resolver| resolver.lookup(reference)) else {
            // The validator knows better, or refuses the schema itself.
            self.is_dynamic = true;
            return None;
        };
        Some(self.find(target.contents(), &Some(target.resolver().base_uri())))
    }
}

/// Returns the word by which a schema names itself.
fn draft_id(draft: Draft) -> &'static str {
    if draft == Draft::Draft4 { "id" } else { "$id" }
}

/// Tells whether a pattern cannot be run as an automaton.
fn looks_around(pattern: &str) -> bool {
    const AROUND: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];
    let has_back_reference =
        || pattern.as_bytes().windows(2).any(|pair| matches!(pair, [b'\\', b'1'..=b'9' | b'k']));
    AROUND.iter().any(|sign| pattern.contains(sign)) || has_back_reference()
}
