//! The documents of real APIs.

use std::{collections::HashSet, fs, path::Path};

use toolsmith_core::{ToolName, Value};
use toolsmith_definitions::yaml;
use toolsmith_testing::{fixtures, skip};

use super::{Reader, imported};

pub(super) const METHODS: [&str; 8] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Of documents with more operations, one tool in so many is read again.
const MANY: usize = 150;
const ONE_IN: usize = 10;

pub(super) fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    if path.extension().is_some_and(|ending| ending == "json") {
        return serde_json::from_str(&text).unwrap();
    }
    yaml::parse_foreign(&text, 64 << 20).unwrap().to_json()
}

/// Counts the operations without the importer.
fn count(document: &Value) -> usize {
    let paths = document["paths"].as_object().into_iter().flatten();
    let items = paths.filter_map(|(_, item)| item.as_object());
    items.map(|item| METHODS.iter().filter(|method| item.contains_key(**method)).count()).sum()
}

fn check(path: &Path, reader: &Reader) {
    let document = read(path);
    let file = path.file_name().unwrap().to_string_lossy();
    let import = imported(&document);
    let is_operation = |operation: &str| {
        METHODS.iter().any(|method| operation.starts_with(&format!("{} /", method.to_uppercase())))
    };
    let unmapped = import.unmapped.iter().filter(|left| is_operation(&left.operation)).count();
    assert_eq!(import.tools.len() + unmapped, count(&document), "{file}");
    assert!(import.unmapped.iter().all(|left| !left.reason.is_empty()));
    let names: HashSet<String> =
        import.tools.iter().map(|tool| tool["name"].as_str().unwrap().to_lowercase()).collect();
    assert_eq!(names.len(), import.tools.len(), "{file}");
    let step = if import.tools.len() > MANY { ONE_IN } else { 1 };
    for definition in &import.tools {
        assert!(ToolName::new(definition["name"].as_str().unwrap()).is_ok());
        assert!(definition.to_string().len() < 64 * 1024, "{file}: {}", definition["name"]);
    }
    for definition in import.tools.iter().step_by(step) {
        if let Err(wrong) = reader.read(definition) {
            panic!("{file}: {wrong}");
        }
    }
    if import.tools.len() <= MANY {
        assert_eq!(imported(&document), import, "{file} is imported the same again");
    }
}

/// Checks every document whose size is in a range.
fn check_all(sizes: std::ops::Range<u64>) {
    let Some(folder) = fixtures::shared().map(|shared| shared.join("openapi")) else {
        return skip("there is no ../shared/data beside the project");
    };
    let reader = Reader::new();
    let mut checked = 0;
    for file in fs::read_dir(folder).unwrap().flatten() {
        let path = file.path();
        let is_document = path.extension().is_some_and(|ending| ending != "csv");
        if is_document && sizes.contains(&file.metadata().unwrap().len()) {
            check(&path, &reader);
            checked += 1;
        }
    }
    assert!(checked > 0);
}

#[test]
fn small_documents_are_imported_whole_and_their_tools_are_right() {
    check_all(0..500_000);
}

#[test]
fn large_documents_are_imported_whole_and_their_tools_are_right() {
    check_all(500_000..3_000_000);
}

#[test]
fn the_largest_documents_are_imported_whole_and_their_tools_are_right() {
    check_all(3_000_000..u64::MAX);
}
