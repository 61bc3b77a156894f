//! Laws that hold for any input.

use std::sync::OnceLock;

use proptest::prelude::*;

use super::*;

/// Schemas with everything in them that the check does something about.
fn schemas() -> &'static [Schema] {
    static SCHEMAS: OnceLock<Vec<Schema>> = OnceLock::new();
    SCHEMAS.get_or_init(|| sources().iter().map(schema).collect())
}

fn sources() -> [Value; 9] {
    [
        json!(true),
        json!(false),
        json!({"type": "object", "properties": {
            "a": {"type": "integer", "default": 1},
            "b": {"type": "string", "minLength": 2, "pattern": "^a"},
            "c": {"type": "array", "items": {"type": ["boolean", "null"]}, "maxItems": 2}
        }, "required": ["b"], "additionalProperties": false}),
        json!({"properties": {
            "a": {"properties": {"b": {"default": {"c": []}}, "c": {"type": "number"}}, "default": {}},
            "b": {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "array"}]},
            "c": {"oneOf": [{"const": "a"}, {"enum": [1, null]}, {"type": "string"}]}
        }}),
        json!({"allOf": [
            {"properties": {"a": {"properties": {"x": {"default": 1}}}}},
            {"properties": {"a": {"default": {}}, "b": {"default": [{}]}}},
            {"properties": {"b": {"items": {"properties": {"a": {"default": "x"}}}}}}
        ], "additionalProperties": {"type": "integer"}}),
        json!({"$defs": {"node": {"type": "object", "properties": {
            "a": {"$ref": "#/$defs/node"}, "b": {"default": 0}, "c": {"items": {"$ref": "#/$defs/node"}}
        }}}, "$ref": "#/$defs/node"}),
        json!({"$defs": {"node": {"anyOf": [
            {"properties": {"a": {"$ref": "#/$defs/node"}}, "required": ["a"]},
            {"properties": {"a": {"$ref": "#/$defs/node"}}, "required": ["b"]},
            {"type": "integer"}
        ]}}, "properties": {"a": {"$ref": "#/$defs/node"}}}),
        json!({"patternProperties": {"^a": {"type": "boolean"}}, "additionalProperties": false,
            "if": {"required": ["a"]}, "then": {"required": ["b"]}, "minProperties": 1}),
        json!({"properties": {"a": {"prefixItems": [{"default": 1}, {"properties": {"b": {"default": 2}}}],
            "items": false}}, "unevaluatedProperties": false}),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-c\\[\\]{}:\"0-9.é~/ ]{0,6}".prop_map(Value::from),
        prop::sample::select(vec!["true", "3", "3.0", "[1]", "{\"a\":{}}", "ab", "#"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-d~/]{1,2}|[abc]", inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_rules() -> impl Strategy<Value = Rules> {
    (any::<bool>(), any::<bool>()).prop_map(|(drop, coerce)| Rules {
        extras: if drop { Extras::Drop } else { Extras::Refuse },
        coerce: if coerce { Coerce::Yes } else { Coerce::No },
    })
}

proptest! {
    #[test]
    fn any_input_is_checked_and_a_second_check_changes_nothing(
        input in any_value(),
        rules in any_rules(),
    ) {
        for schema in schemas() {
            prop_assert_eq!(schema.is_valid(&input), schema.problems(&input).is_empty());
            let mut once = input.clone();
            if schema.check_input(&mut once, rules).is_ok() {
                prop_assert!(schema.is_valid(&once), "{:?} {}", schema, once);
                let mut twice = once.clone();
                prop_assert_eq!(schema.check_input(&mut twice, rules), Ok(Notes::default()));
                prop_assert_eq!(twice, once);
            }
        }
    }

    #[test]
    fn problems_are_complete_sentences_at_places_that_exist(
        input in any_value(),
        rules in any_rules(),
    ) {
        for schema in schemas() {
            let mut checked = input.clone();
            let Err(problems) = schema.check_input(&mut checked, rules) else { continue };
            prop_assert!(!problems.is_empty());
            for problem in problems {
                prop_assert!(problem.message.ends_with(['.', '?']), "{}", problem.message);
                let is_missing = problem.kind == ProblemKind::MissingRequired;
                let place = problem.path.rsplit_once('/').map_or("", |(parent, _)| parent);
                let place = if is_missing { place } else { &problem.path };
                prop_assert!(checked.pointer(place).is_some(), "{} in {}", problem.path, checked);
            }
        }
    }

    #[test]
    fn any_schema_that_passes_inspection_compiles(schema in any_value(), word in "type|items|enum|default|\\$ref|pattern|allOf|properties") {
        let text = JsonText::of(&json!({word: schema}));
        prop_assert_eq!(Schema::inspect(&text).is_ok(), Schema::compile(&text).is_ok());
    }
}
