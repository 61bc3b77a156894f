//! Documents in several files, as the one document that [`import`](super::import) reads.
//!
//! What a reference to another file means is put into the document itself, and the reference is
//! rewritten. Reading is left to the caller; what may be asked for is decided here.

use std::collections::BTreeMap;

use toolsmith_core::{Map, Value};

/// Where the other files stand in the document.
const KEY: &str = "x-other-documents";

/// How many other files are read.
const MOST: usize = 500;

/// Puts the files that a document refers to into it, and returns what could not be read.
///
/// `name` is how the document itself is called in its folder. `read` gets a path below that folder,
/// with `/` between its steps and no `..`; other references are left as they are.
pub fn bundle(
    document: &mut Value,
    name: &str,
    read: &mut dyn FnMut(&str) -> Result<Value, String>,
) -> Vec<String> {
    let mut bundle = Bundle { name, known: BTreeMap::new(), waiting: Vec::new() };
    let mut problems = Vec::new();
    bundle.rewrite(document, name);
    while let Some(path) = bundle.waiting.pop() {
        match read(&path) {
            Ok(mut other) => {
                bundle.rewrite(&mut other, &path);
                bundle.known.insert(path, Some(other));
            }
            Err(why) => problems.push(format!("{path}: {why}")),
        }
    }
    if bundle.known.len() > MOST {
        problems
            .push(format!("the document refers to more than {MOST} files; the rest is not read"));
    }
    let found: Map<String, Value> =
        bundle.known.into_iter().filter_map(|(path, other)| Some((path, other?))).collect();
    if let (Value::Object(root), false) = (document, found.is_empty()) {
        root.insert(KEY.to_owned(), Value::Object(found));
    }
    problems
}

struct Bundle<'n> {
    name: &'n str,
    /// The files that were referred to, and what is in them.
    known: BTreeMap<String, Option<Value>>,
    waiting: Vec<String>,
}

impl Bundle<'_> {
    fn rewrite(&mut self, value: &mut Value, from: &str) {
        let fields = match value {
            Value::Object(fields) => fields,
            Value::Array(items) => {
                return items.iter_mut().for_each(|item| self.rewrite(item, from));
            }
            _ => return,
        };
        for (key, field) in fields.iter_mut() {
            match field {
                Value::String(text) if key == "$ref" => {
                    *text = self.target(text, from).unwrap_or_else(|| std::mem::take(text));
                }
                field => self.rewrite(field, from),
            }
        }
    }

    /// Returns what a reference in a file is called inside the one document.
    fn target(&mut self, reference: &str, from: &str) -> Option<String> {
        let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let path = if file.is_empty() { from.to_owned() } else { beside(from, file)? };
        if path == self.name {
            return Some(format!("#{pointer}"));
        }
        if !self.known.contains_key(&path) {
            if self.known.len() > MOST {
                return None;
            }
            self.known.insert(path.clone(), None);
            self.waiting.push(path.clone());
        }
        let escaped = path.replace('~', "~0").replace('/', "~1").replace('%', "%25");
        Some(format!("#/{KEY}/{escaped}{pointer}"))
    }
}

/// Returns the path of a file that another one names, when it lies below the same folder.
fn beside(from: &str, file: &str) -> Option<String> {
    let is_elsewhere = file.starts_with('/') || file.contains([':', '\\', '?', '\0']);
    if is_elsewhere || file.len() > 1_000 {
        return None;
    }
    let file = super::document::unescaped(file);
    let mut steps: Vec<&str> = from.split('/').collect();
    steps.pop();
    for step in file.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    Some(steps.join("/")).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;
    use crate::openapi::{Options, import};

    fn files(path: &str) -> Result<Value, String> {
        Ok(match path {
            "parts/paths.yaml" => json!({ "pets": { "post": {
                "operationId": "addPet",
                "parameters": [{ "$ref": "../openapi.yaml#/components/parameters/dry" }],
                "requestBody": { "content": { "application/json": { "schema": { "$ref": "models/Pet.yaml" } } } }
            } } }),
            "parts/models/Pet.yaml" => json!({
                "type": "object", "required": ["name"],
                "properties": { "name": { "$ref": "#/$defs/Name" }, "mother": { "$ref": "Pet.yaml" },
                                "stone": { "$ref": "Stone.yaml" } },
                "$defs": { "Name": { "type": "string", "maxLength": 20 } }
            }),
            _ => return Err("there is no such file".to_owned()),
        })
    }

    #[test]
    fn a_document_in_several_files_is_one() {
        let mut document = json!({
            "openapi": "3.1.0", "info": { "title": "Pets" }, "servers": [{ "url": "https://a.example" }],
            "paths": { "/pets": { "$ref": "./parts/paths.yaml#/pets" } },
            "components": { "parameters": { "dry": { "name": "dry", "in": "query", "schema": { "type": "boolean" } } } }
        });
        let problems = bundle(&mut document, "openapi.yaml", &mut |path| files(path));
        assert_eq!(problems, ["parts/models/Stone.yaml: there is no such file"]);
        let import = import(&document, &Options::default()).unwrap();
        let tool = &import.tools[0];
        assert_eq!(tool["name"], "addPet");
        let pet = json!({ "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string", "maxLength": 20 }, "mother": { "$ref": "#/$defs/Pet" }, "stone": {} } });
        assert_eq!(tool["input_schema"]["properties"]["dry"], json!({ "type": "boolean" }));
        assert_eq!(tool["input_schema"]["properties"]["name"], pet["properties"]["name"]);
        assert_eq!(tool["input_schema"]["$defs"]["Pet"], pet);
        assert!(import.warnings.iter().any(|warning| warning.contains("Stone.yaml")), "{import:?}");
    }

    #[test]
    fn nothing_outside_of_the_folder_is_asked_for() {
        for reference in [
            "../secrets.yaml",
            "/etc/passwd",
            "a/../../x.yaml",
            "%2e%2e/x.yaml",
            "https://evil.example/x.yaml",
            "file:///etc/passwd",
            "a\\..\\x.yaml",
            "a\0.yaml",
        ] {
            let mut document = json!({ "components": { "x": { "$ref": reference } } });
            let before = document.clone();
            let mut read = |path: &str| -> Result<Value, String> { panic!("{path} was asked for") };
            assert_eq!(bundle(&mut document, "openapi.yaml", &mut read), Vec::<String>::new());
            assert_eq!(document, before);
        }
    }

    #[test]
    fn files_that_name_each_other_without_end_are_bounded() {
        let mut document = json!({ "$ref": "0.yaml" });
        let mut asked = 0;
        let problems = bundle(&mut document, "openapi.yaml", &mut |_| {
            asked += 1;
            Ok(json!([{ "$ref": format!("{asked}.yaml") }, { "$ref": "0.yaml" }]))
        });
        assert!(asked <= MOST + 1, "{asked}");
        assert!(problems[0].contains("more than 500 files"), "{problems:?}");
    }
}
