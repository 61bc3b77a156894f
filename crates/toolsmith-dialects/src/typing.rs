//! Gives the text of a parameter the type that the tool wants.

use std::borrow::Cow;

use serde_json::{Number, Value};

use crate::{
    Repairs, Wanted,
    json::{Fix, repair},
};

/// What is odd about a typed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypingNote {
    /// It was near-JSON, and these repairs were made.
    Repaired(Vec<Fix>),
    /// It fits no type that is wanted, and stays the raw string.
    DoesNotFit,
}

/// Gives a text the type that is wanted; what does not fit stays the raw string.
///
/// A string is kept to the byte. Where a string is one of several types, the others are tried
/// first: `5` for a string or an integer is the number.
pub fn type_text<'a>(
    raw: impl Into<Cow<'a, str>>,
    wanted: Wanted,
    repairs: Repairs,
) -> (Value, Option<TypingNote>) {
    let raw = raw.into();
    if wanted == Wanted::STRING {
        return (Value::String(raw.into_owned()), None);
    }
    let text = raw.trim();
    if let Some(value) = scalar(text, wanted) {
        return (value, None);
    }
    if let Some((value, fixes)) = structure(text, wanted, repairs) {
        let note = (!fixes.is_empty()).then_some(TypingNote::Repaired(fixes));
        return (value, note);
    }
    // Only where nothing is said about the type can quotes be the model's way to write a string.
    if wanted == Wanted::ANY
        && text.starts_with('"')
        && let Ok(Value::String(inner)) = serde_json::from_str(text)
    {
        return (Value::String(inner), None);
    }
    let note = (!wanted.has(Wanted::STRING)).then_some(TypingNote::DoesNotFit);
    (Value::String(raw.into_owned()), note)
}

fn scalar(text: &str, wanted: Wanted) -> Option<Value> {
    if wanted.has(Wanted::NULL) && (text.eq_ignore_ascii_case("null") || text == "None") {
        return Some(Value::Null);
    }
    if wanted.has(Wanted::BOOLEAN) {
        if text.eq_ignore_ascii_case("true") {
            return Some(Value::Bool(true));
        }
        if text.eq_ignore_ascii_case("false") {
            return Some(Value::Bool(false));
        }
    }
    if !wanted.has(Wanted::INTEGER | Wanted::NUMBER)
        || !text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
    {
        return None;
    }
    if let Some(number) = small(text) {
        return Some(Value::Number(number));
    }
    // The grammar of JSON, so that `03106` stays the postal code that it is.
    let number: Number = serde_json::from_str(text).ok()?;
    if wanted.has(Wanted::NUMBER) || !number.is_f64() {
        return Some(Value::Number(number));
    }
    whole(number.as_f64()?).map(Value::Number)
}

/// Reads a whole number of a few digits, as nearly all are.
fn small(text: &str) -> Option<Number> {
    const MOST_DIGITS: usize = 18;
    if text.is_empty() || text.len() > MOST_DIGITS || (text.starts_with('0') && text != "0") {
        return None;
    }
    let number = text.bytes().try_fold(0_u64, |sum, byte| {
        byte.is_ascii_digit().then(|| sum * 10 + u64::from(byte - b'0'))
    });
    number.map(Number::from)
}

/// Returns `140.0` as the whole number it is.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked first")]
fn whole(number: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then(|| Number::from(number as i64))
}

fn structure(text: &str, wanted: Wanted, repairs: Repairs) -> Option<(Value, Vec<Fix>)> {
    let fits = |value: &Value| match value {
        Value::Array(_) => wanted.has(Wanted::ARRAY),
        Value::Object(_) => wanted.has(Wanted::OBJECT),
        _ => false,
    };
    if !text.starts_with(['[', '{', '"']) || !wanted.has(Wanted::ARRAY | Wanted::OBJECT) {
        return None;
    }
    match serde_json::from_str(text) {
        Ok(Value::String(inner)) if wanted != Wanted::ANY => {
            let value = serde_json::from_str(&inner).ok().filter(fits)?;
            Some((value, vec![Fix::DoubleEncoded]))
        }
        Ok(value) => Some((value, Vec::new())).filter(|(value, _)| fits(value)),
        Err(_) if repairs == Repairs::Refuse || text.starts_with('"') => None,
        // Any text may start with a bracket: only where a string is not wanted is it near-JSON.
        Err(_) if wanted.has(Wanted::STRING) => None,
        Err(_) => repair(text)
            .map(|repaired| (repaired.value, repaired.fixes))
            .filter(|(value, _)| fits(value)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn typed(raw: &str, wanted: Wanted) -> Value {
        type_text(raw, wanted, Repairs::Try).0
    }

    #[test]
    fn values_get_the_wanted_type() {
        let number = Wanted::NUMBER | Wanted::INTEGER;
        for (raw, wanted, value) in [
            (" 5\n", Wanted::STRING, json!(" 5\n")),
            (" 5\n", Wanted::INTEGER, json!(5)),
            ("0", Wanted::INTEGER, json!(0)),
            ("999999999999999999", Wanted::INTEGER, json!(999_999_999_999_999_999_u64)),
            ("1000000000000000000", Wanted::INTEGER, json!(1_000_000_000_000_000_000_u64)),
            ("140.0", Wanted::INTEGER, json!(140)),
            ("1.5", number, json!(1.5)),
            ("-2", number, json!(-2)),
            ("18446744073709551615", Wanted::INTEGER, json!(18_446_744_073_709_551_615_u64)),
            ("True", Wanted::BOOLEAN, json!(true)),
            ("NULL", Wanted::STRING | Wanted::NULL, json!(null)),
            ("None", Wanted::INTEGER | Wanted::NULL, json!(null)),
            ("[1, 2]", Wanted::ARRAY, json!([1, 2])),
            ("{\"a\": {}}", Wanted::OBJECT, json!({"a": {}})),
            ("5", Wanted::STRING | Wanted::INTEGER, json!(5)),
            ("\"[1]\"", Wanted::ARRAY, json!([1])),
            ("\"5\"", Wanted::ANY, json!("5")),
            ("[1]", Wanted::ANY, json!([1])),
        ] {
            assert_eq!(typed(raw, wanted), value, "{raw:?} {wanted:?}");
        }
    }

    #[test]
    fn what_does_not_fit_stays_the_raw_string_and_is_noted() {
        for (raw, wanted) in [
            ("03106", Wanted::INTEGER),
            ("2026-01-15", Wanted::INTEGER),
            ("1.5", Wanted::INTEGER),
            ("yes", Wanted::BOOLEAN),
            ("[1", Wanted::OBJECT),
            ("{\"a\": \"", Wanted::OBJECT),
        ] {
            let (value, note) = type_text(raw, wanted, Repairs::Try);
            assert_eq!((value, note), (json!(raw), Some(TypingNote::DoesNotFit)), "{raw}");
        }
    }

    #[test]
    fn text_that_only_looks_like_json_stays_a_string_where_a_string_is_wanted() {
        let either = Wanted::STRING | Wanted::ARRAY;
        assert_eq!(typed("[link](a)", either), json!("[link](a)"));
        assert_eq!(typed("['a']", Wanted::ARRAY), json!(["a"]));
    }
}
