//! No text makes the reader panic, whatever it is.

use std::path::Path;

use proptest::prelude::*;
use toolsmith_definitions::{Definitions, yaml};

use crate::support::{Folder, makers, vault};

fn check(file: &str, text: &str) {
    let loaded = Definitions::open(Vec::new(), makers(), vault()).check(Path::new(file), text);
    for problem in loaded.problems.iter().chain(&loaded.warnings) {
        assert!(!problem.message.is_empty() && problem.line >= 1, "{problem}");
    }
}

/// Values that look like definitions and are wrong in many ways.
fn values() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "name",
        "a",
        "type",
        "string",
        "object",
        "array",
        "items",
        "properties",
        "required",
        "validation",
        "pattern",
        "min",
        "max",
        "enum",
        "default",
        "entry",
        "builtin",
        "external",
        "${X",
        "${HOST}",
        "parameters",
        "input_schema",
        "output",
        "depends_on",
        "sources",
        "$ref",
        "#/$defs/a",
        "groups",
        "tool_ids",
        "group_id",
        "~",
        "true",
        "-1",
        "1e400",
        "a/b~c",
        "",
    ]);
    let leaf = word.clone().prop_map(|word| format!("{word:?}"));
    leaf.prop_recursive(5, 40, 6, move |inner| {
        let key = word.clone();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::btree_map(key, inner, 0..6).prop_map(|map| {
                let entries = map.iter().map(|(key, value)| format!("{key:?}: {value}"));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_tree_makes_it_panic(parameters in values(), entry in values(), output in values()) {
        let text = format!(
            "{{name: a, parameters: {parameters}, entry: {entry}, output: {output}}}"
        );
        check("t.yaml", &text);
        check("t.yaml", &format!("{{name: a, input_schema: {parameters}, retry: {entry}}}"));
        check("t.yaml", &parameters);
        check("groups.yaml", &parameters);
        check("groups.yaml", &format!("groups: {output}"));
        // A list or a table in the notation of JSON is TOML once its colons are equals signs.
        let toml = parameters.replace(": ", " = ");
        check("t.toml", &format!("name = 'a'\ntool_type = 'rest'\nheaders = {toml}\nrate_limit = {toml}\nmetadata = {toml}\nparameters_schema = {toml}\n"));
        check("__registry__.toml", &format!("tool_types = {toml}\ntool_sets = {toml}\nauto_discovery = {toml}\n"));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[-\\[\\]{}:,&*!|>'\"#$ \\na-c0-9~.]{0,80}") {
        check("t.yaml", &text);
        check("t.yaml", &format!("name: a\nentry:\n {text}"));
        check("t.toml", &text.replace(':', "="));
    }
}

#[test]
fn files_that_are_no_text_or_too_long_are_told() {
    let folder = Folder::new();
    std::fs::write(folder.path("a.yaml"), [b'n', 0xff, 0xfe]).unwrap();
    folder.write("b.yaml", &"#".repeat(yaml::MAX_BYTES + 1));
    folder.write("c.yaml", "name: c\n");
    let loaded = folder.definitions().load();
    assert_eq!(
        folder.shown(&loaded.problems),
        [
            "a.yaml: cannot read the file: it is not UTF-8 text",
            "b.yaml: cannot read the file: it is longer than 1048576 bytes",
        ]
    );
    assert_eq!(loaded.tools.len(), 1);
}
