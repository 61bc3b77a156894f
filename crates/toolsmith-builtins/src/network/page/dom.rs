//! A parsed page, and how to look around in it without recursion.

use std::rc::Rc;

use htmd::Node;
use markup5ever_rcdom::NodeData;

use super::budget;

/// Parses a page; any text is one.
pub(crate) fn parse(html: &str) -> Rc<Node> {
    budget::parse(html).document
}

/// Walks over a node and everything below it, in the order of the text.
pub(crate) fn all(root: &Rc<Node>) -> impl Iterator<Item = Rc<Node>> + use<> {
    let mut stack = vec![Rc::clone(root)];
    std::iter::from_fn(move || {
        let node = stack.pop()?;
        stack.extend(node.children.borrow().iter().rev().cloned());
        Some(node)
    })
}

/// Returns the name of an element; empty for anything else.
pub(crate) fn tag(node: &Node) -> &str {
    match &node.data {
        NodeData::Element { name, .. } => &name.local,
        _ => "",
    }
}

/// Returns an attribute of an element.
pub(crate) fn attribute(node: &Node, name: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else { return None };
    let attrs = attrs.borrow();
    let found = attrs.iter().find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| attribute.value.to_string())
}

/// Tells whether an element has a class.
pub(crate) fn has_class(node: &Node, class: &str) -> bool {
    attribute(node, "class").is_some_and(|list| list.split_whitespace().any(|one| one == class))
}

/// Returns the text of one text node.
pub(crate) fn own_text(node: &Node) -> String {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        _ => String::new(),
    }
}

/// Returns the whole text below a node, as words with one space between.
pub(crate) fn words(node: &Rc<Node>) -> String {
    let text: String = all(node).map(|node| own_text(&node)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes a node of text.
pub(crate) fn text_node(text: &str) -> Rc<Node> {
    Node::new(NodeData::Text { contents: std::cell::RefCell::new(text.into()) })
}
