//! The official JSON Schema Test Suite: every required case of the two drafts that we promise.

use std::{collections::BTreeMap, error::Error, fs, path::Path};

use serde::Deserialize;
use serde_json::Value;

use toolsmith_core::JsonText;
use toolsmith_engine::schema::Schema;

/// The folder of a draft, and the `$schema` of those of its cases that name none.
const DRAFTS: [(&str, &str); 2] = [
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

/// Why a case is excepted: its schema refers to a document on a web server.
const REMOTE: &str = "references to other documents are never fetched";

/// Why a case is excepted: its schema is written against a meta-schema on a web server.
const META: &str = "not a known draft of JSON Schema, and nothing is ever fetched";

/// The cases whose schemas we refuse, by draft and file, with what the refusal says.
const EXCEPTIONS: [(&str, &str, &str, &[&str]); 4] = [
    (
        "draft7",
        "refRemote",
        REMOTE,
        &[
            "$ref to $ref finds location-independent $id",
            "Location-independent identifier in remote ref",
            "base URI change",
            "base URI change - change folder",
            "base URI change - change folder in subschema",
            "fragment within remote ref",
            "ref within remote ref",
            "remote ref",
            "remote ref with ref to definitions",
            "retrieved nested refs resolve relative to their URI not $id",
            "root ref in remote ref",
        ],
    ),
    (
        "draft2020-12",
        "refRemote",
        REMOTE,
        &[
            "$ref to $ref finds detached $anchor",
            "Location-independent identifier in remote ref",
            "anchor within remote ref",
            "base URI change",
            "base URI change - change folder",
            "base URI change - change folder in subschema",
            "fragment within remote ref",
            "ref within remote ref",
            "remote HTTP ref with different $id",
            "remote HTTP ref with different URN $id",
            "remote HTTP ref with nested absolute ref",
            "remote ref",
            "remote ref with ref to defs",
            "retrieved nested refs resolve relative to their URI not $id",
            "root ref in remote ref",
        ],
    ),
    (
        "draft2020-12",
        "dynamicRef",
        REMOTE,
        &[
            "$ref and $dynamicAnchor are independent of order - $defs first",
            "$ref and $dynamicAnchor are independent of order - $ref first",
            "$ref to $dynamicRef finds detached $dynamicAnchor",
            "strict-tree schema, guards against misspelled properties",
            "tests for implementation dynamic anchor and reference link",
        ],
    ),
    (
        "draft2020-12",
        "vocabulary",
        META,
        &[
            "ignore unrecognized optional vocabulary",
            "schema that uses custom metaschema with with no validation vocabulary",
        ],
    ),
];

#[test]
fn every_required_case_of_the_official_suite_agrees() -> Result<(), Box<dyn Error>> {
    let Some(folder) = toolsmith_testing::fixtures::json_schema_suite() else {
        toolsmith_testing::skip("the official JSON Schema Test Suite is not here");
        return Ok(());
    };
    let mut tally = Tally::default();
    for (draft, uri) in DRAFTS {
        run_draft(&folder.join(draft), draft, uri, &mut tally)?;
    }
    println!(
        "JSON Schema Test Suite: {} tests of {} cases agree; {} cases are excepted",
        tally.tests,
        tally.cases,
        tally.otherwise.len()
    );
    let listed = exceptions();
    let surprises: Vec<_> =
        tally.otherwise.iter().filter(|(name, said)| !is_listed(&listed, name, said)).collect();
    let vanished: Vec<_> =
        listed.keys().filter(|name| !tally.otherwise.contains_key(*name)).collect();
    assert!(surprises.is_empty(), "cases that disagree: {surprises:#?}");
    assert!(vanished.is_empty(), "exceptions that no longer occur: {vanished:#?}");
    assert!(tally.tests > 2_000, "only {} tests were found", tally.tests);
    Ok(())
}

/// What came of the cases.
#[derive(Default)]
struct Tally {
    /// The cases that agree.
    cases: usize,
    /// The tests of those cases.
    tests: usize,
    /// The cases that do not, with what was said instead.
    otherwise: BTreeMap<String, String>,
}

fn exceptions() -> BTreeMap<String, &'static str> {
    let name = |draft: &str, file: &str, case: &str| format!("{draft}/{file}: {case}");
    EXCEPTIONS
        .iter()
        .flat_map(|(draft, file, why, cases)| {
            cases.iter().map(move |case| (name(draft, file, case), *why))
        })
        .collect()
}

fn is_listed(listed: &BTreeMap<String, &str>, name: &str, said: &str) -> bool {
    listed.get(name).is_some_and(|why| said.contains(why))
}

fn run_draft(
    folder: &Path,
    draft: &str,
    uri: &str,
    tally: &mut Tally,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // The folder `optional` is not ours to promise.
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for case in serde_json::from_str::<Vec<Case>>(&fs::read_to_string(&path)?)? {
            let name = format!("{draft}/{file}: {}", case.description);
            match run_case(&case, uri) {
                Ok(()) => {
                    tally.cases += 1;
                    tally.tests += case.tests.len();
                }
                Err(said) => {
                    tally.otherwise.insert(name, said);
                }
            }
        }
    }
    Ok(())
}

/// A schema of the suite and its tests.
#[derive(Deserialize)]
struct Case {
    description: String,
    schema: Value,
    tests: Vec<Test>,
}

/// A value, and whether it fits.
#[derive(Deserialize)]
struct Test {
    description: String,
    data: Value,
    valid: bool,
}

/// Runs the tests of one schema, or tells what is different.
fn run_case(case: &Case, uri: &str) -> Result<(), String> {
    let mut schema = case.schema.clone();
    if let Value::Object(words) = &mut schema {
        words.entry("$schema").or_insert_with(|| uri.into());
    }
    let text = JsonText::of(&schema);
    Schema::inspect(&text).map_err(|error| error.to_string())?;
    let schema = Schema::compile(&text)
        .map_err(|error| format!("passed inspection but does not compile: {error}"))?;
    for test in &case.tests {
        let problems = schema.problems(&test.data);
        assert_eq!(schema.is_valid(&test.data), problems.is_empty(), "{text:?}");
        if problems.is_empty() != test.valid {
            return Err(format!("{}: {problems:?}", test.description));
        }
    }
    Ok(())
}
