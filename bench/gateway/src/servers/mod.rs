//! The servers that the gateway is compared with, and the tool that all of them have.

pub(crate) mod bare;
pub(crate) mod library;

use std::io::Write as _;

use anyhow::Result;
use tokio::{net::TcpListener, runtime::Runtime};

/// The schema of the tool's input, as the gateway's own `echo` has it.
const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "message": { "type": "string", "description": "The text to give back." }
    },
    "required": ["message"],
    "additionalProperties": false
}"#;

/// Listens on a free port and tells the address as our own server does.
async fn listen() -> Result<TcpListener> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stderr(), "listening on http://{}", listener.local_addr()?)?;
    Ok(listener)
}

/// Makes a runtime with a thread for each core that this process may use.
fn runtime() -> Result<Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}
