//! Problems: their kinds, places, order and words.

use super::*;

#[test]
fn every_problem_is_told_at_once_in_the_order_of_the_declaration() {
    let input = json!({"tags": ["a", 1, 2], "order": "new", "limit": 500, "zz": 1});
    let problems = refused(&search(), input, STRICT);
    assert_eq!(paths(&problems), ["/query", "/limit", "/order", "/tags/1", "/tags/2", "/zz"]);
    assert_eq!(
        messages(&problems),
        [
            "`query` is required (string): what to look for.",
            "`limit` must be at most 100; got 500.",
            "`order` must be one of \"newest\", \"oldest\"; got \"new\". Did you mean `newest`?",
            "`tags[1]` must be a string; got 1.",
            "`tags[2]` must be a string; got 2.",
            "`zz` is not a parameter of this tool. \
             The parameters are: `query`, `limit`, `order`, `tags`.",
        ]
    );
    assert_eq!(
        kinds(&problems),
        [
            ProblemKind::MissingRequired,
            ProblemKind::ConstraintViolation,
            ProblemKind::InvalidEnum,
            ProblemKind::TypeMismatch,
            ProblemKind::TypeMismatch,
            ProblemKind::ExtraParameter,
        ]
    );
    assert_eq!(problems[0].expected, json!("string"));
    assert_eq!(problems[1].expected, json!({"maximum": 100}));
    assert_eq!(problems[2].expected, json!(["newest", "oldest"]));
    assert_eq!(problems[3].parameter, "tags");
    assert_eq!(problems[3].actual, json!(1));
}

#[test]
fn a_misspelt_name_is_told_with_the_missing_one() {
    let expected = "`query` is required (string): what to look for. You gave `querry` instead.";
    assert_eq!(refused(&search(), json!({"querry": "x"}), LENIENT)[0].message, expected);
    assert_eq!(refused(&search(), json!({"querry": "x"}), STRICT)[0].message, expected);
}

#[test]
fn an_input_that_is_no_object_is_one_problem() {
    let problems = refused(&search(), json!([1, 2]), LENIENT);
    assert_eq!(kinds(&problems), [ProblemKind::TypeMismatch]);
    assert_eq!(paths(&problems), [""]);
    assert_eq!(
        problems[0].message,
        "The input must be an object of parameters; got the array [1,2]."
    );
    assert_eq!(problems[0].expected, json!("object"));
}

#[test]
fn each_missing_name_is_one_problem_with_the_place_where_it_belongs() {
    let schema = schema(&json!({
        "$defs": {"user": {"required": ["id", "a/b"], "properties": {"id": {"type": "integer"}}}},
        "properties": {"user": {"$ref": "#/$defs/user"}},
        "required": ["other", "user"],
        "allOf": [{"required": ["other"]}]
    }));
    let problems = refused(&schema, json!({"user": {}}), LENIENT);
    assert_eq!(paths(&problems), ["/user/a~1b", "/user/id", "/other"]);
    assert_eq!(problems[1].message, "`user.id` is required (integer).");
}

#[test]
fn items_are_ordered_as_numbers() {
    let wrong: Vec<Value> = (0..12).map(|n| json!(n)).collect();
    let problems = refused(&search(), json!({"query": "rust", "tags": wrong}), LENIENT);
    assert_eq!(problems[2].path, "/tags/2");
    assert_eq!(problems[11].path, "/tags/11");
}

#[test]
fn constraints_are_told_in_plain_words() {
    for (rule, value, message) in [
        (json!({"minimum": 1}), json!(0), "`v` must be at least 1; got 0."),
        (json!({"exclusiveMaximum": 1.5}), json!(2), "`v` must be less than 1.5; got 2."),
        (json!({"multipleOf": 5}), json!(3), "`v` must be a multiple of 5; got 3."),
        (json!({"minLength": 1}), json!(""), "`v` must have at least 1 character; it has 0."),
        (json!({"maxItems": 1}), json!([1, 2]), "`v` must have at most 1 item; it has 2."),
        (json!({"minProperties": 2}), json!({}), "`v` must have at least 2 fields; it has 0."),
        (json!({"pattern": "^a+$"}), json!("b"), "`v` must match the pattern `^a+$`; got \"b\"."),
        (json!({"uniqueItems": true}), json!([1, 1]), "`v` must not contain the same item twice."),
        (json!(false), json!(1), "`v` is not allowed."),
        (json!({"const": 3}), json!(4), "`v` must be 3; got 4."),
        (json!({"type": ["string", "null"]}), json!(4), "`v` must be a string or null; got 4."),
        (
            json!({"contains": {"const": 1}}),
            json!([]),
            "`v` does not contain the items that it must.",
        ),
        (
            json!({"not": {"const": 1}}),
            json!(1),
            "`v` must not be what the schema excludes; got 1.",
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            "`v` has a field with a name that is not allowed: \"ab\".",
        ),
    ] {
        let schema = schema(&json!({"properties": {"v": rule}}));
        let problems = refused(&schema, json!({"v": value}), LENIENT);
        assert_eq!(messages(&problems), [message], "{rule}");
    }
}

#[test]
fn forms_that_differ_by_type_are_a_type_mismatch() {
    let schema = schema(&json!({"properties": {
        "v": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}
    }}));
    let problems = refused(&schema, json!({"v": [1]}), LENIENT);
    assert_eq!(kinds(&problems), [ProblemKind::TypeMismatch]);
    assert_eq!(problems[0].message, "`v` must be a string, an integer or null; got the array [1].");
    assert_eq!(problems[0].expected, json!(["string", "integer", "null"]));
}

#[test]
fn the_form_that_was_meant_says_what_is_wrong() {
    let schema = schema(&json!({"properties": {
        "limit": {"anyOf": [{"type": "integer", "maximum": 100}, {"type": "null"}]},
        "unit": {"anyOf": [{"const": "km"}, {"const": "mi"}, {"type": "null"}]},
        "shape": {"oneOf": [
            {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["r"]},
            {"properties": {"kind": {"const": "line"}, "to": {"type": "number"}}, "required": ["to"]}
        ]}
    }}));
    let input = json!({"limit": 500, "unit": "kn", "shape": {"kind": "line"}});
    let problems = refused(&schema, input, LENIENT);
    assert_eq!(
        messages(&problems),
        [
            "`limit` must be at most 100; got 500.",
            "`unit` must be one of \"km\", \"mi\"; got \"kn\".",
            "`shape.to` is required (number).",
        ]
    );
    let problems = refused(&schema, json!({"shape": {"kind": "cube"}}), LENIENT);
    assert_eq!(
        messages(&problems),
        ["`shape.kind` must be one of \"circle\", \"line\"; got \"cube\"."]
    );
}

#[test]
fn forms_that_are_all_possible_are_told_one_by_one() {
    let schema = schema(&json!({"properties": {"target": {"oneOf": [
        {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
        {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    ]}}}));
    let problems = refused(&schema, json!({"target": {}}), LENIENT);
    assert_eq!(kinds(&problems), [ProblemKind::ConstraintViolation]);
    assert_eq!(
        problems[0].message,
        "`target` fits none of the 2 allowed forms. (1) `target.url` is required (string). \
         (2) `target.path` is required (string)."
    );
    let problems = refused(&schema, json!({"target": {"url": "", "path": ""}}), LENIENT);
    assert_eq!(
        problems[0].message,
        "`target` must fit exactly one of 2 forms, but fits several: numbers 1, 2."
    );
}

#[test]
fn what_concerns_the_whole_input_comes_after_its_parameters() {
    let schema = schema(&json!({
        "properties": {"a": {"type": "string"}, "b": {}},
        "anyOf": [{"required": ["b"]}, {"required": ["c"]}],
        "minProperties": 2
    }));
    let problems = refused(&schema, json!({"a": 1}), LENIENT);
    assert_eq!(paths(&problems), ["/a", "", ""]);
    assert_eq!(problems[1].parameter, "");
    assert!(problems.iter().any(|p| p.message.starts_with("The input fits none of the 2")));
}

#[test]
fn large_values_are_shortened() {
    let schema = schema(&json!({"properties": {
        "text": {"maxLength": 3}, "list": {"type": "string"},
        "word": {"enum": (0..80).map(|n| format!("word number {n}")).collect::<Vec<_>>()}
    }}));
    let input = json!({"text": "x".repeat(5000), "list": vec![1; 5000], "word": "x"});
    let problems = refused(&schema, input, LENIENT);
    assert_eq!(problems[0].actual.as_str().unwrap().chars().count(), 201);
    assert_eq!(problems[1].actual, json!("array of 5000 items"));
    assert_eq!(problems[2].expected.as_array().unwrap().len(), 50);
    assert!(problems.iter().all(|problem| problem.message.len() < 500));
}

#[test]
fn no_jargon_reaches_the_model() {
    let schema = schema(&json!({"properties": {
        "a": {"properties": {"x": {}}, "additionalProperties": false},
        "b": {"unevaluatedProperties": false},
        "c": {"dependentRequired": {"x": ["y"]}},
        "d": {"prefixItems": [{}], "items": false}
    }}));
    let input = json!({"a": {"q": 1}, "b": {"q": 1}, "c": {"x": 1}, "d": [1, 2]});
    let problems = refused(&schema, input, LENIENT);
    assert_eq!(problems.len(), 4, "{problems:#?}");
    for word in ["additionalProp", "unevaluated", "dependentReq", "Value", "Some(", "prefixItems"] {
        assert!(!messages(&problems).concat().contains(word), "{word}: {problems:#?}");
    }
}

#[test]
fn plain_json_schema_knows_nothing_of_inputs() {
    let schema = schema(&json!({"type": "array", "items": {"type": "integer"}}));
    assert!(schema.is_valid(&json!([1, 2])));
    assert!(schema.problems(&json!([])).is_empty());
    let problems = schema.problems(&json!([1, "a"]));
    assert_eq!(messages(&problems), ["`1` must be an integer; got the string \"a\"."]);
    assert_eq!(
        schema.problems(&json!({}))[0].message,
        "The value must be an array; got the object {}."
    );
    // Unknown fields, defaults and coercion are matters of a call.
    let open = super::schema(&json!({"properties": {"a": {"default": 1}}, "required": ["a"]}));
    assert_eq!(open.problems(&json!({"b": 1})).len(), 1);
}
