//! Doc comments as text for a model.

use syn::{Attribute, Expr, Lit, Meta};

/// Sections that speak to Rust programmers.
const FOR_PROGRAMMERS: [&str; 5] = ["errors", "panics", "safety", "example", "examples"];

/// Returns the text of the doc comments among some attributes; empty when there is none.
///
/// Lines of one paragraph become one line; paragraphs, lists and code blocks stay.
pub(crate) fn text_of(attributes: &[Attribute]) -> String {
    let comments: Vec<String> = attributes.iter().filter_map(comment).collect();
    let mut text = Text::default();
    for line in comments.iter().flat_map(|comment| lines(comment)) {
        text.push(line);
    }
    text.written
}

/// Returns the text of a doc attribute; `#[doc(hidden)]` and the like have none.
fn comment(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Splits a comment into lines, without the stars at the left of a block comment.
fn lines(comment: &str) -> Vec<&str> {
    let starred = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('*');
    let has_stars = comment.contains('\n') && comment.lines().skip(1).all(|line| starred(&line));
    let line = |line| if has_stars { strip_star(line) } else { line };
    // A comment of one empty line has no line for `lines`, yet it separates paragraphs.
    let lines: Vec<&str> = comment.lines().map(line).collect();
    if lines.is_empty() { vec![""] } else { lines }
}

fn strip_star(line: &str) -> &str {
    line.trim_start().strip_prefix('*').unwrap_or(line)
}

/// A text that grows line by line.
#[derive(Default)]
struct Text {
    written: String,
    in_code: bool,
    in_skipped: bool,
    after_blank: bool,
}

impl Text {
    fn push(&mut self, line: &str) {
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        let is_fence = ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence));
        if line.starts_with('#') && !self.in_code {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            self.in_skipped = FOR_PROGRAMMERS.contains(&heading.as_str());
        }
        if !self.in_skipped {
            self.write(line, is_fence);
        }
        self.in_code ^= is_fence;
    }

    fn write(&mut self, line: &str, is_fence: bool) {
        if line.is_empty() && !self.in_code {
            self.after_blank = true;
            return;
        }
        let is_own_line = self.in_code || is_fence || starts_a_line(line);
        let separator = if self.written.is_empty() {
            ""
        } else if self.after_blank {
            "\n\n"
        } else if is_own_line || self.ends_with_own_line() {
            "\n"
        } else {
            space_between(&self.written, line)
        };
        self.written.push_str(separator);
        self.written.push_str(if is_own_line { line } else { line.trim_start() });
        self.after_blank = false;
    }

    /// Tells whether the last line stands alone: a heading, or the end of a code block.
    fn ends_with_own_line(&self) -> bool {
        let last = self.written.lines().next_back().unwrap_or_default().trim_start();
        last.starts_with('#') || last.starts_with("```") || last.starts_with("~~~")
    }
}

/// Tells whether a line of Markdown begins a line of its own: a list item, a heading, a table row.
fn starts_a_line(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered =
        number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    is_numbered || ["- ", "* ", "+ ", "#", "|", ">"].iter().any(|start| line.starts_with(start))
}

/// Returns a space, but nothing between two characters of a script that is written without spaces.
fn space_between(before: &str, after: &str) -> &'static str {
    let is_wide = |c: Option<char>| c.is_some_and(|c| ('\u{2e80}'..='\u{ffef}').contains(&c));
    if is_wide(before.chars().next_back()) && is_wide(after.chars().next()) { "" } else { " " }
}

#[cfg(test)]
mod tests {
    use syn::{Attribute, parse::Parser};

    use super::*;

    fn text(source: &str) -> String {
        text_of(&Attribute::parse_outer.parse_str(source).unwrap())
    }

    #[test]
    fn lines_of_a_paragraph_are_joined_and_paragraphs_kept() {
        let source = "/// Adds two\n/// numbers.\n///\n///\n/// Both may be\n/// negative.\n///\n";
        assert_eq!(text(source), "Adds two numbers.\n\nBoth may be negative.");
    }

    #[test]
    fn lists_and_code_keep_their_lines() {
        let list = "/// Modes:\n/// - fast, which\n///   guesses\n///   - inner\n/// - slow\n";
        let code = "///\n/// ```\n/// a\n///\n///   b\n/// ```\n/// After.";
        assert_eq!(
            text(&format!("{list}{code}")),
            "Modes:\n- fast, which guesses\n  - inner\n- slow\n\n```\na\n\n  b\n```\nAfter."
        );
    }

    #[test]
    fn sections_for_programmers_are_left_out() {
        let errors = "/// # Errors\n/// Never.\n///\n/// ```\n/// # hidden\n/// ```\n";
        let source = format!("/// Reads.\n///\n{errors}///\n/// # Limits\n/// Ten.");
        assert_eq!(text(&source), "Reads.\n\n# Limits\nTen.");
    }

    #[test]
    fn block_comments_and_attributes_are_read_too() {
        assert_eq!(text("/** Reads\n * a file.\n *\n * Slowly. */"), "Reads a file.\n\nSlowly.");
        assert_eq!(text("#[doc = \"One.\"]\n#[doc(hidden)]\n#[inline]"), "One.");
        assert_eq!(text("///"), "");
    }

    #[test]
    fn chinese_lines_are_joined_without_a_space() {
        assert_eq!(text("/// 计算两个\n/// 数的和。"), "计算两个数的和。");
    }
}
