//! Texts of strangers without what a reader cannot see in them.

use std::borrow::Cow;

/// Takes out what a person does not see in a text, and a model or a terminal does.
///
/// These are control characters but tabs and line breaks, marks that turn the direction of a text,
/// characters without width, and the tags and selectors in which whole sentences can be hidden.
///
/// # Example
///
/// ```
/// use toolsmith_core::visible;
///
/// assert_eq!(visible("Adds\u{200b} two\u{202e} numbers.\u{1b}"), "Adds two numbers.");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !is_hidden(*c)).collect())
}

/// Tells what has no look of its own: controls, and what Unicode says may be left undrawn.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        _ if c.is_ascii() => c.is_ascii_control(),
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_seen_stays_as_it_is() {
        for text in ["", "a b\tc\nd", "観星閣 é ñ 😀", "price: 5 € – or 6"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_taken_out() {
        for (text, seen) in [
            ("a\u{1b}[31mb\u{7}\0\u{7f}\u{9b}c", "a[31mbc"),
            ("a\r\nb", "a\nb"),
            ("\u{202e}gnp.exe\u{2066}\u{200f}", "gnp.exe"),
            ("z\u{200b}e\u{200d}r\u{2060}o\u{feff}", "zero"),
            ("tag\u{e0001}\u{e0041}\u{e007f}", "tag"),
            ("⚠\u{fe0f}\u{e0100}", "⚠"),
        ] {
            assert_eq!(visible(text), seen, "{text:?}");
        }
    }
}
