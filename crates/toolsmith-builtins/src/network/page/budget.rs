//! How much of a page is parsed, so that no page can hold a thread or fill the memory.
//!
//! A parser as the standard wants it searches the open elements at each tag, and opens every
//! unclosed formatting element again in each new block: a hostile page of a few hundred kilobytes
//! becomes gigabytes that way. What a page costs cannot be told from its text without parsing it, so
//! the parser gets it in small pieces, what it does is counted, and it gets no more once that is
//! too much.

use std::rc::Rc;

use htmd::Node;
use html5ever::{ParseOpts, parse_document, tendril::TendrilSink, tree_builder::TreeBuilderOpts};

use super::{sink::CountingSink, tag::TagReader};

/// How much a page may cost, in looks at a node.
///
/// Real pages of some megabytes, dense with tags, cost a quarter of it.
const BUDGET: usize = 50_000_000;

/// The longest piece, in bytes: what a piece costs is counted when it has been parsed.
const LONGEST: usize = 1_024;

/// A page, as far as it was parsed.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) document: Rc<Node>,
    /// What it cost.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check it"))]
    pub(super) cost: usize,
}

/// Parses a page, all of it but for hostile ones.
pub(super) fn parse(html: &str) -> Parsed {
    parse_within(html, BUDGET)
}

fn parse_within(html: &str, budget: usize) -> Parsed {
    // Without scripts, what stands in `noscript` is part of the page, as it is for our reader.
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let sink = CountingSink::default();
    let counter = sink.counter();
    let mut parser = parse_document(sink, options);
    let mut tag = TagReader::default();
    let mut rest = html;
    while !rest.is_empty() && counter.get() <= budget {
        let (piece, after) = rest.split_at_checked(end_of_piece(rest)).unwrap_or((rest, ""));
        counter.add(tag.read(piece));
        let before = counter.get();
        parser.process(piece.into());
        // Whatever the parser has done, it is no longer inside a tag that has begun before.
        if counter.get() != before {
            tag = TagReader::default();
        }
        rest = after;
    }
    Parsed { document: parser.finish(), cost: counter.get() }
}

/// Finds the end of the first piece: no piece has more than one tag.
fn end_of_piece(html: &str) -> usize {
    let mut bytes = html.bytes().enumerate().take(LONGEST);
    let end = bytes.find_map(|(place, byte)| match byte {
        b'>' => Some(place + 1),
        b'<' if place > 0 => Some(place),
        _ => None,
    });
    end.unwrap_or_else(|| html.floor_char_boundary(LONGEST))
}

#[cfg(test)]
mod tests {
    use htmd::HtmlToMarkdown;
    use proptest::prelude::*;

    use super::{super::dom, *};

    /// Repeats a text with a number in it, so that no two are the same.
    fn numbered(count: usize, text: &str) -> String {
        let texts = (0..count).map(|number| text.replace('#', &number.to_string()));
        texts.collect()
    }

    /// Parses a page with a small budget; returns what it cost and how many nodes it has.
    fn spent(page: &str) -> (usize, usize) {
        let parsed = parse_within(page, BUDGET / 50);
        (parsed.cost, dom::all(&parsed.document).count())
    }

    #[test]
    fn real_pages_are_kept_whole() {
        let cell = "<tr><td><font color=red><b>x</b><td><p>y<br>z<a href=/x class='a b'>l</a>";
        let head = "<!-- <b><b> --><script>for(i=0;i<a;i<b)</script><svg><path d=x /></svg>";
        let rows = 3_000;
        let page = format!("{head}<div><div><table>{}</table>the end", cell.repeat(rows));
        let parsed = parse(&page);
        assert!(parsed.cost < BUDGET / 10, "{}", parsed.cost);
        let texts: String = dom::all(&parsed.document).map(|node| dom::own_text(&node)).collect();
        assert!(texts.ends_with("the end"));
        assert_eq!(texts.matches("xyzl").count(), rows);
    }

    #[test]
    fn hostile_pages_are_cut_before_they_cost_too_much() {
        let (unclosed, blocks) = (numbered(2_000, "<b a=#>"), "<p>x".repeat(100_000));
        let attributes = |space: &str| numbered(400_000, &format!("{space}a#"));
        for page in [
            "<div>".repeat(500_000),
            format!("{unclosed}{}", "<p>x</i></em></div>".repeat(100_000)),
            format!("{unclosed}{}", "<DIV></DIV>".repeat(100_000)),
            format!("<!-->{unclosed}{blocks}"),
            format!("<!--->{unclosed}{blocks}"),
            format!("<!-- --!>{unclosed}{blocks}"),
            format!("<svg><title><p>{unclosed}{blocks}"),
            format!("<svg><style><p>{unclosed}{blocks}"),
            format!("<math><mi><title>{unclosed}{blocks}"),
            format!("<svg>{}", "<path>".repeat(100_000)),
            format!("<select><title></select>{unclosed}{blocks}"),
            unclosed.replace('>', "><!</b>") + &blocks,
            unclosed.replace('>', " y='</b>'>") + &blocks,
            unclosed.replace('>', "><xmp></b></xmp>") + &blocks,
            unclosed.replace('>', "><iframe></b></iframe>") + &blocks,
            numbered(50_000, "<b a=#>"),
            format!("<b{}>{blocks}", attributes(" ")),
            format!("<table>{}", "<br>".repeat(500_000)),
            format!("<x{}>", attributes(" ")),
            format!("<x{}>", attributes("/")),
            format!("<x{}>", attributes(" b='>'")),
            format!("<p><!DOCTYPE <y a=\"><x{}>", attributes(" ")),
            format!("<frameset><head> a=\"<x{}>", attributes(" ")),
            format!("<x{}>", " a".repeat(400_000)),
            "<!-->".repeat(500_000),
        ] {
            let (cost, nodes) = spent(&page);
            let start = page.get(..40).unwrap_or_default();
            assert!(cost < BUDGET / 20, "{start}: {cost}");
            assert!(nodes < 50_000, "{start}: {nodes}");
        }
    }

    #[test]
    fn a_hostile_page_of_400_kilobytes_costs_no_more_than_the_budget() {
        let page = numbered(24_000, "<!--><b x=#><p>");
        assert!(page.len() > 400_000);
        let parsed = parse_within(&page, BUDGET / 50);
        assert!(parsed.cost < BUDGET / 20, "{}", parsed.cost);
    }

    #[test]
    fn pieces_make_up_the_page_and_hold_one_tag_at_most() {
        let long = "语".repeat(1_000);
        let page = format!("a<b c='>'>d>><<e{long}>f");
        let mut pieces = Vec::new();
        let mut rest = page.as_str();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(end_of_piece(rest));
            pieces.push(piece);
            rest = after;
        }
        assert_eq!(pieces.concat(), page);
        assert_eq!(&pieces[..6], ["a", "<b c='>", "'>", "d>", ">", "<"]);
        assert_eq!(pieces.last(), Some(&"f"));
        assert!(pieces.iter().all(|piece| piece.len() <= LONGEST));
    }

    /// Writes a tree down, text for text and tag for tag.
    fn outline(document: &Rc<Node>) -> String {
        let node = |node: Rc<Node>| {
            let below = node.children.borrow().len();
            format!("<{} {below}>{}", dom::tag(&node), dom::own_text(&node))
        };
        dom::all(document).map(node).collect()
    }

    proptest! {
        #[test]
        fn pieces_become_the_tree_of_the_whole(page in "(<[!/a-c]?|svg|title|table|p |b |--|>|é|&am|p;|'|=| |\r\n){0,40}") {
            let whole = HtmlToMarkdown::builder().scripting_enabled(false).build();
            let whole = whole.html_to_tree(&page).unwrap();
            prop_assert_eq!(outline(&parse(&page).document), outline(&whole));
        }
    }
}
