//! Entries that are wrong say what is wrong.

use toolsmith_core::{Value, json};

use super::*;

fn faults(entry: &Value) -> Vec<String> {
    let yard = Yard::new(BTreeMap::new());
    let maker = ProcessMaker::new(yard.services.clone());
    workbench::make(&maker, entry, &[], yard.folder.path()).err().unwrap_or_default()
}

#[test]
fn wrong_entries_say_what_is_wrong() {
    for (entry, expected) in [
        (
            json!({}),
            "/entry: `dir` is missing: say where the project is, or which `command` to start",
        ),
        (
            json!({ "command": "serve --port 1" }),
            "/entry/command: no shell takes this apart; write it as a list: [serve, --port, 1]",
        ),
        (
            json!({ "command": [] }),
            "/entry/command: expected a list that begins with the program, found a list",
        ),
        (
            json!({ "dir": ".", "host_dir": "." }),
            "/entry/host_dir: `dir` means the same; write one of them",
        ),
        (
            json!({ "dir": ".", "endpoint_path": "run" }),
            "/entry/endpoint_path: expected a path that begins with `/`, found \"run\"",
        ),
        (
            json!({ "dir": ".", "http_method": "PSOT" }),
            "/entry/http_method: expected one of `POST`, `GET`, `PUT`, `PATCH`, `DELETE`, found \
             \"PSOT\". Did you mean `POST`?",
        ),
        (
            json!({ "dir": ".", "health": { "pth": "/" } }),
            "/entry/health/pth: unknown key `pth`. Did you mean `path`?",
        ),
        (json!({ "dir": ".", "idel": 5 }), "/entry/idel: unknown key `idel`. Did you mean `idle`?"),
    ] {
        assert_eq!(faults(&entry), [expected]);
    }
}
