//! Reads plain JSON, and says whether a key of an object is there twice.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

/// Reads a text that is one JSON value; also says whether a key in it is repeated.
///
/// Of a repeated key the last one holds, as nearly everywhere.
pub(crate) fn read_plain(text: &str) -> serde_json::Result<(Value, bool)> {
    let mut is_repeated = false;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Noting(&mut is_repeated).deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, is_repeated))
}

/// Makes a value, and notes a repeated key.
struct Noting<'a>(&'a mut bool);

impl<'de> DeserializeSeed<'de> for Noting<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Noting<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(member) = members.next_element_seed(Noting(&mut *self.0))? {
            list.push(member);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(Noting(&mut *self.0))?;
            *self.0 |= fields.insert(key, value).is_some();
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_json_is_read_as_ever() {
        for text in [
            r#" {"a": ["\u00e9\ud83d\ude00", -1.5e3, 18446744073709551615, -7, true, null, {}]} "#,
            "1e400",
            "[1] 2",
            "{\"a\"",
            "",
        ] {
            let plain = serde_json::from_str::<Value>(text).ok();
            assert_eq!(read_plain(text).ok(), plain.map(|value| (value, false)), "{text}");
        }
        for depth in 120..135 {
            let text = "[".repeat(depth) + &"]".repeat(depth);
            let is_json = serde_json::from_str::<Value>(&text).is_ok();
            assert_eq!(read_plain(&text).is_ok(), is_json, "{depth}");
        }
    }

    #[test]
    fn a_repeated_key_is_told_at_any_depth() {
        for text in [r#"{"a": 1, "a": 2}"#, r#"[{"b": {"a": 1, "c": 0, "\u0061": 2}}]"#] {
            assert!(read_plain(text).unwrap().1, "{text}");
        }
    }
}
