//! A web page as something to read: its main content, in Markdown.

mod budget;
pub(super) mod charset;
mod content;
pub(super) mod dom;
mod links;
mod sink;
mod tag;

use htmd::{
    Element, HtmlToMarkdown,
    element_handler::{HandlerResult, Handlers},
    options::{BulletListMarker, HrStyle, Options},
};
use toolsmith_net::Url;

/// What is left of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) markdown: String,
}

/// Tells whether a text is a page; servers that say nothing are judged by how it begins.
pub(super) fn is_html(media_type: &str, text: &str) -> bool {
    let start: String = text.trim_start().chars().take(15).collect();
    let start = start.to_ascii_lowercase();
    matches!(media_type, "text/html" | "application/xhtml+xml")
        || (media_type.is_empty()
            && (start.starts_with("<!doctype html") || start.starts_with("<html")))
}

/// Finds what a page is about and writes it as Markdown, with links that work from anywhere.
pub(super) fn readable(html: &str, address: &Url) -> Page {
    let document = dom::parse(html);
    let title = content::title(&document);
    let base = links::base(&document, address);
    content::prune(&document);
    let main = content::main(&document);
    links::make_absolute(&main, &base);
    let markdown = tidy(&converter().tree_to_markdown(&main));
    Page { title, markdown }
}

fn converter() -> HtmlToMarkdown {
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        hr_style: HrStyle::Dashes,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    HtmlToMarkdown::builder().options(options).add_handler(vec!["pre"], fence).build()
}

/// Fences text that is set as code without being marked as such, which the converter does not.
fn fence(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    if dom::all(element.node).any(|node| dom::tag(&node) == "code") {
        return handlers.fallback(element);
    }
    let text: String = dom::all(element.node).map(|node| dom::own_text(&node)).collect();
    let mark = if text.contains("```") { "~~~~" } else { "```" };
    Some(format!("\n\n{mark}\n{}\n{mark}\n\n", text.trim_matches('\n')).into())
}

/// Takes out what removed elements leave behind: blanks at the ends of lines, empty lines in a row.
fn tidy(markdown: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in markdown.lines().map(str::trim_end) {
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line);
        }
    }
    lines.join("\n").trim().to_owned()
}
