//! What a scalar means.

use saphyr::{Scalar, ScalarStyle, Tag};
use serde_json::Number;

use super::Content;

/// Decides what a scalar means by the core schema of YAML 1.2.
pub(super) fn resolve(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<Content, String> {
    check(tag)?;
    // The library knows integers up to 64 bits with a sign; JSON has those without one too.
    if let (ScalarStyle::Plain, None, Ok(number)) = (style, tag, text.parse::<u64>()) {
        return Ok(Content::Number(number.into()));
    }
    let tag = tag.cloned().map(std::borrow::Cow::Owned);
    let scalar = Scalar::parse_from_cow_and_metadata(text.into(), style, tag.as_ref());
    Ok(match scalar.ok_or_else(|| format!("{text:?} does not fit its tag"))? {
        Scalar::Null => Content::Null,
        Scalar::Boolean(value) => Content::Bool(value),
        Scalar::Integer(number) => Content::Number(number.into()),
        Scalar::FloatingPoint(number) => {
            Content::Number(Number::from_f64(number.into_inner()).ok_or_else(|| {
                format!("`{text}` is not a finite number; put it in quotes if it is text")
            })?)
        }
        Scalar::String(text) => Content::Text(text.into_owned()),
    })
}

/// Refuses tags outside the core schema: they mean nothing here, and dropping them would surprise.
pub(super) fn check(tag: Option<&Tag>) -> Result<(), String> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema() => {
            Err(format!("the tag `{tag}` is not known here; remove it"))
        }
        _ => Ok(()),
    }
}

/// Rewrites `\ud83d\ude00` as `😀`; nothing when the text has no such pair.
pub(super) fn join_surrogates(text: &str) -> Option<String> {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        let (before, from) = rest.split_at(start);
        joined.push_str(before);
        let pair = (escape(from), from.get(6..).and_then(escape));
        let taken = if let (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) = pair {
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            joined.extend(char::from_u32(code));
            12
        } else {
            // An escaped backslash is taken whole, so that `\\ud83d` stays what it is.
            let taken = if from.starts_with("\\\\") { 2 } else { 1 };
            joined.push_str(from.get(..taken).unwrap_or_default());
            taken
        };
        rest = from.get(taken..).unwrap_or_default();
    }
    joined.push_str(rest);
    (joined != text).then_some(joined)
}

/// Reads `\uXXXX` at the beginning of a text.
fn escape(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
