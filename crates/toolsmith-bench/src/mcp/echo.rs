//! A server of one tool, as small as it can be: what is measured is the client.

use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::web;
use crate::arguments::Arguments;

/// Answers until its input ends; notes its start in a file when asked to.
pub(crate) fn serve(arguments: &Arguments) -> Result<()> {
    if arguments.has("http") {
        return web::serve();
    }
    if let Ok(file) = arguments.text("starts") {
        let mut file = std::fs::OpenOptions::new().append(true).open(file)?;
        writeln!(file, "{}", std::process::id())?;
    }
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        if let Some(answer) = respond(line?.as_bytes())? {
            // One line is one write: what the client reads comes in one piece.
            output.write_all(format!("{answer}\n").as_bytes()).context("nobody listens")?;
            output.flush()?;
        }
    }
    Ok(())
}

/// Answers a message; nothing when it asks nothing.
pub(super) fn respond(message: &[u8]) -> Result<Option<Value>> {
    let message: Value = serde_json::from_slice(message)?;
    let Some(id) = message.get("id") else { return Ok(None) };
    Ok(Some(match answer(&message) {
        Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        None => {
            let error = json!({ "code": -32601, "message": "Method not found" });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }))
}

fn answer(message: &Value) -> Option<Value> {
    match message.get("method")?.as_str()? {
        "initialize" => Some(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "echo", "version": "1" },
        })),
        "tools/list" => {
            let schema = json!({
                "type": "object",
                "properties": { "text": { "type": "string" } },
                "required": ["text"],
            });
            Some(json!({ "tools": [{ "name": "echo", "inputSchema": schema }] }))
        }
        "tools/call" => {
            let text = message.pointer("/params/arguments/text").cloned().unwrap_or_default();
            Some(json!({ "content": [{ "type": "text", "text": text }] }))
        }
        _ => None,
    }
}
