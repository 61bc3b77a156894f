//! Rust text taken apart: what is code and what is comment, without the insides of strings.
//!
//! Rules look for words, and a word in a string or a comment means something else than in code.

/// One line, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The code, with empty strings in the place of full ones.
    pub(crate) code: String,
    /// The comment, with its slashes.
    pub(crate) comment: String,
}

/// Takes a file apart, line by line.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let mut scanner =
        Scanner { rest: text, place: Place::Code, line: Line::default(), done: vec![] };
    while let Some(next) = scanner.rest.chars().next() {
        if next == '\n' {
            scanner.end_line();
        } else {
            scanner.step(next);
        }
    }
    if scanner.line != Line::default() {
        scanner.done.push(scanner.line);
    }
    scanner.done
}

/// Returns the index of the line where the file's own tests begin, the end when it has none.
///
/// A mere `mod tests;` does not count: what follows it is still the file.
pub(crate) fn start_of_tests(lines: &[Line]) -> usize {
    let is_marker = |line: &Line| line.code.trim_start().starts_with("#[cfg(test)]");
    let opens = |rest: &[Line]| {
        let code = rest.iter().map(|line| line.code.trim().trim_start_matches("#[cfg(test)]"));
        let mut code = code.filter(|code| !code.is_empty() && !code.starts_with('#'));
        code.next().is_some_and(|code| is_module(code.trim()) && code.ends_with('{'))
    };
    let starts = (0..lines.len()).find(|&at| {
        let rest = lines.get(at..).unwrap_or_default();
        rest.first().is_some_and(is_marker) && opens(rest)
    });
    starts.unwrap_or(lines.len())
}

fn is_module(code: &str) -> bool {
    code.starts_with("mod ") || code.starts_with("pub mod ") || code.starts_with("pub(crate) mod ")
}

/// Where in the text the scanner stands.
#[derive(Clone, Copy)]
enum Place {
    Code,
    LineComment,
    /// How many comments are open inside each other.
    BlockComment(usize),
    Text,
    /// How many `#` close it.
    RawText(usize),
}

struct Scanner<'a> {
    rest: &'a str,
    place: Place,
    line: Line,
    done: Vec<Line>,
}

impl Scanner<'_> {
    fn end_line(&mut self) {
        self.skip(1);
        if matches!(self.place, Place::LineComment) {
            self.place = Place::Code;
        }
        self.done.push(std::mem::take(&mut self.line));
    }

    fn step(&mut self, next: char) {
        match self.place {
            Place::Code => self.code(next),
            Place::LineComment => self.comment(next.len_utf8()),
            Place::BlockComment(depth) => self.block_comment(next, depth),
            Place::Text => self.text(next),
            Place::RawText(hashes) => self.raw_text(next, hashes),
        }
    }

    fn code(&mut self, next: char) {
        if self.rest.starts_with("//") {
            self.place = Place::LineComment;
        } else if self.rest.starts_with("/*") {
            self.place = Place::BlockComment(1);
            self.comment(2);
        } else if let Some((length, hashes)) = self.raw_text_ahead() {
            self.line.code.push('"');
            self.place = Place::RawText(hashes);
            self.skip(length);
        } else if let Some(length) = character_ahead(self.rest) {
            self.line.code.push_str("' '");
            self.skip(length);
        } else {
            if next == '"' {
                self.place = Place::Text;
            }
            self.line.code.push(next);
            self.skip(next.len_utf8());
        }
    }

    fn block_comment(&mut self, next: char, depth: usize) {
        if self.rest.starts_with("/*") {
            self.place = Place::BlockComment(depth + 1);
            self.comment(2);
        } else if self.rest.starts_with("*/") {
            self.place = if depth > 1 { Place::BlockComment(depth - 1) } else { Place::Code };
            self.comment(2);
        } else {
            self.comment(next.len_utf8());
        }
    }

    fn text(&mut self, next: char) {
        if next == '"' {
            self.line.code.push('"');
            self.place = Place::Code;
        }
        // An escaped line end still ends the line.
        let escaped = next == '\\' && !self.rest.starts_with("\\\n");
        self.skip(next.len_utf8());
        if escaped {
            self.skip(self.rest.chars().next().map_or(0, char::len_utf8));
        }
    }

    fn raw_text(&mut self, next: char, hashes: usize) {
        let closes =
            next == '"' && leading_hashes(self.rest.get(1..).unwrap_or_default()) >= hashes;
        if closes {
            self.line.code.push('"');
            self.place = Place::Code;
            self.skip(1 + hashes);
        } else {
            self.skip(next.len_utf8());
        }
    }

    /// Returns the length of the opening of a raw string that begins here, and its hashes.
    fn raw_text_ahead(&self) -> Option<(usize, usize)> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if self.line.code.ends_with(is_name) {
            return None;
        }
        let prefix = ["r", "br", "cr"].into_iter().find(|prefix| {
            let rest = self.rest.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.trim_start_matches('#').starts_with('"'))
        })?;
        let hashes = leading_hashes(self.rest.get(prefix.len()..).unwrap_or_default());
        Some((prefix.len() + hashes + 1, hashes))
    }

    fn comment(&mut self, length: usize) {
        self.line.comment.push_str(self.rest.get(..length).unwrap_or_default());
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }
}

fn leading_hashes(text: &str) -> usize {
    text.len() - text.trim_start_matches('#').len()
}

/// Returns the length of a character such as `'"'`; nothing at a lifetime.
fn character_ahead(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('\'')?;
    let first = inner.chars().next()?;
    if first == '\\' {
        // The character after the backslash may be a quote itself.
        let after = inner.get(2..)?;
        return after.find('\'').map(|at| 1 + 2 + at + 1);
    }
    let closed = inner.get(first.len_utf8()..)?.starts_with('\'');
    (closed && first != '\n').then_some(1 + first.len_utf8() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Vec<String> {
        lines(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn comments_and_code_are_told_apart() {
        let lines = lines("let a = 1; // one\n/* two\n/* three */ */ let b;\n");
        assert_eq!(lines[0].code, "let a = 1; ");
        assert_eq!(lines[0].comment, "// one");
        assert_eq!(lines[1].comment, "/* two");
        assert_eq!((lines[2].code.as_str(), lines.len()), (" let b;", 3));
    }

    #[test]
    fn strings_are_emptied_and_hide_comments() {
        assert_eq!(
            code(r#"f("// no \" struct", 'x', '"', '\'', "b")"#),
            [r#"f("", ' ', ' ', ' ', "")"#]
        );
        assert_eq!(code("g(r#\"a \" // b\"#, br\"c\") // d"), ["g(\"\", \"\") "]);
        assert_eq!(code("h(\"one\\\ntwo\nthree\");"), ["h(\"", "", "\");"]);
    }

    #[test]
    fn lifetimes_and_raw_names_are_code() {
        assert_eq!(code("fn f<'a>(r#type: &'a str) {}"), ["fn f<'a>(r#type: &'a str) {}"]);
        assert_eq!(
            code("match c { '\\n' | '字' => bar\"x\" }"),
            ["match c { ' ' | ' ' => bar\"\" }"]
        );
    }

    #[test]
    fn tests_begin_at_their_module_and_not_at_a_declaration() {
        let start = |text| start_of_tests(&lines(text));
        assert_eq!(start("fn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n"), 2);
        assert_eq!(start("#[cfg(test)]\nmod tests;\nfn a() {}\n"), 3);
        assert_eq!(start("#[cfg(test)]\nfn only_in_tests() {}\nfn a() {}\n"), 3);
        assert_eq!(start("#[cfg(test)]\n#[expect(x)]\npub(crate) mod tests {\n"), 0);
    }
}
