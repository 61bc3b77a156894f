//! Coercion: for models that quote everything.
//!
//! A value is turned only when its type is none that the schema allows there, and only when
//! nothing of it is lost: `"3"` becomes 3, but `"3 apples"` stays what it is and is refused.

use serde_json::{Number, Value};

use super::{
    bounds::{Steps, TooMuch, WALKING_STEPS},
    problems::push_segment,
    shape::{Node, NodeId, Shape},
    types::Types,
};

/// Whole numbers up to here are exact in a 64-bit float.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Shape {
    /// Turns what can be turned, to so many levels; returns the places, as JSON Pointers.
    pub(super) fn coerce(&self, value: &mut Value, depth: usize) -> Result<Vec<String>, TooMuch> {
        let mut walk = Walk {
            shape: self,
            path: String::new(),
            turned: Vec::new(),
            steps: Steps::new(WALKING_STEPS),
        };
        walk.visit(Self::ROOT, value, depth)?;
        Ok(walk.turned)
    }
}

/// Turns a value into one of the allowed types, if it has none of them yet.
pub(super) fn turned(value: &Value, types: Types) -> Option<Value> {
    if types.holds(Types::of(value)) {
        return None;
    }
    match value {
        Value::String(text) => from_text(text.trim(), types),
        Value::Bool(_) | Value::Number(_) if types.without(Types::NULL) == Types::STRING => {
            Some(Value::String(value.to_string()))
        }
        _ => None,
    }
}

fn from_text(text: &str, types: Types) -> Option<Value> {
    let read = match text.as_bytes().first()? {
        // Some models write Python.
        b't' | b'T' if matches!(text, "true" | "True") => Value::Bool(true),
        b'f' | b'F' if matches!(text, "false" | "False") => Value::Bool(false),
        b'-' | b'0'..=b'9' => number(text, types)?,
        b'[' | b'{' => serde_json::from_str(text).ok()?,
        _ => return None,
    };
    types.holds(Types::of(&read)).then_some(read)
}

/// Reads a number; a whole one is written as such where only whole ones are allowed.
fn number(text: &str, types: Types) -> Option<Value> {
    let number: Number = serde_json::from_str(text).ok()?;
    match number.as_f64() {
        Some(value) if number.is_f64() && !types.holds(Types::FRACTION) => {
            let is_exact = value.fract() == 0.0 && value.abs() <= EXACT;
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
            is_exact.then(|| Value::from(value as i64))
        }
        _ => Some(Value::Number(number)),
    }
}

struct Walk<'a> {
    shape: &'a Shape,
    path: String,
    turned: Vec<String>,
    steps: Steps,
}

impl Walk<'_> {
    fn visit(&mut self, id: NodeId, value: &mut Value, depth: usize) -> Result<(), TooMuch> {
        let node = self.shape.node(id);
        if let Some(turned) = turned(value, node.types) {
            *value = turned;
            self.turned.push(self.path.clone());
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
        if !(value.is_object() || value.is_array()) {
            return Ok(());
        }
        self.visit_part(node, value, depth)?;
        for part in node.parts.iter().chain(&node.likely) {
            self.visit_part(self.shape.node(*part), value, depth)?;
        }
        Ok(())
    }

    fn visit_part(&mut self, part: &Node, value: &mut Value, depth: usize) -> Result<(), TooMuch> {
        self.steps.take(1 + part.fields.len() as u64)?;
        match value {
            Value::Object(fields) => {
                for (name, id) in &part.fields {
                    if let Some(field) = fields.get_mut(name.as_ref()) {
                        self.step(name, *id, field, depth)?;
                    }
                }
                let Some(rest) = part.rest else { return Ok(()) };
                let others = fields.iter_mut();
                for (name, field) in others.filter(|(name, _)| !part.named.contains(name.as_str()))
                {
                    self.step(name, rest, field, depth)?;
                }
            }
            Value::Array(items) => {
                let ids = part.prefix.iter().copied().chain(part.items.into_iter().cycle());
                for (at, (item, id)) in items.iter_mut().zip(ids).enumerate() {
                    self.step(&at.to_string(), id, item, depth)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn step(
        &mut self,
        name: &str,
        id: NodeId,
        value: &mut Value,
        depth: usize,
    ) -> Result<(), TooMuch> {
        let length = self.path.len();
        push_segment(&mut self.path, name);
        self.visit(id, value, depth)?;
        self.path.truncate(length);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn quoted_scalars_become_what_is_wanted() {
        for (text, types, wanted) in [
            ("3", Types::INTEGER, json!(3)),
            (" -3 ", Types::INTEGER, json!(-3)),
            ("3.0", Types::INTEGER, json!(3)),
            ("18446744073709551615", Types::INTEGER, json!(u64::MAX)),
            ("3", Types::NUMBER, json!(3)),
            ("3.5", Types::NUMBER, json!(3.5)),
            ("1e3", Types::NUMBER, json!(1000.0)),
            ("true", Types::BOOLEAN, json!(true)),
            ("False", Types::BOOLEAN, json!(false)),
            ("3", Types::INTEGER.or(Types::NULL), json!(3)),
        ] {
            assert_eq!(turned(&json!(text), types), Some(wanted), "{text}");
        }
    }

    #[test]
    fn quoted_lists_and_objects_are_unwrapped() {
        assert_eq!(turned(&json!("[1, 2]"), Types::ARRAY), Some(json!([1, 2])));
        assert_eq!(turned(&json!("{\"a\": 1}"), Types::OBJECT), Some(json!({"a": 1})));
        assert_eq!(turned(&json!("[1, 2]"), Types::OBJECT), None);
        assert_eq!(turned(&json!("[1, 2"), Types::ARRAY), None);
    }

    #[test]
    fn plain_scalars_become_text_where_only_text_will_do() {
        assert_eq!(turned(&json!(3), Types::STRING), Some(json!("3")));
        assert_eq!(turned(&json!(2.5), Types::STRING.or(Types::NULL)), Some(json!("2.5")));
        assert_eq!(turned(&json!(true), Types::STRING), Some(json!("true")));
        assert_eq!(turned(&json!(3), Types::STRING.or(Types::BOOLEAN)), None);
        assert_eq!(turned(&json!([3]), Types::STRING), None);
    }

    #[test]
    fn nothing_is_guessed() {
        for (text, types) in [
            ("3 apples", Types::INTEGER),
            ("3.5", Types::INTEGER),
            ("1e300", Types::INTEGER),
            ("NaN", Types::NUMBER),
            ("1e999", Types::NUMBER),
            ("007", Types::INTEGER),
            ("0x10", Types::INTEGER),
            ("yes", Types::BOOLEAN),
            ("null", Types::NULL),
            ("", Types::INTEGER),
            ("a", Types::ARRAY),
        ] {
            assert_eq!(turned(&json!(text), types), None, "{text}");
        }
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(turned(&json!("3"), Types::STRING.or(Types::INTEGER)), None);
        assert_eq!(turned(&json!(3.0), Types::INTEGER), None);
    }
}
