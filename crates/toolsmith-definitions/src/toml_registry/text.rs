//! TOML → the tree that YAML gives, with the place of everything.

use serde_json::Number;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use crate::yaml::{Content, Entry, MAX_BYTES, MAX_DEPTH, Node, YamlError};

/// Reads a text.
pub(crate) fn parse(text: &str) -> Result<Node, YamlError> {
    if text.len() > MAX_BYTES {
        let message = format!("the text is longer than {MAX_BYTES} bytes");
        return Err(YamlError { line: 1, column: 1, message });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let places = Places::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        places.error(at, format!("this is not valid TOML: {}", error.message()))
    })?;
    let value = map(table.get_ref(), &places, 0)?;
    Ok(Node { value, line: 1, column: 1 })
}

fn node(
    value: &DeValue<'_>,
    at: usize,
    places: &Places<'_>,
    depth: usize,
) -> Result<Node, YamlError> {
    if depth >= MAX_DEPTH {
        let message = format!("lists and tables nest deeper than {MAX_DEPTH} levels");
        return Err(places.error(at, message));
    }
    let value = match value {
        DeValue::String(text) => Content::Text(text.to_string()),
        DeValue::Integer(number) => {
            let number = integer(number);
            Content::Number(number.ok_or_else(|| places.error(at, "the number is too large"))?)
        }
        DeValue::Float(number) => {
            let number = float(number);
            Content::Number(number.ok_or_else(|| places.error(at, "expected a finite number"))?)
        }
        DeValue::Boolean(flag) => Content::Bool(*flag),
        DeValue::Datetime(moment) => Content::Text(moment.to_string()),
        DeValue::Array(items) => {
            let each =
                items.iter().map(|item| node(item.get_ref(), item.span().start, places, depth + 1));
            Content::List(each.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => map(table, places, depth)?,
    };
    let (line, column) = places.of_byte(at);
    Ok(Node { value, line, column })
}

fn map(table: &DeTable<'_>, places: &Places<'_>, depth: usize) -> Result<Content, YamlError> {
    let mut pairs: Vec<_> = table.iter().collect();
    // The library sorts by name, people by writing.
    pairs.sort_by_key(|(key, _)| key.span().start);
    let mut entries = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let (line, column) = places.of_byte(key.span().start);
        let value = node(value.get_ref(), value.span().start, places, depth + 1)?;
        entries.push(Entry { key: key.get_ref().to_string(), line, column, value });
    }
    Ok(Content::Map(entries))
}

fn integer(number: &DeInteger<'_>) -> Option<Number> {
    let (digits, radix) = (number.as_str(), number.radix());
    let signed = i64::from_str_radix(digits, radix).map(Number::from);
    signed.or_else(|_| u64::from_str_radix(digits, radix).map(Number::from)).ok()
}

fn float(number: &DeFloat<'_>) -> Option<Number> {
    number.as_str().parse().ok().and_then(Number::from_f64)
}

/// Where the lines of a text begin.
struct Places<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Places<'t> {
    fn of(text: &'t str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Returns line and column of a byte, both from 1, the column in characters.
    fn of_byte(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line)).copied();
        let before = self.text.get(start.unwrap_or(0)..at);
        (line.max(1), before.map_or(1, |before| before.chars().count() + 1))
    }

    fn error(&self, at: usize, message: impl Into<String>) -> YamlError {
        let (line, column) = self.of_byte(at);
        YamlError { line, column, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_keep_their_places_and_their_order() {
        let node =
            parse("z = 1 # 一\n[b]\na = { 'x y' = [1.5, 0x1F] }\n\"键\" = 1979-05-27\n").unwrap();
        let expected = json!({"z": 1, "b": {"a": {"x y": [1.5, 31]}, "键": "1979-05-27"}});
        assert_eq!(node.to_json().to_string(), expected.to_string());
        let b = node.entry("b").unwrap();
        assert_eq!((b.line, b.column), (2, 2));
        let key = b.value.entry("键").unwrap();
        assert_eq!((key.line, key.column, key.value.line, key.value.column), (4, 1, 4, 7));
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        let shown = |text: &str| parse(text).unwrap_err().to_string();
        assert!(shown("a = 1\nb = [1,\n").starts_with("2:"), "{}", shown("a = 1\nb = [1,\n"));
        assert!(shown("a = 1\na = 2\n").starts_with("2:1: this is not valid TOML: "));
        assert_eq!(shown("a = inf"), "1:5: expected a finite number");
        assert_eq!(shown("a = 99999999999999999999"), "1:5: the number is too large");
        let deep = format!("a = {}{}", "[".repeat(70), "]".repeat(70));
        assert!(shown(&deep).ends_with("nest deeper than 64 levels"), "{}", shown(&deep));
        let deep = format!("a = {}", "[".repeat(100_000));
        assert!(shown(&deep).contains("not valid TOML"), "{}", shown(&deep));
        let dotted = format!("a{} = 1", ".a".repeat(70));
        assert!(shown(&dotted).contains("nest deeper"), "{}", shown(&dotted));
        assert!(parse(&"#".repeat(MAX_BYTES + 1)).is_err());
    }
}
