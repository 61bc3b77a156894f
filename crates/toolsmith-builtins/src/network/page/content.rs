//! Finds the main content of a page among everything around it.

use std::rc::Rc;

use htmd::Node;

use super::dom;

/// How deep elements may stand inside each other; the converter walks down by recursion.
const DEEPEST: usize = 100;

/// Elements that are never part of what is read.
const NEVER_READ: [&str; 26] = [
    "script", "style", "noscript", "template", "iframe", "object", "embed", "applet", "svg",
    "canvas", "audio", "video", "map", "nav", "aside", "footer", "form", "button", "input",
    "select", "textarea", "dialog", "menu", "link", "meta", "head",
];

/// Roles of elements that stand around the content.
const ROLES_AROUND: [&str; 9] = [
    "navigation",
    "banner",
    "contentinfo",
    "complementary",
    "search",
    "dialog",
    "alertdialog",
    "menu",
    "toolbar",
];

/// Words in a class or an id that mark what stands around the content.
const WORDS_AROUND: [&str; 24] = [
    "advert",
    "advertisement",
    "ads",
    "banner",
    "breadcrumb",
    "breadcrumbs",
    "comments",
    "cookie",
    "cookies",
    "footer",
    "masthead",
    "menu",
    "nav",
    "navbar",
    "navigation",
    "newsletter",
    "popup",
    "promo",
    "related",
    "share",
    "sidebar",
    "skip",
    "social",
    "subscribe",
];

/// Elements that may be around the content by their name; a word in a class of others means little.
const BLOCKS: [&str; 8] = ["div", "section", "ul", "ol", "header", "table", "p", "span"];

/// Elements that can hold the content when nothing says where it is.
const HOLDERS: [&str; 4] = ["div", "section", "td", "body"];

/// Returns the title of a page.
pub(super) fn title(document: &Rc<Node>) -> String {
    let first = |name: &str| {
        let found = dom::all(document).find(|node| dom::tag(node) == name);
        found.map(|node| dom::words(&node)).filter(|words| !words.is_empty())
    };
    first("title").or_else(|| first("h1")).unwrap_or_default()
}

/// Takes out what is not read; what stands too deep becomes plain text.
pub(super) fn prune(document: &Rc<Node>) {
    let mut stack = vec![(Rc::clone(document), 0, false)];
    while let Some((node, depth, is_inside)) = stack.pop() {
        // The header of a page is around its content, the header of an article is part of it.
        let is_inside = is_inside || is_marked(&node);
        node.children.borrow_mut().retain(|child| !is_around(child, is_inside));
        if depth == DEEPEST {
            let words = dom::words(&node);
            *node.children.borrow_mut() = vec![dom::text_node(&words)];
            continue;
        }
        let below = node.children.borrow();
        stack.extend(below.iter().map(|child| (Rc::clone(child), depth + 1, is_inside)));
    }
}

/// Returns the element that holds the main content; the whole page when none stands out.
pub(super) fn main(document: &Rc<Node>) -> Rc<Node> {
    let whole = length(document);
    let marked = dom::all(document).filter(|node| is_marked(node));
    let marked: Vec<(usize, Rc<Node>)> = marked.map(|node| (length(&node), node)).collect();
    // The first of equals: an element around another holds its heading too.
    let longest = marked.iter().map(|(length, _)| *length).max().unwrap_or(0);
    let best = marked.into_iter().find(|(length, _)| *length == longest);
    if let Some((length, node)) = best
        && length * 3 >= whole
    {
        return node;
    }
    densest(document).unwrap_or_else(|| Rc::clone(document))
}

/// Tells whether an element says that it is the content.
fn is_marked(node: &Node) -> bool {
    matches!(dom::tag(node), "article" | "main")
        || dom::attribute(node, "role").is_some_and(|role| role == "main")
}

fn is_around(node: &Node, is_inside: bool) -> bool {
    let tag = dom::tag(node);
    if tag.is_empty() || is_marked(node) || matches!(tag, "html" | "body") {
        return false;
    }
    let is_role = |role: String| ROLES_AROUND.contains(&role.as_str());
    NEVER_READ.contains(&tag)
        || (tag == "header" && !is_inside)
        || dom::attribute(node, "hidden").is_some()
        || dom::attribute(node, "aria-hidden").is_some_and(|hidden| hidden == "true")
        || dom::attribute(node, "style").is_some_and(|style| is_invisible(&style))
        || dom::attribute(node, "role").is_some_and(is_role)
        || (BLOCKS.contains(&tag) && ["class", "id"].iter().any(|name| has_word(node, name)))
}

fn is_invisible(style: &str) -> bool {
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    style.contains("display:none") || style.contains("visibility:hidden")
}

fn has_word(node: &Node, attribute: &str) -> bool {
    let Some(value) = dom::attribute(node, attribute) else { return false };
    let value = value.to_ascii_lowercase();
    let mut words = value.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| WORDS_AROUND.contains(&word))
}

/// Returns how much text there is below a node, in bytes; blanks do not count.
fn length(node: &Rc<Node>) -> usize {
    let own = |node: Rc<Node>| dom::own_text(&node).split_whitespace().map(str::len).sum::<usize>();
    dom::all(node).map(own).sum()
}

/// Finds the element with the most paragraph text directly inside, if it has most of it all.
fn densest(document: &Rc<Node>) -> Option<Rc<Node>> {
    let mut total = 0;
    let mut best: Option<(usize, Rc<Node>)> = None;
    for node in dom::all(document).filter(|node| HOLDERS.contains(&dom::tag(node))) {
        let children = node.children.borrow();
        let text = children.iter().filter(|child| is_text(child)).map(length).sum::<usize>();
        total += text;
        if best.as_ref().is_none_or(|(most, _)| text > *most) {
            best = Some((text, Rc::clone(&node)));
        }
    }
    best.filter(|(most, _)| *most * 2 > total && *most > 200).map(|(_, node)| node)
}

/// Tells whether an element is made of running text.
fn is_text(node: &Node) -> bool {
    matches!(dom::tag(node), "p" | "pre" | "blockquote" | "ul" | "ol" | "h2" | "h3")
}
