//! The shape of a schema: what defaults, coercion and the bounds need, in one flat list.
//!
//! Every schema inside of a schema is a node, known by its number. References are edges, so a
//! recursive schema is a finite shape with a loop in it. The validator itself never looks here.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;

use super::types::Types;

/// What stands for a number that no node has.
static NOTHING: Node = Node::new();

/// The most nodes that are taken together for one value; more are left to the validator alone.
const PARTS: usize = 64;

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(pub(super) usize);

/// One schema inside of a schema.
#[derive(Debug)]
pub(super) struct Node {
    /// The types that a value may have, all that holds for it considered.
    pub(super) types: Types,
    /// The value of `default`, with the defaults of its own fields filled in.
    pub(super) default: Option<Arc<Value>>,
    /// `properties`, in the order of the schema.
    pub(super) fields: Vec<(Box<str>, NodeId)>,
    /// `additionalProperties`, for the fields with other names.
    pub(super) rest: Option<NodeId>,
    /// The names of the fields; only kept where `rest` needs to know.
    pub(super) named: BTreeSet<Box<str>>,
    /// `prefixItems`.
    pub(super) prefix: Vec<NodeId>,
    /// `items`, for those after the prefix.
    pub(super) items: Option<NodeId>,
    /// `allOf` and `$ref`: what holds for the same value always.
    pub(super) also: Vec<NodeId>,
    /// `anyOf` and `oneOf`: lists of which one form holds for the same value.
    pub(super) either: Vec<Vec<NodeId>>,
    /// Other schemas for the same value: `not`, `if`, `then`, `else`, `dependentSchemas`.
    pub(super) apart: Vec<NodeId>,
    /// Other schemas for values inside the value: `patternProperties`, `contains` and the like.
    pub(super) beneath: Vec<NodeId>,
    /// Whether the schemas for the same value are run twice, as `unevaluatedProperties` does.
    pub(super) is_doubled: bool,
    /// All that `also` leads to, directly or not; without the node itself.
    pub(super) parts: Vec<NodeId>,
    /// What holds too when the only form that is not null is meant, as in an optional field.
    pub(super) likely: Vec<NodeId>,
    /// Whether a default can be filled in somewhere inside.
    pub(super) fills: bool,
}

impl Node {
    pub(super) const fn new() -> Self {
        Self {
            types: Types::ANY,
            default: None,
            fields: Vec::new(),
            rest: None,
            named: BTreeSet::new(),
            prefix: Vec::new(),
            items: None,
            also: Vec::new(),
            either: Vec::new(),
            apart: Vec::new(),
            beneath: Vec::new(),
            is_doubled: false,
            parts: Vec::new(),
            likely: Vec::new(),
            fills: false,
        }
    }

    /// Returns the schemas that are run on the same value.
    pub(super) fn same(&self) -> impl Iterator<Item = NodeId> {
        let either = self.either.iter().flatten();
        self.also.iter().chain(either).chain(&self.apart).copied()
    }

    /// Returns the schemas that are run on values inside the value.
    pub(super) fn below(&self) -> impl Iterator<Item = NodeId> {
        self.children().chain(self.beneath.iter().copied())
    }

    /// Returns the schemas of the fields and items, where defaults and coercion go.
    pub(super) fn children(&self) -> impl Iterator<Item = NodeId> {
        let fields = self.fields.iter().map(|(_, child)| *child);
        fields.chain(self.rest).chain(self.prefix.iter().copied()).chain(self.items)
    }
}

/// A whole schema; the root is node 0.
#[derive(Debug)]
pub(super) struct Shape(Vec<Node>);

impl Shape {
    pub(super) const ROOT: NodeId = NodeId(0);

    /// Takes nodes as they were read, and works out what holds together.
    pub(super) fn new(nodes: Vec<Node>) -> Self {
        let mut shape = Self(nodes);
        shape.settle_types();
        shape.join_parts();
        shape.inherit_defaults();
        shape.mark_fills();
        shape
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        self.0.get(id.0).unwrap_or(&NOTHING)
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.0.get_mut(id.0)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.0.len()).map(NodeId)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the node and all that holds for the same value always.
    pub(super) fn whole(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        let node = self.node(id);
        std::iter::once(node).chain(node.parts.iter().map(|part| self.node(*part)))
    }

    /// Returns the names of the parameters, in the order of the schema.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.whole(Self::ROOT).flat_map(|node| node.fields.iter().map(|(name, _)| name.as_ref()))
    }

    /// Returns how many forms the longest `anyOf` or `oneOf` has; at least one.
    pub(super) fn forms(&self) -> u64 {
        let most = self.0.iter().flat_map(|node| &node.either).map(Vec::len).max();
        most.unwrap_or(1).max(1) as u64
    }

    /// Lists the nodes so that each comes after those that its edges lead to.
    ///
    /// The second value tells whether that is impossible, because the edges have a loop.
    pub(super) fn order<E>(&self, edges: impl Fn(&'_ Node) -> E) -> (Vec<NodeId>, bool)
    where
        E: IntoIterator<Item = NodeId>,
    {
        let mut order = Vec::with_capacity(self.len());
        let mut state = vec![Visit::Not; self.len()];
        let mut has_loop = false;
        for start in self.ids() {
            let mut stack = vec![(start, false)];
            while let Some((id, is_done)) = stack.pop() {
                let Some(visit) = state.get_mut(id.0) else { continue };
                match (*visit, is_done) {
                    (_, true) => {
                        *visit = Visit::Done;
                        order.push(id);
                    }
                    (Visit::Not, false) => {
                        *visit = Visit::Open;
                        stack.push((id, true));
                        stack.extend(edges(self.node(id)).into_iter().map(|next| (next, false)));
                    }
                    (Visit::Open, false) => has_loop = true,
                    (Visit::Done, false) => {}
                }
            }
        }
        (order, has_loop)
    }

    /// Narrows the types of each node by all that holds for the same value.
    fn settle_types(&mut self) {
        let (order, _) = self.order(|node| node.same().collect::<Vec<_>>());
        for id in order {
            let node = self.node(id);
            let mut types = node.types;
            for other in &node.also {
                types = types.and(self.node(*other).types);
            }
            for forms in &node.either {
                let any = forms.iter().map(|form| self.node(*form).types);
                types = types.and(any.fold(Types::NONE, Types::or));
            }
            if let Some(node) = self.node_mut(id) {
                node.types = types;
            }
        }
    }

    fn join_parts(&mut self) {
        for id in self.ids() {
            let node = self.node(id);
            if node.also.is_empty() && node.either.is_empty() {
                continue;
            }
            let parts = self.reach(id, |node| node.also.clone());
            let mut likely = self.reach(id, |node| {
                let meant = node.either.iter().filter_map(|forms| self.only_form(forms));
                node.also.iter().copied().chain(meant).collect()
            });
            likely.retain(|part| !parts.contains(part));
            if let Some(node) = self.node_mut(id) {
                node.parts = parts;
                node.likely = likely;
            }
        }
    }

    /// Returns the one form that is not just null, if there is exactly one.
    fn only_form(&self, forms: &[NodeId]) -> Option<NodeId> {
        let is_null = |form: &NodeId| self.node(*form).types == Types::NULL;
        let mut others = forms.iter().filter(|form| !is_null(form));
        others.next().filter(|_| others.next().is_none()).copied()
    }

    fn reach(&self, start: NodeId, edges: impl Fn(&Node) -> Vec<NodeId>) -> Vec<NodeId> {
        let mut found = vec![start];
        let mut next = 0;
        while let Some(id) = found.get(next).copied() {
            next += 1;
            for other in edges(self.node(id)) {
                if found.len() <= PARTS && !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        found.remove(0);
        found
    }

    /// Gives each node the first default that holds for it, unless it has the wrong type: many
    /// schemas in the wild say `"default": null` for a text.
    fn inherit_defaults(&mut self) {
        let defaults: Vec<_> = self
            .ids()
            .map(|id| {
                let types = self.node(id).types;
                let found = self.whole(id).find_map(|node| node.default.clone());
                found.filter(|default| types.holds(Types::of(default)))
            })
            .collect();
        for (node, default) in self.0.iter_mut().zip(defaults) {
            node.default = default;
        }
    }

    /// Marks the nodes in which a default can be filled in: backwards, from the defaults.
    fn mark_fills(&mut self) {
        let mut holders: Vec<Vec<NodeId>> = vec![Vec::new(); self.len()];
        let mut found = Vec::new();
        for id in self.ids() {
            let node = self.node(id);
            for inner in node.children().chain(node.parts.iter().copied()) {
                if let Some(list) = holders.get_mut(inner.0) {
                    list.push(id);
                }
            }
            if node.fields.iter().any(|(_, child)| self.node(*child).default.is_some()) {
                found.push(id);
            }
        }
        while let Some(id) = found.pop() {
            let Some(node) = self.node_mut(id) else { continue };
            if !node.fills {
                node.fills = true;
                found.extend(holders.get(id.0).into_iter().flatten());
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Visit {
    Not,
    Open,
    Done,
}
