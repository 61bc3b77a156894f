//! What is said about files that are wrong: where, which key, what was expected.

use std::path::Path;

use toolsmith_definitions::Definitions;

use crate::support::{makers, vault};

fn faults(text: &str) -> Vec<String> {
    let definitions = Definitions::open(Vec::new(), makers(), vault());
    let loaded = definitions.check(Path::new("t.yaml"), text);
    loaded.problems.iter().map(ToString::to_string).collect()
}

/// Checks the only fault of a text.
fn fault(text: &str, expected: &str) {
    assert_eq!(faults(text), [expected], "{text}");
}

#[test]
fn unknown_keys_are_told_with_the_near_one() {
    fault(
        "name: a\ndescription: b\nparamters: []\n",
        "t.yaml:3:1: unknown key `paramters`. Did you mean `parameters`?",
    );
    fault(
        "name: a\nparameters:\n  - name: b\n    typ: string\n",
        "t.yaml:4:5: parameters[0]: unknown key `typ`. Did you mean `type`?",
    );
    fault(
        "name: a\nparameters:\n  - name: b\n    type: string\n    validation: {patern: x}\n",
        "t.yaml:5:18: parameters[0].validation: unknown key `patern`. Did you mean `pattern`?",
    );
    fault(
        "name: a\nannotations: {readonly: true}\n",
        "t.yaml:2:15: annotations: unknown key `readonly`. Did you mean `read_only`?",
    );
    fault(
        "name: a\nentry: {type: javascript, code: x, memroy: 1}\n",
        "t.yaml:2:36: entry: unknown key `memroy`. Known are: type, code",
    );
}

#[test]
fn names_and_versions_are_checked() {
    fault(
        "description: no name\n",
        "t.yaml:1:1: `name` is missing: say by which name the tool is called",
    );
    fault(
        "name: a b\n",
        "t.yaml:1:7: name: a tool name is made of letters, digits, `_`, `.` and `-`; \
         `a b` contains ' '",
    );
    fault(
        "name: a\nversion: latest\n",
        "t.yaml:2:10: version: `latest` is not a version; write three numbers such as 1.0.0",
    );
    fault(
        "name: a\nversion: 1.10\n",
        "t.yaml:2:10: version: expected text, found the number 1.1; put the version in quotes",
    );
    fault("- name: a\n", "t.yaml:1:1: expected a map of keys, found a list");
    fault("name: [a]\n", "t.yaml:1:7: name: expected text, found a list");
}

#[test]
fn parameters_must_fit_their_own_rules() {
    let parameter = |rest: &str| format!("name: a\nparameters:\n  - {{name: b, {rest}}}\n");
    for (rest, expected) in [
        (
            "type: strng",
            "3:21: parameters[0].type: expected one of `string`, `number`, `integer`, `boolean`, \
             `array`, `object`, `any`, found \"strng\". Did you mean `string`?",
        ),
        (
            "type: string, min: 3",
            "3:29: parameters[0]: `min` is for type `number` and `integer`, not for `string`",
        ),
        (
            "type: boolean, validation: {pattern: x}",
            "3:43: parameters[0].validation: `pattern` is for type `string`, not for `boolean`",
        ),
        (
            "type: integer, min: 5, max: 3",
            "3:35: parameters[0].min: 5 is more than `max`, which is 3: nothing fits",
        ),
        (
            "type: integer, default: 0.5",
            "3:39: parameters[0].default: the default must be of type `integer`, found the \
             number 0.5",
        ),
        (
            "type: integer, default: 7, validation: {max: 3}",
            "3:39: parameters[0].default: the default breaks a rule: `b` must be at most 3; got 7",
        ),
        ("type: string, enum: []", "3:35: parameters[0].enum: expected at least one value"),
        (
            "type: string, validation: {pattern: \"(\"}",
            "3:51: parameters[0].validation.pattern: the schema has a pattern at `/pattern` that \
             is not a regular expression, or is too large",
        ),
        (
            "type: array, items: {type: strin}",
            "3:42: parameters[0].items.type: expected one of `string`, `number`, `integer`, \
             `boolean`, `array`, `object`, `any`, found \"strin\". Did you mean `string`?",
        ),
        (
            "type: object, properties: {c: {type: string, minn: 1}}",
            "3:60: parameters[0].properties.c: unknown key `minn`. Did you mean `min`?",
        ),
        (
            "required: yes please",
            "3:25: parameters[0].required: expected true or false, found \
          the text \"yes please\"",
        ),
    ] {
        fault(&parameter(rest), &format!("t.yaml:{expected}"));
    }
    fault(
        "name: a\nparameters:\n  - name: b\n  - name: b\n",
        "t.yaml:4:11: parameters[1].name: the parameter `b` is listed twice",
    );
    fault(
        "name: a\nparameters: [b]\n",
        "t.yaml:2:14: parameters[0]: expected a map of keys, found the text \"b\"",
    );
    fault(
        "name: a\nparameters:\n  type: object\n  properties: {}\n",
        "t.yaml:3:3: parameters: expected a list, found a map; a JSON Schema goes under \
         `input_schema`",
    );
}

#[test]
fn schemas_are_told_at_the_place_that_is_wrong() {
    fault(
        "name: a\nparameters: []\ninput_schema: {}\n",
        "t.yaml:3:1: `input_schema` and `parameters` say the same thing in two ways: remove one \
         of them",
    );
    let faults = faults(
        "name: a\ninput_schema:\n  type: object\n  properties:\n    b:\n      type: strin\n",
    );
    assert_eq!(faults.len(), 1, "{faults:?}");
    let start = "t.yaml:6:13: input_schema.properties.b.type: the schema is not valid JSON Schema";
    assert!(faults[0].starts_with(start), "{faults:?}");
    fault(
        "name: a\ninput_schema: {$ref: 'https://example.org/x'}\n",
        "t.yaml:2:15: input_schema: the schema refers to `https://example.org/x`; references to \
         other documents are never fetched: put the schema under `$defs` and refer to it with \
         `#/$defs/…`",
    );
    fault(
        "name: a\noutput: {type: object, properties: {b: int}}\n",
        "t.yaml:2:40: output.properties.b: expected one of `string`, `number`, `integer`, \
         `boolean`, `array`, `object`, `any`, found \"int\". Did you mean `integer`?",
    );
    fault(
        "name: a\noutput: object\nreturns: object\n",
        "t.yaml:3:1: `returns` is another word for `output`: remove one of them",
    );
}

#[test]
fn policies_say_what_they_expect() {
    for (text, expected) in [
        ("timeout: 0", "10: timeout: expected a number of seconds above 0"),
        ("timeout: soon", "10: timeout: expected a number of seconds, found the text \"soon\""),
        ("status: enabled", "9: status: expected one of `active`, `inactive`, found \"enabled\""),
        ("cost: -1", "7: cost: expected a number of at least 0"),
        (
            "rate_limit: {per: 60}",
            "1: rate_limit: `calls` is missing: say how many calls are allowed",
        ),
        (
            "retry: {factor: 0.5}",
            "17: retry.factor: expected a number of at least 1: each wait is longer, not shorter",
        ),
        (
            "cache: {max_entries: 0}",
            "22: cache.max_entries: expected a whole number from 1, found the number 0",
        ),
        ("tags: [a, 1]", "11: tags[1]: expected text, found the number 1"),
        (
            "depends_on: ['a@one']",
            "14: depends_on[0]: `one` is not a version or a range such as 1.2.0, ^1 or >=1, <2",
        ),
        (
            "exposure: visible",
            "11: exposure: expected one of `direct`, `deferred`, `hidden`, found \"visible\"",
        ),
        (
            "sources: [{type: locl}]",
            "18: sources[0].type: expected one of `local`, `docker`, `remote`, found \"locl\". Did you mean `local`?",
        ),
    ] {
        fault(&format!("name: a\n{text}\n"), &format!("t.yaml:2:{expected}"));
    }
    fault(
        "name: a\nenabled: true\nstatus: inactive\n",
        "t.yaml:3:1: `status` contradicts `enabled`: remove one of them",
    );
}

#[test]
fn entries_say_what_they_expect() {
    let types = "`builtin`, `custom`, `http`, `rest`, `mcp`, `command`, `process`, `python`, \
                 `container`, `remote`, `javascript`, `pipeline`, `external`";
    fault(
        "name: a\nentry: {type: htpp}\n",
        &format!(
            "t.yaml:2:15: entry.type: expected one of {types}, found \"htpp\". Did you mean `http`?"
        ),
    );
    fault(
        "name: a\nentry: {handler: b}\n",
        &format!("t.yaml:2:1: entry: `type` is missing: one of {types}"),
    );
    fault(
        "name: a\nentry: {type: external, handler: b}\n",
        "t.yaml:2:15: entry.type: `external` needs a key that says what it is: `url` for rest, \
         `base_url` for rest, `server` for mcp, `server_url` for mcp, `image` for container, \
         `build` for container, `dir` for process, `host_dir` for process, `command` for command",
    );
    fault(
        "name: a\nentry: {type: builtin, handlr: echo}\n",
        "t.yaml:2:24: entry: unknown key `handlr`. Did you mean `handler`?",
    );
    fault(
        "name: a\nentry: {type: javascript}\n",
        "t.yaml:2:1: entry: `code` is missing: write the function here",
    );
    fault(
        "name: a\nentry: {type: command, command: 'x ${A'}\n",
        "t.yaml:2:33: entry.command: `${` has no closing `}`; write `$${` for a plain `${`",
    );
    fault(
        "name: a\nentry: {type: builtin, handler: '${HOST}'}\n",
        "t.yaml:2:33: entry.handler: variables are not filled in here: write the name of the \
         handler itself",
    );
}

#[test]
fn everything_is_told_at_once_in_the_order_of_the_file() {
    let told = faults("name: a b\ncategry: x\nparameters:\n  - typ: string\n---\nname: 5\n");
    let places: Vec<&str> = told.iter().map(|fault| &fault[..12]).collect();
    assert_eq!(
        places,
        ["t.yaml:1:7: ", "t.yaml:2:1: ", "t.yaml:4:5: ", "t.yaml:4:5: ", "t.yaml:6:7: "]
    );
    fault("name: a\n b: [\n", &faults("name: a\n b: [\n")[0]);
    assert!(faults("name: a\nname: b\n")[0].starts_with("t.yaml:2:1: the key `name` stands twice"));
}
