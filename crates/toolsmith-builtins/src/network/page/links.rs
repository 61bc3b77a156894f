//! Links of a page that work outside of it.

use std::rc::Rc;

use htmd::Node;
use markup5ever_rcdom::NodeData;
use toolsmith_net::Url;

use super::dom;

/// Returns where the relative links of a page begin.
pub(super) fn base(document: &Rc<Node>, address: &Url) -> Url {
    let element = dom::all(document).find(|node| dom::tag(node) == "base");
    let href = element.and_then(|node| dom::attribute(&node, "href"));
    href.and_then(|href| address.join(&href).ok()).unwrap_or_else(|| address.clone())
}

/// Makes every link absolute; links that lead nowhere useful become plain text.
pub(super) fn make_absolute(root: &Rc<Node>, base: &Url) {
    for node in dom::all(root) {
        match dom::tag(&node) {
            // Markdown shows code as it is, so links there would stand in the way.
            "pre" | "code" => dom::all(&node).for_each(|inner| keep(&inner, |_| false)),
            "a" if is_empty(&node) => keep(&node, |_| false),
            _ => {}
        }
        let NodeData::Element { attrs, .. } = &node.data else { continue };
        attrs.borrow_mut().retain_mut(|attribute| {
            if !matches!(&*attribute.name.local, "href" | "src") {
                return true;
            }
            let link = absolute(&attribute.value, base);
            attribute.value = link.as_deref().unwrap_or_default().into();
            link.is_some()
        });
        // What a mouse would show is said by the text or by the page behind the link.
        keep(&node, |name| name != "title");
    }
}

/// Keeps some of the attributes of a link.
fn keep(node: &Node, wanted: impl Fn(&str) -> bool) {
    if let ("a", NodeData::Element { attrs, .. }) = (dom::tag(node), &node.data) {
        attrs.borrow_mut().retain(|attribute| wanted(&attribute.name.local));
    }
}

/// Tells whether a link has neither words nor a picture to click on.
fn is_empty(link: &Rc<Node>) -> bool {
    dom::words(link).is_empty() && !dom::all(link).any(|node| dom::tag(&node) == "img")
}

/// Returns the whole address of a link; nothing for places in the page, scripts and inline data.
fn absolute(link: &str, base: &Url) -> Option<String> {
    let link = link.trim();
    if link.is_empty() || link.starts_with('#') {
        return None;
    }
    let url = base.join(link).ok()?;
    matches!(url.scheme(), "http" | "https" | "mailto").then(|| url.into())
}
