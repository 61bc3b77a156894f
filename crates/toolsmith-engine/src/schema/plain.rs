//! Checks against schemas of usual words, without the validator.
//!
//! Most schemas of tools are a list of parameters with their types and a few bounds. Such a schema is
//! read into rules that tell whether a value fits; the validator, which is large, is made when
//! something has to be explained, and for schemas that say more.

use serde_json::{Map, Value};

use super::types::Types;

/// The largest bound that numbers are compared with here: below it no number is rounded across it.
const LARGEST: f64 = 4_503_599_627_370_496.0;

/// What a value has to be: it keeps every rule.
#[derive(Debug, Default)]
pub(super) struct Plain(Vec<Rule>);

#[derive(Debug)]
enum Rule {
    Types(Types),
    /// One of these values, none of which has parts.
    Among(Vec<Value>),
    Members(Members),
    Required(Vec<String>),
    Items(Plain),
    /// How many members, items or characters there may be.
    Size(Types, Limit, usize),
    Number(Limit, f64),
    All(Vec<Plain>),
    Any(Vec<Plain>),
    One(Vec<Plain>),
    Never,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// The members of an object.
#[derive(Debug)]
struct Members {
    /// Those that are named, in the order of their names.
    named: Vec<(String, Plain)>,
    rest: Option<Plain>,
}

impl Plain {
    /// Reads a schema of usual words; nothing when it says more than rules can tell.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let words = match schema {
            Value::Object(words) => words,
            Value::Bool(true) => return Some(Self::default()),
            _ => return Some(Self(vec![Rule::Never])),
        };
        let mut rules = Vec::new();
        if words.contains_key("properties") || words.contains_key("additionalProperties") {
            rules.push(Rule::Members(Members::of(words)?));
        }
        for (word, value) in words.iter().filter(|(word, _)| !is_apart(word)) {
            rules.push(Rule::of(word, value)?);
        }
        Some(Self(rules))
    }

    /// Tells whether a value fits.
    pub(super) fn fits(&self, value: &Value) -> bool {
        self.0.iter().all(|rule| rule.is_kept(value))
    }
}

/// Tells whether a word is no rule of its own: members are read together, and most of these are
/// told to people and programs.
fn is_apart(word: &str) -> bool {
    const APART: [&str; 12] = [
        "properties",
        "additionalProperties",
        "title",
        "description",
        "format",
        "contentMediaType",
        "contentEncoding",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
    ];
    APART.contains(&word) || word.starts_with("x-")
}

fn forms(value: &Value) -> Option<Vec<Plain>> {
    value.as_array()?.iter().map(Plain::of).collect()
}

fn names(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| name.as_str().map(ToOwned::to_owned)).collect()
}

/// Returns values that can be compared without looking into them.
fn scalars(values: &[Value]) -> Option<Vec<Value>> {
    let is_scalar = |value: &Value| match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() <= LARGEST),
        Value::Array(_) | Value::Object(_) => false,
    };
    values.iter().all(is_scalar).then(|| values.to_vec())
}

impl Members {
    /// Reads what a schema says of members.
    fn of(words: &Map<String, Value>) -> Option<Self> {
        let properties = words.get("properties").and_then(Value::as_object);
        let mut named = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            named.push((name.clone(), Plain::of(schema)?));
        }
        named.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let rest = match words.get("additionalProperties") {
            Some(schema) => Some(Plain::of(schema)?),
            None => None,
        };
        Some(Self { named, rest })
    }

    fn fit(&self, members: &Map<String, Value>) -> bool {
        members.iter().all(|(name, value)| {
            let place = self.named.binary_search_by(|(known, _)| known.as_str().cmp(name));
            match place.ok().and_then(|place| self.named.get(place)) {
                Some((_, schema)) => schema.fits(value),
                None => self.rest.as_ref().is_none_or(|rest| rest.fits(value)),
            }
        })
    }
}

impl Rule {
    /// Reads one word; nothing when it is not for here.
    fn of(word: &str, value: &Value) -> Option<Self> {
        use Limit::{Above, AtLeast, AtMost, Below};
        let number = || value.as_f64().filter(|bound| bound.abs() <= LARGEST);
        let size = |of, limit| Some(Self::Size(of, limit, usize::try_from(value.as_u64()?).ok()?));
        Some(match word {
            "type" => Self::Types(Types::of_keyword(value)),
            "const" => Self::Among(scalars(std::slice::from_ref(value))?),
            "enum" => Self::Among(scalars(value.as_array()?)?),
            "required" => Self::Required(names(value)?),
            "items" => Self::Items(Plain::of(value)?),
            "minProperties" => size(Types::OBJECT, AtLeast)?,
            "maxProperties" => size(Types::OBJECT, AtMost)?,
            "minItems" => size(Types::ARRAY, AtLeast)?,
            "maxItems" => size(Types::ARRAY, AtMost)?,
            "minLength" => size(Types::STRING, AtLeast)?,
            "maxLength" => size(Types::STRING, AtMost)?,
            "minimum" => Self::Number(AtLeast, number()?),
            "maximum" => Self::Number(AtMost, number()?),
            "exclusiveMinimum" => Self::Number(Above, number()?),
            "exclusiveMaximum" => Self::Number(Below, number()?),
            "allOf" => Self::All(forms(value)?),
            "anyOf" => Self::Any(forms(value)?),
            "oneOf" => Self::One(forms(value)?),
            _ => return None,
        })
    }

    fn is_kept(&self, value: &Value) -> bool {
        match self {
            Self::Types(types) => types.holds(Types::of(value)),
            Self::Among(values) => values.iter().any(|one| is_same(one, value)),
            Self::Members(members) => value.as_object().is_none_or(|object| members.fit(object)),
            Self::Required(names) => value
                .as_object()
                .is_none_or(|object| names.iter().all(|name| object.contains_key(name))),
            Self::Items(plain) => {
                value.as_array().is_none_or(|items| items.iter().all(|item| plain.fits(item)))
            }
            Self::Size(of, limit, bound) => {
                *of != Types::of(value) || limit.holds(size(value), *bound)
            }
            Self::Number(limit, bound) => {
                value.as_f64().is_none_or(|number| limit.holds(number, *bound))
            }
            Self::All(forms) => forms.iter().all(|form| form.fits(value)),
            Self::Any(forms) => forms.iter().any(|form| form.fits(value)),
            Self::One(forms) => forms.iter().filter(|form| form.fits(value)).take(2).count() == 1,
            Self::Never => false,
        }
    }
}

impl Limit {
    fn holds<T: PartialOrd + Copy>(self, found: T, bound: T) -> bool {
        match self {
            Self::AtLeast => found >= bound,
            Self::AtMost => found <= bound,
            Self::Above => found > bound,
            Self::Below => found < bound,
        }
    }
}

/// Counts members, items or characters.
fn size(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.len(),
        Value::Array(items) => items.len(),
        Value::String(text) => text.chars().count(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Tells whether two values are equal in JSON, where 1 is 1.0; the first has no parts.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Values, and the bounds in schemas, from few numbers and texts, so that they meet often.
    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-2_i64..4).prop_map(Value::from),
            prop::sample::select(vec![-0.0, 0.5, 1.0, 2.0, 2.5, 1e300]).prop_map(Value::from),
            prop::sample::select(vec![u64::MAX, 1 << 53, (1 << 53) + 1]).prop_map(Value::from),
            prop::sample::select(vec!["", "a", "ab", "é", "👍🏽"]).prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            let name = prop::sample::select(vec!["a", "b", "c"]).prop_map(ToOwned::to_owned);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::vec((name, inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn types() -> impl Strategy<Value = Value> {
        let names = ["null", "boolean", "integer", "number", "string", "array", "object"];
        let some = prop::sample::subsequence(names.to_vec(), 1..3);
        some.prop_map(|names| if let [one] = *names { json!(one) } else { json!(names) })
    }

    /// Schemas of usual words.
    fn schemas() -> impl Strategy<Value = Value> {
        let number = || prop::sample::select(vec![json!(-1), json!(0), json!(1.5), json!(2)]);
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            types().prop_map(|types| json!({ "type": types })),
            values().prop_map(|value| json!({ "const": value })),
            prop::collection::vec(values(), 1..4).prop_map(|values| json!({ "enum": values })),
            (number(), number())
                .prop_map(|(least, most)| json!({ "minimum": least, "exclusiveMaximum": most })),
            (number(), number())
                .prop_map(|(least, most)| json!({ "exclusiveMinimum": least, "maximum": most })),
            (0_u64..3, 0_u64..3).prop_map(|(least, most)| json!({
                "minLength": least, "maxLength": most, "minItems": least, "maxItems": most,
                "minProperties": least, "maxProperties": most, "title": "sizes",
            })),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let form = prop::sample::select(vec!["anyOf", "oneOf", "allOf"]);
            prop_oneof![
                (inner.clone(), types())
                    .prop_map(|(items, types)| json!({ "items": items, "type": types })),
                (form, prop::collection::vec(inner.clone(), 1..4))
                    .prop_map(|(form, inner)| json!({ form: inner })),
                (inner.clone(), inner.clone(), inner.clone(), any::<bool>()).prop_map(
                    |(one, other, rest, is_open)| {
                        let mut schema = json!({
                            "properties": { "b": one, "a": other, }, "required": ["a"],
                        });
                        if !is_open {
                            schema["additionalProperties"] = rest;
                        }
                        schema
                    }
                ),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8_192))]

        #[test]
        fn the_validator_agrees_with_every_rule(schema in schemas(), values in prop::collection::vec(values(), 8)) {
            prop_assert!(super::super::glance::is_usual(&schema), "{}", schema);
            let validator = jsonschema::validator_for(&schema).unwrap();
            if let Some(plain) = Plain::of(&schema) {
                for value in values {
                    let fits = validator.is_valid(&value);
                    prop_assert_eq!(plain.fits(&value), fits, "{} in {}", value, schema);
                }
            }
        }
    }

    #[test]
    fn what_rules_cannot_tell_is_left_to_the_validator() {
        for schema in [
            json!({ "uniqueItems": true }),
            json!({ "pattern": "a" }),
            json!({ "enum": [[1]] }),
            json!({ "const": 18_446_744_073_709_551_615_u64 }),
            json!({ "minimum": 1e300 }),
            json!({ "properties": { "a": { "$ref": "#" } } }),
        ] {
            assert!(Plain::of(&schema).is_none(), "{schema}");
        }
    }
}
