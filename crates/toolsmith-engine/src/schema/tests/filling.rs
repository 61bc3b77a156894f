//! Unknown parameters, defaults and coercion.

use super::*;

#[test]
fn no_input_is_an_empty_one() {
    let schema = schema(&json!({"type": "object", "properties": {"a": {"default": 1}}}));
    assert_eq!(passed(&schema, Value::Null, LENIENT).0, json!({"a": 1}));
}

#[test]
fn unknown_parameters_are_dropped_with_a_note() {
    let (input, notes) = passed(&search(), json!({"x": 1, "query": "rust", "y": 2}), LENIENT);
    assert_eq!(input, json!({"query": "rust", "limit": 20}));
    assert_eq!(notes.dropped, ["x", "y"]);
    assert!(notes.coerced.is_empty());
}

#[test]
fn unknown_parameters_are_refused_in_strict_mode() {
    let problems = refused(&search(), json!({"querry": 1, "query": "rust", "zz": 2}), STRICT);
    assert_eq!(kinds(&problems), [ProblemKind::ExtraParameter; 2]);
    assert_eq!(paths(&problems), ["/querry", "/zz"]);
    assert_eq!(
        messages(&problems),
        [
            "`querry` is not a parameter of this tool. Did you mean `query`?",
            "`zz` is not a parameter of this tool. \
             The parameters are: `query`, `limit`, `order`, `tags`."
        ]
    );
    assert_eq!(problems[0].actual, json!(1));
}

#[test]
fn an_open_schema_keeps_what_it_does_not_know() {
    for open in [
        json!({"type": "object"}),
        json!({"properties": {"a": {}}, "additionalProperties": true}),
        json!({"properties": {"a": {}}, "additionalProperties": {"type": "integer"}}),
        json!({"properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}]}),
    ] {
        let (input, notes) = passed(&schema(&open), json!({"b": 1}), STRICT);
        assert_eq!((input, notes), (json!({"b": 1}), Notes::default()), "{open}");
    }
}

#[test]
fn names_outside_of_patterns_are_unknown_too() {
    let schema = schema(&json!({
        "properties": {"a": {}},
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": false
    }));
    let (input, notes) = passed(&schema, json!({"a": 1, "x-b": 2, "c": 3}), LENIENT);
    assert_eq!(input, json!({"a": 1, "x-b": 2}));
    assert_eq!(notes.dropped, ["c"]);
    let problems = refused(&schema, json!({"x-b": "no", "c": 3}), STRICT);
    assert_eq!(paths(&problems), ["/x-b", "/c"]);
}

#[test]
fn nested_closed_objects_follow_the_schema() {
    let schema = schema(&json!({"properties": {
        "user": {"properties": {"name": {}}, "additionalProperties": false}
    }}));
    let problems = refused(&schema, json!({"user": {"nmae": 1}}), LENIENT);
    assert_eq!(kinds(&problems), [ProblemKind::ExtraParameter]);
    assert_eq!(problems[0].parameter, "user");
    assert_eq!(problems[0].message, "`user.nmae` is not a known field. Did you mean `name`?");
}

#[test]
fn defaults_are_filled_in_where_something_is_there_to_hold_them() {
    let schema = schema(&json!({
        "$defs": {"page": {"type": "object", "properties": {"size": {"default": 10}}}},
        "type": "object",
        "properties": {
            "plain": {"type": "integer", "default": 1},
            "page": {"$ref": "#/$defs/page"},
            "given": {"type": "object", "default": {}, "properties": {"deep": {"default": true}}},
            "list": {"type": "array", "items": {"$ref": "#/$defs/page"}},
            "map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/page"}},
            "both": {"allOf": [{"$ref": "#/$defs/page"}, {"properties": {"by": {"default": "x"}}}]},
            "either": {"anyOf": [{"properties": {"never": {"default": 1}}}]}
        }
    }));
    let input = json!({"list": [{}, {"size": null}], "map": {"a": {}}, "both": {}, "either": {}});
    let (filled, _) = passed(&schema, input, LENIENT);
    assert_eq!(
        filled,
        json!({
            "list": [{"size": 10}, {"size": null}],
            "map": {"a": {"size": 10}},
            "both": {"size": 10, "by": "x"},
            "either": {},
            "plain": 1,
            "given": {"deep": true}
        })
    );
}

#[test]
fn recursive_defaults_go_no_further_than_the_input() {
    let schema = schema(&json!({
        "type": "object",
        "properties": {"depth": {"default": 0}, "next": {"$ref": "#"}}
    }));
    let (filled, _) = passed(&schema, json!({"next": {"next": {}}}), LENIENT);
    assert_eq!(filled, json!({"next": {"next": {"depth": 0}, "depth": 0}, "depth": 0}));
}

#[test]
fn defaults_without_end_are_not_filled_in() {
    let schema = schema(&json!({
        "$defs": {"node": {"default": {}, "properties": {
            "next": {"$ref": "#/$defs/node"}, "size": {"default": 1}
        }}},
        "properties": {"first": {"$ref": "#/$defs/node"}}
    }));
    assert_eq!(passed(&schema, json!({}), LENIENT).0, json!({}));
    assert_eq!(passed(&schema, json!({"first": {}}), LENIENT).0, json!({"first": {"size": 1}}));
}

#[test]
fn a_default_that_the_schema_itself_refuses_is_not_filled_in() {
    let schema = schema(&json!({"type": "object", "properties": {
        "text": {"type": "string", "default": null},
        "small": {"type": "integer", "maximum": 5, "default": 10},
        "fine": {"type": ["string", "null"], "default": null}
    }}));
    assert_eq!(passed(&schema, json!({}), LENIENT).0, json!({"fine": null}));
}

#[test]
fn a_required_parameter_with_a_default_is_never_missing() {
    let schema = schema(&json!({"properties": {"a": {"default": 1}}, "required": ["a"]}));
    assert_eq!(passed(&schema, json!({}), STRICT).0, json!({"a": 1}));
}

#[test]
fn draft_7_keeps_the_default_beside_a_reference() {
    let schema = schema(&json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"size": {"type": "integer"}},
        "properties": {"size": {"$ref": "#/definitions/size", "default": 3}}
    }));
    assert_eq!(passed(&schema, json!({}), LENIENT).0, json!({"size": 3}));
}

#[test]
fn quoted_values_are_turned_and_noted() {
    let schema = schema(&json!({
        "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}}}},
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "on": {"type": "boolean"},
            "name": {"type": "string"},
            "ids": {"type": "array", "items": {"type": "integer"}},
            "at": {"$ref": "#/$defs/point"},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "points": {"anyOf": [
                {"type": "array", "items": {"$ref": "#/$defs/point"}},
                {"type": "null"}
            ]}
        }
    }));
    let input = json!({
        "count": "3", "on": "true", "name": 7, "ids": "[1, \"2\"]", "at": {"x": "1.5"},
        "maybe": "4", "points": [{"x": "2"}]
    });
    assert!(!refused(&schema, input.clone(), LENIENT).is_empty());
    let (turned, notes) = passed(&schema, input, COERCING);
    assert_eq!(
        turned,
        json!({
            "count": 3, "on": true, "name": "7", "ids": [1, 2], "at": {"x": 1.5},
            "maybe": 4, "points": [{"x": 2}]
        })
    );
    assert_eq!(
        notes.coerced,
        ["/count", "/on", "/name", "/ids", "/ids/1", "/at/x", "/maybe", "/points/0/x"]
    );
}

#[test]
fn an_unwrapped_object_gets_its_defaults() {
    let schema = schema(&json!({"properties": {
        "page": {"type": "object", "properties": {"size": {"type": "integer", "default": 10}}}
    }}));
    let (turned, _) = passed(&schema, json!({"page": "{}"}), COERCING);
    assert_eq!(turned, json!({"page": {"size": 10}}));
    let (whole, notes) = passed(&schema, json!("{\"page\": {\"size\": \"2\"}}"), COERCING);
    assert_eq!(whole, json!({"page": {"size": 2}}));
    assert_eq!(notes.coerced, ["", "/page/size"]);
}

#[test]
fn what_fits_is_never_turned() {
    let schema = schema(&json!({"properties": {
        "either": {"type": ["string", "integer"]}, "text": {"type": "string"}, "n": {}
    }}));
    let input = json!({"either": "3", "text": "[1]", "n": "true"});
    assert_eq!(passed(&schema, input.clone(), COERCING), (input, Notes::default()));
}

#[test]
fn what_cannot_be_turned_is_a_problem() {
    let problems = refused(&search(), json!({"query": "rust", "limit": "many"}), COERCING);
    assert_eq!(messages(&problems), ["`limit` must be an integer; got the string \"many\"."]);
}
