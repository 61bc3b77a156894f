//! JSON of strangers, read strictly.
//!
//! Of two members with one name, readers keep the first or the last: who checks a text and who
//! acts on it may read two different things. Such texts are refused.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::map::Entry;
use toolsmith_core::{Map, Value};

/// Reads a value in which no object has two members of one name.
pub(crate) fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Strict.deserialize(deserializer)
}

/// The same for an object.
pub(crate) fn strict_map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    match strict(deserializer)? {
        Value::Object(map) => Ok(map),
        _ => Err(D::Error::custom("expected an object")),
    }
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(Self)?;
            match map.entry(name) {
                Entry::Vacant(place) => place.insert(value),
                Entry::Occupied(other) => {
                    let name = other.key();
                    return Err(A::Error::custom(format_args!("`{name}` is there twice")));
                }
            };
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Value, serde_json::Error> {
        strict(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn it_reads_what_any_reader_reads() {
        for text in
            ["null", "[1,-2,3.5,true,\"a\\u00e9\"]", r#"{"b":{"a":[{}]},"a":18446744073709551615}"#]
        {
            assert_eq!(read(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        }
    }

    #[test]
    fn a_name_that_is_there_twice_is_refused_wherever_it_is() {
        for text in [r#"{"a":1,"a":2}"#, r#"[{"b":{"a":1,"\u0061":1}}]"#] {
            assert!(read(text).unwrap_err().to_string().contains("`a` is there twice"), "{text}");
        }
    }
}
