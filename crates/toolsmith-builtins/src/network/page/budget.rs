//! How much of a page is parsed, so that no page can hold a thread or fill the memory.
//!
//! A parser as the standard wants it searches the open elements at each start tag, and opens every
//! unclosed formatting element again in each new block. A hostile page of a few megabytes would
//! become gigabytes that way. What parsing costs is therefore estimated first, in one quick pass.

use std::collections::HashMap;

/// How much a page may cost; large real pages stay below a tenth of it.
const BUDGET: usize = 10_000_000;

/// What one element costs that is opened again, compared with a look at an open one.
const OPENED_AGAIN: usize = 10;

/// Elements that are opened again in each new block until they are closed.
const FORMATTING: [&[u8]; 14] = [
    b"a", b"b", b"big", b"code", b"em", b"font", b"i", b"nobr", b"s", b"small", b"strike",
    b"strong", b"tt", b"u",
];

/// Elements that are closed by themselves, or by the next of their kind.
const SHORT: [&[u8]; 27] = [
    b"area",
    b"base",
    b"br",
    b"col",
    b"colgroup",
    b"dd",
    b"dt",
    b"embed",
    b"hr",
    b"img",
    b"input",
    b"li",
    b"link",
    b"meta",
    b"option",
    b"p",
    b"param",
    b"path",
    b"rect",
    b"source",
    b"tbody",
    b"td",
    b"tfoot",
    b"th",
    b"thead",
    b"tr",
    b"wbr",
];

/// Elements whose content is no markup.
const RAW: [&[u8]; 4] = [b"script", b"style", b"textarea", b"title"];

/// Returns the part of a page that may be parsed: all of it, but for hostile pages.
pub(super) fn affordable(html: &str) -> &str {
    let mut open = Open::default();
    let mut cost = 0;
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = rest.get(start + 1..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").and_then(|end| comment.get(end..)).unwrap_or_default();
            continue;
        }
        let (is_end, tag) = match rest.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, rest),
        };
        let name = name(tag);
        if name.is_empty() {
            continue;
        }
        if is_end {
            open.close(&name);
            continue;
        }
        open.open(&name);
        cost += 1 + open.depth + open.formatting * OPENED_AGAIN;
        if cost > BUDGET {
            let end = html.len() - rest.len() - 1;
            return html.get(..end).unwrap_or_default();
        }
        if RAW.contains(&name.as_slice()) {
            rest = after_raw(rest, &name);
        }
    }
    html
}

/// The elements that are open, as far as a quick look can tell.
#[derive(Default)]
struct Open {
    counts: HashMap<Vec<u8>, usize>,
    depth: usize,
    formatting: usize,
}

impl Open {
    fn open(&mut self, name: &[u8]) {
        if SHORT.contains(&name) || RAW.contains(&name) {
            return;
        }
        *self.counts.entry(name.to_vec()).or_default() += 1;
        self.depth += 1;
        self.formatting += usize::from(FORMATTING.contains(&name));
    }

    /// An end tag closes only what is open: one that is not must not hide another that is.
    fn close(&mut self, name: &[u8]) {
        let Some(count) = self.counts.get_mut(name).filter(|count| **count > 0) else { return };
        *count -= 1;
        self.depth -= 1;
        self.formatting -= usize::from(FORMATTING.contains(&name));
    }
}

fn name(tag: &str) -> Vec<u8> {
    // Names of elements begin with a letter; a name of many letters is as good as its beginning.
    let letters = tag.bytes().take(32).take_while(u8::is_ascii_alphanumeric);
    let name: Vec<u8> = letters.map(|byte| byte.to_ascii_lowercase()).collect();
    if name.first().is_some_and(u8::is_ascii_alphabetic) { name } else { Vec::new() }
}

/// Skips to the end tag of an element whose content is no markup.
fn after_raw<'a>(rest: &'a str, name: &[u8]) -> &'a str {
    let bytes = rest.as_bytes();
    let is_end = |place: &usize| {
        let tag = bytes.get(place + 2..place + 2 + name.len());
        bytes.get(*place..place + 2) == Some(b"</")
            && tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name))
    };
    let end = (0..bytes.len()).find(is_end);
    end.and_then(|end| rest.get(end..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_pages_are_kept_whole() {
        let cell = "<tr><td><font color=red><b>x</b><td><p>y<br>z";
        let page = format!(
            "<!-- <b><b> --><script>for(i=0;i<a;i<b)</script><table>{}</table>",
            cell.repeat(400)
        );
        assert_eq!(affordable(&page), page);
    }

    #[test]
    fn hostile_pages_are_cut_before_they_cost_too_much() {
        let unclosed = (0..2_000).map(|n| format!("<b a={n}>")).collect::<Vec<_>>().concat();
        for page in [
            "<div>".repeat(500_000),
            format!("{unclosed}{}", "<p>x</i></em></div>".repeat(100_000)),
            format!("{unclosed}{}", "<DIV></DIV>".repeat(100_000)),
        ] {
            let kept = affordable(&page).len();
            assert!(kept < page.len() / 10, "{kept} of {}", page.len());
        }
    }
}
