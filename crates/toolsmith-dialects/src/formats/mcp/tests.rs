//! Samples of the dialect of the Model Context Protocol.

use serde_json::{Value, json};

use super::super::samples::{calls, read_answer, specs};
use crate::{Dialect, Provenance, RenderSettings, ShownResult, render_results, render_tools};

#[test]
fn requests_are_read() {
    let text = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}});
    let other = json!({"jsonrpc": "2.0", "method": "ping"});
    let reply = read_answer(Dialect::Mcp, &format!("{text}\n{other}\n"));
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(reply.calls[0].id.as_deref(), Some("7"));
    assert_eq!(read_answer(Dialect::Auto, &text.to_string()).calls.len(), 1);
}

#[test]
fn definitions_and_results_are_those_of_the_protocol() {
    let specs = specs();
    let shown =
        render_tools(Dialect::Mcp, &specs.iter().collect::<Vec<_>>(), &RenderSettings::default());
    assert_eq!(shown.content[1]["name"], "file.write");
    assert_eq!(shown.content[1]["inputSchema"]["type"], "object");
    assert!(shown.changes.is_empty());
    let output = json!({"sum": 3});
    let results =
        [ShownResult { id: None, name: "add", result: Ok(&output), provenance: Provenance::Own }];
    let answer: Value = serde_json::from_str(&render_results(Dialect::Mcp, &results)).unwrap();
    assert_eq!(answer["result"]["structuredContent"], output);
    assert_eq!(answer["result"]["isError"], false);
    assert_eq!(answer["result"]["_meta"], Value::Null);
    let outside = results.map(|shown| ShownResult { provenance: Provenance::Outside, ..shown });
    let answer: Value = serde_json::from_str(&render_results(Dialect::Mcp, &outside)).unwrap();
    let told = &answer["result"]["_meta"]["toolsmith/metadata"]["provenance"];
    assert_eq!(told["from"], "outside", "{answer}");
}

#[test]
fn an_answer_has_the_value_and_the_type_of_its_request() {
    let output = json!(1);
    for id in [json!(7), json!("7"), json!(-1.5), json!("abc"), json!("\"x\""), json!("")] {
        let request =
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "add"}});
        let reply = read_answer(Dialect::Mcp, &request.to_string());
        let id_text = reply.calls[0].id.as_deref();
        let results = [ShownResult {
            id: id_text,
            name: "add",
            result: Ok(&output),
            provenance: Provenance::Own,
        }];
        let answer: Value = serde_json::from_str(&render_results(Dialect::Mcp, &results)).unwrap();
        assert_eq!(answer["id"], id);
    }
}
