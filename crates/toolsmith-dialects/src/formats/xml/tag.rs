//! The tags of the dialect: reads the head of one, without backtracking and within a bound.

use crate::cursor::{Look, More};

/// The longest head of a tag; what is longer is text.
const LONGEST_TAG: usize = 1_024;

/// The longest name and the longest prefix of a tag.
const LONGEST_WORD: usize = 32;

/// The longest name that the short way of reading looks at.
const USUAL_NAME: usize = 64;

/// What DSML puts before every name.
const DSML: &str = "｜DSML｜";

/// Which tag it is, whatever its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `function_calls` and its other names.
    Wrapper,
    /// `invoke`.
    Invoke,
    /// `parameter`.
    Parameter,
    /// `tool_name` of the older form.
    ToolName,
    /// `parameters` of the older form.
    Parameters,
    /// `function_results` and its other names, which only we write.
    Results,
}

/// Which end of an element it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Open,
    Close,
    /// Both at once: `<parameter name="a"/>`.
    Empty,
}

/// A tag that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) kind: Kind,
    pub(super) side: Side,
    /// The namespace prefix with its colon, `｜DSML｜`, or nothing.
    pub(super) prefix: &'a str,
    /// The attribute `name`.
    pub(super) name: Option<&'a str>,
    /// The attribute `id` or `call_id`.
    pub(super) id: Option<&'a str>,
    /// The attribute `string`: whether a value is raw text.
    pub(super) is_string: Option<bool>,
    /// How long the tag is, in bytes.
    pub(super) len: usize,
}

impl Tag<'_> {
    pub(super) fn is(&self, kind: Kind, side: Side) -> bool {
        self.kind == kind && self.side == side
    }

    /// Tells whether it opens an element that has a name attribute.
    pub(super) fn opens_named(&self, kind: Kind) -> bool {
        self.kind == kind && self.side != Side::Close && self.name.is_some()
    }
}

/// Tells whether a tag behind that of a call proves that it is no mention.
pub(super) fn proves_call(tag: &Tag<'_>) -> bool {
    tag.opens_named(Kind::Parameter)
        || tag.is(Kind::Invoke, Side::Close)
        || tag.is(Kind::Parameters, Side::Open)
}

/// Looks whether a text starts with a tag of the dialect.
pub(super) fn look_tag(text: &str, more: More) -> Look<Tag<'_>> {
    if let Some(tag) = usual_tag(text) {
        return Look::Yes(tag);
    }
    let mut scan = Scan::new(text);
    decided(scan.tag(), text, more)
}

/// Reads the tags that nearly all calls are made of; the scan finds the same, in more steps.
fn usual_tag(text: &str) -> Option<Tag<'_>> {
    let bytes = text.as_bytes();
    let (side, at) = match bytes.get(1)? {
        b'/' => (Side::Close, 2),
        b'i' | b'p' => (Side::Open, 1),
        _ => return None,
    };
    let behind = bytes.get(at..)?;
    let (kind, at) = if behind.starts_with(b"parameter") {
        (Kind::Parameter, at + "parameter".len())
    } else if behind.starts_with(b"invoke") {
        (Kind::Invoke, at + "invoke".len())
    } else {
        return None;
    };
    let mut tag =
        Tag { kind, side, prefix: "", name: None, id: None, is_string: None, len: at + 1 };
    if side == Side::Close {
        return (bytes.first() == Some(&b'<') && bytes.get(at) == Some(&b'>')).then_some(tag);
    }
    let start = at + " name=\"".len();
    let name = bytes.get(start..bytes.len().min(start + USUAL_NAME))?;
    let len = name.iter().position(|byte| matches!(byte, b'"' | b'\n'))?;
    if !text.get(at..)?.starts_with(" name=\"") || !text.get(start + len..)?.starts_with("\">") {
        return None;
    }
    tag.name = text.get(start..start + len).filter(|name| !name.is_empty());
    tag.len = start + len + "\">".len();
    (bytes.first() == Some(&b'<')).then_some(tag)
}

/// Looks whether a text starts with `<word>`; returns the word.
pub(super) fn look_element(text: &str, more: More) -> Look<&str> {
    let mut scan = Scan::new(text);
    decided(scan.element(), text, more)
}

/// Looks whether a text starts with `<tool_name>…</tool_name>`; returns the name and the length.
pub(super) fn look_tool_name(text: &str, more: More) -> Look<(&str, usize)> {
    let mut scan = Scan::new(text);
    decided(scan.tool_name(), text, more)
}

fn decided<T>(scanned: Result<T, Stop>, text: &str, more: More) -> Look<T> {
    match scanned {
        Ok(thing) => Look::Yes(thing),
        Err(Stop::End) if more == More::MayCome && text.len() < LONGEST_TAG => Look::Undecided,
        Err(Stop::End | Stop::Wrong) => Look::No,
    }
}

/// Why a scan stopped.
enum Stop {
    /// The text, or what may be looked at of it, is at its end.
    End,
    /// It is something else.
    Wrong,
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        Self { text, bytes: bytes.get(..LONGEST_TAG).unwrap_or(bytes), at: 0 }
    }

    fn peek(&self) -> Result<u8, Stop> {
        self.bytes.get(self.at).copied().ok_or(Stop::End)
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Reads a literal.
    fn literal(&mut self, literal: &str) -> Result<(), Stop> {
        for byte in literal.bytes() {
            if self.peek()? != byte {
                return Err(Stop::Wrong);
            }
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self) -> Result<&'a str, Stop> {
        let start = self.at;
        while is_word(self.peek()?) {
            self.at += 1;
            if self.at - start > LONGEST_WORD {
                return Err(Stop::Wrong);
            }
        }
        if self.at == start { Err(Stop::Wrong) } else { Ok(self.since(start)) }
    }

    fn skip_space(&mut self) -> Result<(), Stop> {
        while self.peek()?.is_ascii_whitespace() {
            self.at += 1;
        }
        Ok(())
    }

    fn tag(&mut self) -> Result<Tag<'a>, Stop> {
        self.literal("<")?;
        let side = self.side()?;
        let (prefix, kind) = self.kind()?;
        let mut tag = Tag { kind, side, prefix, name: None, id: None, is_string: None, len: 0 };
        if !(self.peek()?.is_ascii_whitespace() || matches!(self.peek()?, b'>' | b'/')) {
            return Err(Stop::Wrong);
        }
        loop {
            self.skip_space()?;
            match self.peek()? {
                b'>' => break,
                b'/' if side == Side::Open => {
                    self.literal("/>")?;
                    tag.side = Side::Empty;
                    self.at -= 1;
                    break;
                }
                _ if side == Side::Close => return Err(Stop::Wrong),
                _ => self.attribute(&mut tag)?,
            }
        }
        tag.len = self.at + 1;
        Ok(tag)
    }

    fn side(&mut self) -> Result<Side, Stop> {
        if self.peek()? == b'/' {
            self.at += 1;
            return Ok(Side::Close);
        }
        Ok(Side::Open)
    }

    fn kind(&mut self) -> Result<(&'a str, Kind), Stop> {
        let start = self.at;
        if !self.peek()?.is_ascii() {
            self.literal(DSML)?;
            let prefix = self.since(start);
            if self.peek()? == b' ' {
                self.at += 1;
            }
            return Ok((prefix, kind_of(prefix, self.word()?)?));
        }
        let word = self.word()?;
        if self.peek()? != b':' {
            return Ok(("", kind_of("", word)?));
        }
        self.at += 1;
        let prefix = self.since(start);
        Ok((prefix, kind_of(prefix, self.word()?)?))
    }

    fn attribute(&mut self, tag: &mut Tag<'a>) -> Result<(), Stop> {
        let key = self.word()?;
        self.skip_space()?;
        if self.peek()? != b'=' {
            return Ok(());
        }
        self.at += 1;
        self.skip_space()?;
        let value = self.attribute_value()?;
        match key {
            "name" => tag.name = Some(value).filter(|name| !name.is_empty()),
            "id" | "call_id" => tag.id = Some(value),
            "string" => tag.is_string = Some(value == "true"),
            _ => {}
        }
        Ok(())
    }

    fn attribute_value(&mut self) -> Result<&'a str, Stop> {
        let quote = self.peek()?;
        if !matches!(quote, b'"' | b'\'') {
            return self.bare_value();
        }
        self.at += 1;
        let start = self.at;
        while self.peek()? != quote {
            if self.peek()? == b'\n' {
                return Err(Stop::Wrong);
            }
            self.at += 1;
        }
        let value = self.since(start);
        self.at += 1;
        Ok(value)
    }

    fn bare_value(&mut self) -> Result<&'a str, Stop> {
        let start = self.at;
        while !matches!(self.peek()?, b'>' | b' ' | b'\t' | b'\n' | b'\r') {
            if matches!(self.peek()?, b'<' | b'"' | b'\'' | b'=') {
                return Err(Stop::Wrong);
            }
            self.at += 1;
        }
        Ok(self.since(start))
    }

    fn element(&mut self) -> Result<&'a str, Stop> {
        self.literal("<")?;
        let word = self.word()?;
        self.literal(">")?;
        Ok(word)
    }

    fn tool_name(&mut self) -> Result<(&'a str, usize), Stop> {
        self.literal("<tool_name>")?;
        let start = self.at;
        while self.peek()? != b'<' {
            self.at += 1;
        }
        let name = self.since(start).trim();
        self.literal("</tool_name>")?;
        if name.is_empty() { Err(Stop::Wrong) } else { Ok((name, self.at)) }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn kind_of(prefix: &str, name: &str) -> Result<Kind, Stop> {
    match name {
        "parameter" => Ok(Kind::Parameter),
        "invoke" => Ok(Kind::Invoke),
        "function_calls" | "tool_calls" | "tool_call" => Ok(Kind::Wrapper),
        "calls" if prefix == DSML => Ok(Kind::Wrapper),
        "tool_name" => Ok(Kind::ToolName),
        "parameters" => Ok(Kind::Parameters),
        "function_results" | "function_result" | "tool_results" | "tool_result" => {
            Ok(Kind::Results)
        }
        _ => Err(Stop::Wrong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> Option<Tag<'_>> {
        match look_tag(text, More::Never) {
            Look::Yes(tag) => Some(tag),
            Look::No | Look::Undecided => None,
        }
    }

    #[test]
    fn every_spelling_is_read() {
        for (text, kind, side, prefix, name) in [
            ("<function_calls>", Kind::Wrapper, Side::Open, "", None),
            ("</ns:function_calls>", Kind::Wrapper, Side::Close, "ns:", None),
            ("<minimax:tool_call>", Kind::Wrapper, Side::Open, "minimax:", None),
            ("<｜DSML｜ calls>", Kind::Wrapper, Side::Open, DSML, None),
            ("</｜DSML｜invoke >", Kind::Invoke, Side::Close, DSML, None),
            ("<invoke name=\"x\">", Kind::Invoke, Side::Open, "", Some("x")),
            ("<invoke name='x' call_id=\"9\">", Kind::Invoke, Side::Open, "", Some("x")),
            ("<invoke\n name = x>", Kind::Invoke, Side::Open, "", Some("x")),
            ("<invoke name=\"x\" />", Kind::Invoke, Side::Empty, "", Some("x")),
            ("<parameter name=\"a>b\">", Kind::Parameter, Side::Open, "", Some("a>b")),
        ] {
            let read = tag(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.kind, read.side, read.prefix, read.name), (kind, side, prefix, name));
            assert_eq!(read.len, text.len(), "{text}");
        }
        assert_eq!(tag("<invoke name='x' call_id='9'>").unwrap().id, Some("9"));
        assert_eq!(tag("<parameter name='x' string='false'>").unwrap().is_string, Some(false));
    }

    #[test]
    fn the_short_way_and_the_scan_agree() {
        for text in [
            "<invoke name=\"x\">",
            "<parameter name=\"a>b\"> tail",
            "<parameter name=\"\">",
            "</parameter>",
            "</invoke>",
            "</invoke x>",
            "<parameter name=\"x\n\">",
            "<parameter name=\"x\" string=\"true\">",
            "<parameters name=\"x\">",
            "xinvoke name=\"x\">",
            "<parameter name=\"观\">",
        ] {
            let scanned = Scan::new(text).tag().ok();
            let short = usual_tag(text);
            assert!(short.is_none() || short == scanned, "{text}: {short:?} {scanned:?}");
        }
        assert!(usual_tag("<invoke name=\"x\">").is_some());
        assert!(usual_tag("</parameter>").is_some());
    }

    #[test]
    fn other_things_are_not_tags_of_the_dialect() {
        for text in [
            "<",
            "<div>",
            "< invoke>",
            "<invoked>",
            "<invoke name=\"x\"",
            "<invoke name=\"x\n\">",
            "</invoke name=\"x\">",
            "<invoke <invoke>",
            "<calls>",
            "<｜tool▁calls▁begin｜>",
        ] {
            assert_eq!(tag(text), None, "{text}");
        }
    }

    #[test]
    fn a_start_is_undecided_until_it_is_too_long() {
        let text = "<parameter name=\"room\" string=\"true\">";
        for cut in 0..text.len() {
            assert_eq!(look_tag(&text[..cut], More::MayCome), Look::Undecided, "{cut}");
        }
        let long = format!("<invoke name=\"{}", "a".repeat(LONGEST_TAG));
        assert_eq!(look_tag(&long, More::MayCome), Look::No);
    }
}
