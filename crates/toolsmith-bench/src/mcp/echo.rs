//! A server of one tool, as small as it can be: what is measured is the client.

use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::arguments::Arguments;

/// Answers until its input ends; notes its start in a file when asked to.
pub(crate) fn serve(arguments: &Arguments) -> Result<()> {
    if let Ok(file) = arguments.text("starts") {
        let mut file = std::fs::OpenOptions::new().append(true).open(file)?;
        writeln!(file, "{}", std::process::id())?;
    }
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id") else { continue };
        let answer = match answer(&message) {
            Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            None => {
                let error = json!({ "code": -32601, "message": "Method not found" });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        writeln!(output, "{answer}").context("nobody listens")?;
        output.flush()?;
    }
    Ok(())
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
