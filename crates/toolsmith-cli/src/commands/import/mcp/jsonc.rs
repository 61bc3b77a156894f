//! JSON as editors write it: with comments, and commas behind the last item.

/// Takes out what JSON does not have; texts are left alone.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let (string, after) = rest.split_at(end_of_string(rest));
            plain.push_str(string);
            rest = after;
        } else if rest.starts_with("//") {
            rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default();
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").and_then(|end| rest.get(end + 2..)).unwrap_or_default();
        } else {
            if matches!(c, ']' | '}') {
                drop_last_comma(&mut plain);
            }
            plain.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    plain
}

fn drop_last_comma(plain: &mut String) {
    let end = plain.trim_end().len();
    if plain.get(..end).is_some_and(|start| start.ends_with(',')) {
        plain.truncate(end - 1);
    }
}

/// Returns where a text that begins with a quote ends, behind its other quote.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_taken_out_and_texts_are_not() {
        let text = "{ // one\n \"a\": \"// no, \\\" }\", /* two */ \"b\": [1, 2,\n ],\n}";
        let value: serde_json::Value = serde_json::from_str(&plain(text)).unwrap();
        assert_eq!(value, serde_json::json!({ "a": "// no, \" }", "b": [1, 2] }));
        assert_eq!(plain("\"open"), "\"open");
        assert_eq!(plain("/* open"), "");
    }
}
