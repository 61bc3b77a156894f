//! Hostile schemas and inputs: everything ends, and soon.

use std::time::{Duration, Instant};

use super::*;

/// Long enough for a busy machine and a build without optimisation.
const SOON: Duration = Duration::from_secs(20);

fn soon<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let answer = run();
    let took = start.elapsed();
    assert!(took < SOON, "{what} took {took:?}");
    answer
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(2), |inner, _| json!({"next": inner}))
}

#[test]
fn deep_inputs_are_refused_before_the_schema_sees_them() {
    let schema = schema(&json!({"type": "object", "properties": {"next": {"$ref": "#"}}}));
    let fine = (0..126).fold(json!({}), |inner, _| json!({"next": inner}));
    assert!(schema.is_valid(&fine));
    let deep = nested(2_000);
    assert!(!schema.is_valid(&deep));
    assert_eq!(schema.problems(&deep)[0].message, "The value is nested deeper than 127 levels.");
    let problems = refused(&schema, deep, LENIENT);
    assert_eq!(messages(&problems), ["The input is nested deeper than 127 levels."]);
}

#[test]
fn quoted_json_cannot_smuggle_depth_in() {
    let schema = schema(&json!({"$defs": {"any": {"type": "object", "additionalProperties":
        {"$ref": "#/$defs/any"}}}, "properties": {"a": {"$ref": "#/$defs/any"}}}));
    let text = format!("{}1{}", "{\"a\":".repeat(120), "}".repeat(120));
    let input = (0..100).fold(json!(text), |inner, _| json!({"a": inner}));
    let problems = refused(&schema, input, COERCING);
    assert_eq!(messages(&problems), ["The input is nested deeper than 127 levels."]);
}

#[test]
fn a_recursive_choice_cannot_multiply_the_work() {
    let form = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}},
        "required": ["next"]});
    let schema = schema(&json!({
        "$defs": {"node": {"anyOf": [form, form, {"const": 1}]}},
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}}
    }));
    assert!(schema.may_blow_up());
    let problems = soon("a shallow one", || schema.problems(&nested(3)));
    assert!(problems[0].message.contains("`next.next.next`"), "{problems:?}");
    let problems = soon("a deep one", || schema.problems(&nested(100)));
    assert!(problems[0].message.contains("too many steps"), "{problems:?}");
    let good = (0..100).fold(json!(1), |inner, _| json!({"next": inner}));
    assert!(soon("a good one", || schema.is_valid(&good)));
}

#[test]
fn a_ladder_of_references_cannot_multiply_the_work() {
    let mut defs = serde_json::Map::new();
    for rung in 0..60 {
        let next = json!({"$ref": format!("#/$defs/r{}", rung + 1)});
        defs.insert(format!("r{rung}"), json!({"anyOf": [next, next]}));
    }
    defs.insert("r60".to_owned(), json!({"const": 1}));
    let schema = schema(&json!({"properties": {"v": {"$ref": "#/$defs/r0"}}, "$defs": defs}));
    let problems = soon("the ladder", || refused(&schema, json!({"v": 2}), COERCING));
    assert!(problems[0].message.contains("too many steps"), "{problems:?}");
}

#[test]
fn asking_for_what_is_left_over_cannot_multiply_the_work() {
    let nested = |levels: usize| {
        (0..levels).fold(
            json!({"properties": {"a": {"type": "string"}}}),
            |inner, _| json!({"allOf": [inner], "unevaluatedProperties": false}),
        )
    };
    let schema = schema(&nested(8));
    assert!(soon("eight levels", || schema.is_valid(&json!({"a": "x"}))));
    let error = Schema::inspect(&JsonText::of(&nested(30))).unwrap_err();
    assert!(error.message().contains("too deeply"), "{error}");
}

#[test]
fn many_ways_to_the_same_default_cannot_multiply_the_work() {
    let part =
        json!({"properties": {"next": {"$ref": "#"}, "n": {"type": "integer", "default": 1}}});
    let schema = schema(&json!({"type": "object", "allOf": [part, part]}));
    let input = (0..60).fold(json!({"n": "x"}), |inner, _| json!({"next": inner}));
    let problems = soon("filling", || refused(&schema, input, COERCING));
    assert!(problems[0].message.contains("too many steps"), "{problems:?}");
}

#[test]
fn ordinary_schemas_do_not_blow_up() {
    assert!(!search().may_blow_up());
    let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
    assert!(!schema(&tree).may_blow_up());
    assert!(schema(&json!({"pattern": "^(?!a)b"})).may_blow_up());
}

#[test]
fn catastrophic_patterns_end() {
    let text = "a".repeat(50_000) + "!";
    for pattern in ["^(a+)+$", "(a|aa)+$", "^(a*)*b$", "(.*)*x", "^(?=(a+)+$)a", "^(a+)+\\1$"] {
        let schema = schema(&json!({"properties": {"v": {"type": "string", "pattern": pattern}}}));
        let problems = soon(pattern, || refused(&schema, json!({"v": text}), LENIENT));
        assert_eq!(kinds(&problems), [ProblemKind::ConstraintViolation], "{pattern}");
    }
}

#[test]
fn huge_patterns_are_refused() {
    let huge = json!({"pattern": "(?:(?:a{1,200}){1,200}){1,200}"});
    assert!(soon("compiling", || Schema::inspect(&JsonText::of(&huge))).is_err());
    let many: serde_json::Map<_, _> =
        (0..2_000).map(|n| (format!("p{n}"), json!({"pattern": format!("^{n}[a-z]+$")}))).collect();
    let error = soon("many", || Schema::inspect(&JsonText::of(&json!({"properties": many}))));
    assert!(error.unwrap_err().message().contains("patterns"));
}

#[test]
fn huge_arrays_are_checked_in_one_go() {
    let schema = schema(&json!({"properties": {"list": {
        "type": "array", "uniqueItems": true,
        "items": {"type": "object", "properties": {"n": {"type": "integer"}, "k": {"default": 1}}}
    }}}));
    let list: Vec<Value> = (0..100_000).map(|n| json!({"n": n})).collect();
    let (filled, _) = soon("unique", || passed(&schema, json!({"list": list}), LENIENT));
    assert_eq!(filled["list"][99_999], json!({"n": 99_999, "k": 1}));
    let wrong: Vec<Value> = (0..100_000).map(|n| json!({"n": format!("{n}!")})).collect();
    let problems = soon("wrong", || refused(&schema, json!({"list": wrong}), COERCING));
    assert_eq!(problems.len(), 100);
    assert_eq!(problems[99].path, "/list/99/n");
}

#[test]
fn a_host_of_wrong_items_takes_little_memory_to_tell() {
    let forms: Vec<Value> = (0..10).map(|n| json!({"required": [format!("r{n}")]})).collect();
    let schema = schema(&json!({"properties": {
        "list": {"type": "array", "minItems": 60_000, "items": {"anyOf": forms}},
        "map": {"type": "object", "additionalProperties": {"anyOf": forms}}
    }}));
    let wrong: Vec<Value> = (0..60_000).map(|n| json!({"n": n})).collect();
    let problems = soon("all wrong", || refused(&schema, json!({"list": wrong}), LENIENT));
    assert_eq!(paths(&problems)[..2], ["/list/0", "/list/1"]);

    let mut last: Vec<Value> = (0..60_000).map(|n| json!({"r1": n})).collect();
    last[59_999] = json!({});
    let map: serde_json::Map<_, _> =
        last.iter().enumerate().map(|(n, v)| (format!("m{n}"), v.clone())).collect();
    let problems = soon("one wrong", || refused(&schema, json!({"map": map}), LENIENT));
    assert_eq!(paths(&problems), ["/map/m59999"]);
    let problems = soon("one wrong", || refused(&schema, json!({"list": last[1..]}), LENIENT));
    assert!(messages(&problems).contains(&"`list` must have at least 60000 items; it has 59999."));
}

#[test]
fn hosts_of_unknown_and_missing_names_are_told_briefly() {
    let names: serde_json::Map<_, _> = (0..50_000).map(|n| (format!("n{n}"), json!(1))).collect();
    let problems = soon("unknown", || refused(&search(), Value::Object(names.clone()), STRICT));
    assert_eq!(problems.len(), 100);
    assert_eq!(problems[0].path, "/query");
    let (_, notes) = {
        let mut input = names;
        input.insert("query".to_owned(), json!("rust"));
        soon("dropped", || passed(&search(), Value::Object(input), LENIENT))
    };
    assert_eq!(notes.dropped.len(), 50_000);
}

#[test]
fn long_chains_of_references_do_not_overflow_the_stack() {
    let chain = |length: usize| {
        let mut defs = serde_json::Map::new();
        for link in 0..length {
            let next = json!({"allOf": [{"$ref": format!("#/$defs/l{}", link + 1)}]});
            defs.insert(format!("l{link}"), next);
        }
        defs.insert(format!("l{length}"), json!({"type": "integer"}));
        json!({"properties": {"v": {"$ref": "#/$defs/l0"}}, "$defs": defs})
    };
    let problems = refused(&schema(&chain(600)), json!({"v": "x"}), COERCING);
    assert_eq!(messages(&problems), ["`v` must be an integer; got the string \"x\"."]);
    let error = Schema::inspect(&JsonText::of(&chain(10_000))).unwrap_err();
    assert!(error.message().contains("too many other references"), "{error}");
}
