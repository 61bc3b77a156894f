//! The sample of the older system's documentation loads as it is.

use std::{fs, path::Path};

use serde_json::json;

use crate::support::{Place, Ran};

/// The sample, when the documents lie beside the project.
fn sample() -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    let file = fs::read_dir(folder)
        .ok()?
        .filter_map(Result::ok)
        .find(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with("001")))?;
    let text = fs::read_to_string(file.path()).ok()?;
    let (_, from) = text.split_once("```yaml\n")?;
    Some(from.split_once("```")?.0.to_owned())
}

#[test]
fn the_older_sample_loads_as_it_is() {
    let Some(sample) = sample() else {
        println!("SKIPPED: the documents with the sample are not beside the project");
        return;
    };
    let place = Place::new().with("toolsmith.yaml", &sample);
    let mut command = place.command(&["config", "show", "--json"]);
    let ran = Ran::of(command.env("WEB_SEARCH_API_KEY", "tvly-0123456789"));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let shown = ran.json();
    for (key, value) in [
        ("limits.default_timeout", json!(30)),
        ("limits.max_concurrent", json!(3)),
        ("allowed_paths", json!(["./data", "./docs", "./src"])),
        ("tools.webSearch.provider", json!("tavily")),
        ("tools.webSearch.apiKey", json!("***")),
        ("tools.webSearch.maxResults", json!(10)),
    ] {
        assert_eq!(shown[key]["value"], value, "{key}");
        assert!(shown[key]["source"].as_str().unwrap().starts_with("file toolsmith.yaml:"));
    }
    let servers = shown["mcpServers"]["value"].as_array().unwrap();
    let summary: Vec<_> = servers.iter().map(|s| (&s["name"], &s["url"], &s["enabled"])).collect();
    assert_eq!(
        summary,
        [
            (&json!("filesystem"), &json!("http://localhost:3000"), &json!(true)),
            (&json!("database"), &json!("http://localhost:3001"), &json!(false)),
        ]
    );
    assert!(!ran.stdout.contains("tvly-0123456789"));
}
