//! Takes what the parser makes of a page, and counts what it does.

use std::{borrow::Cow, cell::Cell, rc::Rc};

use htmd::Node;
use html5ever::{
    Attribute, ExpandedName, LocalName, QualName,
    interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
    tendril::StrTendril,
};
use markup5ever_rcdom::{NodeData, RcDom};

/// What a node costs, compared with a look at one: mostly memory.
const NODE: usize = 100;

/// What an attribute costs.
const ATTRIBUTE: usize = 20;

/// What a piece of text costs.
const TEXT: usize = 10;

/// Elements that are opened again in each new block until they are closed.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Counts costs; its clones count together.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter(Rc<Cell<usize>>);

impl Counter {
    pub(super) fn get(&self) -> usize {
        self.0.get()
    }

    pub(super) fn add(&self, cost: usize) {
        self.0.set(self.0.get().saturating_add(cost));
    }
}

/// Builds the tree of a page, and counts each look at a node and each new one.
#[derive(Default)]
pub(super) struct CountingSink {
    dom: RcDom,
    counter: Counter,
    /// The most attributes that a formatting element has.
    widest: Cell<usize>,
}

impl CountingSink {
    /// Returns what counts.
    pub(super) fn counter(&self) -> Counter {
        self.counter.clone()
    }

    /// Counts what comes with a node in a tree.
    fn count_child(&self, parent: &Rc<Node>, child: &NodeOrText<Rc<Node>>) {
        let NodeOrText::AppendNode(child) = child else { return self.counter.add(TEXT) };
        self.counter.add(1);
        if is_formatting(child) {
            // Behind our back it was compared, with all attributes, with every formatting element
            // that is open, and those stand around it.
            let around = depth(parent);
            self.counter.add(around.saturating_mul(1 + self.widest.get()));
        }
    }

    /// Counts the search among the siblings of a node.
    fn count_siblings(&self, node: &Rc<Node>) {
        let siblings = parent(node).map_or(0, |parent| parent.children.borrow().len());
        self.counter.add(siblings);
    }
}

impl TreeSink for CountingSink {
    type Handle = Rc<Node>;
    type Output = Rc<Node>;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Rc<Node> {
        self.dom.document
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        // A second document type has no other effect, and ends at a `>` wherever that stands.
        if message.starts_with("DOCTYPE") {
            self.counter.add(1);
        }
    }

    fn get_document(&self) -> Rc<Node> {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<Node>) -> ExpandedName<'a> {
        self.counter.add(1);
        self.dom.elem_name(target)
    }

    fn create_element(
        &self,
        name: QualName,
        attrs: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Rc<Node> {
        self.counter.add(NODE + ATTRIBUTE * attrs.len());
        if is_formatting_name(&name.local) {
            self.widest.set(self.widest.get().max(attrs.len()));
        }
        self.dom.create_element(name, attrs, flags)
    }

    fn create_comment(&self, text: StrTendril) -> Rc<Node> {
        self.counter.add(NODE);
        self.dom.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, content: StrTendril) -> Rc<Node> {
        self.counter.add(NODE);
        self.dom.create_pi(target, content)
    }

    fn append(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.count_child(parent, &child);
        self.dom.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Rc<Node>,
        prev_element: &Rc<Node>,
        child: NodeOrText<Rc<Node>>,
    ) {
        self.count_siblings(element);
        self.count_child(element, &child);
        self.dom.append_based_on_parent_node(element, prev_element, child);
    }

    fn append_doctype_to_document(
        &self,
        name: StrTendril,
        public_id: StrTendril,
        system_id: StrTendril,
    ) {
        self.counter.add(NODE);
        self.dom.append_doctype_to_document(name, public_id, system_id);
    }

    fn get_template_contents(&self, target: &Rc<Node>) -> Rc<Node> {
        self.counter.add(1);
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, one: &Rc<Node>, other: &Rc<Node>) -> bool {
        self.counter.add(1);
        self.dom.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.counter.add(1);
        self.dom.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.count_siblings(sibling);
        self.count_child(sibling, &child);
        self.dom.append_before_sibling(sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &Rc<Node>, attrs: Vec<Attribute>) {
        if let NodeData::Element { attrs: present, .. } = &target.data {
            self.counter.add(1 + ATTRIBUTE * attrs.len() + present.borrow().len());
        }
        self.dom.add_attrs_if_missing(target, attrs);
    }

    fn remove_from_parent(&self, target: &Rc<Node>) {
        self.count_siblings(target);
        self.dom.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &Rc<Node>, new_parent: &Rc<Node>) {
        self.counter.add(1 + node.children.borrow().len());
        self.dom.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Rc<Node>) -> bool {
        self.counter.add(1);
        self.dom.is_mathml_annotation_xml_integration_point(target)
    }
}

fn is_formatting(node: &Node) -> bool {
    matches!(&node.data, NodeData::Element { name, .. } if is_formatting_name(&name.local))
}

fn is_formatting_name(name: &LocalName) -> bool {
    FORMATTING.contains(&&**name)
}

fn parent(node: &Rc<Node>) -> Option<Rc<Node>> {
    let parent = node.parent.take();
    let found = parent.as_ref().and_then(std::rc::Weak::upgrade);
    node.parent.set(parent);
    found
}

/// Returns how many nodes stand around what is inside a node.
fn depth(node: &Rc<Node>) -> usize {
    let mut depth = 1;
    let mut inner = Rc::clone(node);
    while let Some(outer) = parent(&inner) {
        depth += 1;
        inner = outer;
    }
    depth
}
