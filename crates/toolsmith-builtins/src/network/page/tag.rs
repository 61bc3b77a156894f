//! Counts the attributes of a tag while it is being parsed.
//!
//! The parser compares each attribute with those before it, and shows nothing of a tag until it is
//! complete. A tag of a few megabytes would hold it for minutes.

/// How many attributes can be compared while one node is looked at.
const COMPARED: usize = 4;

/// Follows a tag through pieces of a page, as the standard takes tags apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TagReader {
    place: Place,
    attributes: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Between tags.
    #[default]
    Outside,
    /// In a comment, whose end the parser knows.
    Comment,
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Unquoted,
    Quoted(u8),
}

impl TagReader {
    /// Reads the next piece of a page; returns what comparing its attributes costs.
    pub(super) fn read(&mut self, piece: &str) -> usize {
        if self.place == Place::Outside {
            self.attributes = 0;
            self.place = match piece {
                piece if piece.starts_with("<!--") => Place::Comment,
                // These end at the first `>`, which also ends the piece.
                piece if piece.starts_with("<!") || piece.starts_with("<?") => Place::Outside,
                piece if piece.starts_with('<') => Place::TagName,
                _ => Place::Outside,
            };
        }
        let mut cost = 0;
        for byte in piece.bytes() {
            let next = self.place.after(byte);
            if next == Place::Name && self.place != Place::Name {
                self.attributes += 1;
                cost += 1 + self.attributes / COMPARED;
            }
            self.place = next;
        }
        cost
    }
}

impl Place {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Quoted(quote), byte) if byte == quote => Self::BeforeName,
            (Self::Outside | Self::Comment | Self::Quoted(_), _) => self,
            (_, b'>') => Self::Outside,
            (Self::BeforeValue, b'"' | b'\'') => Self::Quoted(byte),
            (Self::BeforeValue, byte) if is_blank(byte) => self,
            (Self::BeforeValue, _) => Self::Unquoted,
            (Self::Name | Self::AfterName, b'=') => Self::BeforeValue,
            (Self::Name | Self::AfterName, byte) if is_blank(byte) => Self::AfterName,
            (Self::TagName | Self::Unquoted, byte) if is_blank(byte) => Self::BeforeName,
            (Self::Unquoted, _) => self,
            (_, b'/') => Self::BeforeName,
            (Self::TagName, _) => self,
            (Self::BeforeName, byte) if is_blank(byte) => self,
            (Self::BeforeName | Self::Name | Self::AfterName, _) => Self::Name,
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(pieces: &[&str]) -> usize {
        let mut reader = TagReader::default();
        for piece in pieces {
            reader.read(piece);
        }
        reader.attributes
    }

    #[test]
    fn attributes_are_counted_as_the_standard_takes_them_apart() {
        for (tag, count) in [
            ("<a>", 0),
            ("<a b c=d e = f>", 3),
            ("<a b=\"c d / e\" f='\" g'>", 2),
            ("<a b=\"c\"d='e'f>", 3),
            ("<a/b/c/>", 2),
            ("<a b=c/d=\"e f g\">", 3),
            ("<a b = 'c' = d>", 3),
            ("<img src=data:image/png;base64,a/b/c/d>", 1),
            ("text a b c", 0),
            ("<!-- a b c -->", 0),
            ("<!DOCTYPE a b c>", 0),
        ] {
            assert_eq!(attributes(&[tag]), count, "{tag}");
        }
        assert_eq!(attributes(&["<a b c='>", "' d", "e f>"]), 4);
        assert_eq!(attributes(&["<!-- ", "<a b c>"]), 0);
        assert_eq!(attributes(&["<a b c>", "<a b>"]), 1);
    }

    #[test]
    fn many_attributes_cost_their_square() {
        let cost = |count: usize| TagReader::default().read(&format!("<a{}>", " b".repeat(count)));
        assert!(cost(20) < 100, "{}", cost(20));
        assert!(cost(20_000) > 20_000_000, "{}", cost(20_000));
    }
}
