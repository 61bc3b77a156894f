//! Texts of a document in the words that a model wants: short, plain, on one line.

use toolsmith_core::visible;

/// Makes a text plain: no tags, no links, no line breaks, cut at the end of a sentence.
pub(super) fn brief(text: &str, most: usize) -> String {
    // What is beyond this is cut anyway, however much of it are tags; a letter has up to 4 bytes.
    let end = text.floor_char_boundary(most.saturating_mul(6 * 4).min(text.len()));
    let start = text.get(..end).unwrap_or_default();
    if start.contains('<') || start.contains('&') || start.contains("](") {
        return cut(&one_line(&without_links(&without_tags(start)), most), most);
    }
    cut(&one_line(start, most), most)
}

/// Puts words on one line, until it is sure to be longer than it may be.
fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    for word in text.split(is_between_words).map(visible).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
        count += word.chars().count() + 1;
        // The space before the first word was counted, and is not there.
        if count > most + 1 {
            break;
        }
    }
    line
}

fn is_between_words(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// Joins sentences; one that says the same as the one before is left out.
pub(super) fn joined(first: &str, second: &str, most: usize) -> String {
    let (first, second) = (brief(first, most), brief(second, most));
    let same = |text: &str| text.trim_end_matches('.').to_lowercase();
    if first.is_empty() || same(&second).starts_with(&same(&first)) {
        return second;
    }
    if second.is_empty() {
        return first;
    }
    cut(&format!("{} {second}", sentence(&first)), most)
}

/// Ends a text with a full stop.
pub(super) fn sentence(text: &str) -> String {
    if text.is_empty() || text.ends_with(['.', '!', '?', ':', '。', '…']) {
        return text.to_owned();
    }
    format!("{text}.")
}

fn cut(line: &str, most: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(most) else { return line.to_owned() };
    let short = line.get(..end).unwrap_or_default();
    let sentence = [". ", "! ", "? "].iter().filter_map(|mark| short.rfind(mark)).max();
    // A sentence that leaves less than a third of the room says too little.
    if let Some(end) = sentence.filter(|end| *end > short.len() / 3) {
        return short.get(..=end).unwrap_or(short).to_owned();
    }
    let word = short.rfind(' ').filter(|end| *end > short.len() / 2).unwrap_or(short.len());
    format!("{}…", short.get(..word).unwrap_or(short))
}

fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, from) = rest.split_at(start);
        plain.push_str(before);
        let is_tag = from.get(1..).is_some_and(|next| {
            next.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!')
        });
        match from.find('>').filter(|_| is_tag) {
            Some(end) => {
                plain.push(' ');
                rest = from.get(end + 1..).unwrap_or_default();
            }
            None => {
                plain.push('<');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    plain.push_str(rest);
    for (entity, c) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        if plain.contains(entity) {
            plain = plain.replace(entity, c);
        }
    }
    plain
}

/// Writes `[text](address)` as its text.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let (before, from) = rest.split_at(middle);
        let start = before.rfind('[');
        let end = from.find(')').filter(|end| !from.get(..*end).unwrap_or_default().contains('\n'));
        match (start, end) {
            (Some(start), Some(end)) => {
                let (text, label) = before.split_at(start);
                plain.push_str(text.strip_suffix('!').unwrap_or(text));
                plain.push_str(label.get(1..).unwrap_or_default());
                rest = from.get(end + 1..).unwrap_or_default();
            }
            _ => {
                plain.push_str(before);
                plain.push_str("](");
                rest = from.get(2..).unwrap_or_default();
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_plain_and_short() {
        for (text, plain) in [
            ("  a\n\n b\t", "a b"),
            ("<p>Adds a <b>pet</b>.</p>", "Adds a pet ."),
            ("See [the guide](https://x.example/a_(b)) now", "See the guide) now"),
            ("1 < 2 and 3 > 2 &amp;lt;", "1 < 2 and 3 > 2 &lt;"),
            ("![logo](x.png) hi", "logo hi"),
            ("a\u{202e}b\u{1b}[31m\u{7}c", "ab [31m c"),
            ("a](b", "a](b"),
        ] {
            assert_eq!(brief(text, 100), plain, "{text}");
        }
        assert_eq!(brief("One sentence. Another one. A third", 30), "One sentence. Another one.");
        assert_eq!(brief("word word word word", 12), "word word…");
        assert_eq!(brief(&"é".repeat(50), 10), format!("{}…", "é".repeat(10)));
        assert_eq!(brief(&"<".repeat(100_000), 10).chars().count(), 11);
    }

    #[test]
    fn a_summary_is_not_said_twice() {
        assert_eq!(joined("List pets", "List pets that are sold", 99), "List pets that are sold");
        assert_eq!(joined("List pets", "All of them.", 99), "List pets. All of them.");
        assert_eq!(joined("", "x", 99), "x");
        assert_eq!(joined("x", "", 99), "x");
    }
}
