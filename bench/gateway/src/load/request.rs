//! What is sent: written once for each connection, with numbers that change from call to call.

use anyhow::{Result, ensure};
use memchr::memmem;
use serde_json::{Value, json};

use super::{Plan, Speech, client::Answer};

/// Stands where the number of a call goes.
const PLACE: &str = "99999999";

/// The message that is echoed; no two are the same, so that nobody can answer for another call.
const MESSAGE: &str = "message 99999999 of a usual length, to be given back as it is";

/// A call, ready to be sent.
pub(crate) struct Request {
    bytes: Vec<u8>,
    places: Vec<usize>,
    /// What an answer must hold, and where in it the number stands.
    wanted: Vec<(Vec<u8>, usize)>,
}

impl Request {
    /// Writes the call of a plan.
    pub(crate) fn of_call(plan: &Plan, session: Option<&str>) -> Result<Self> {
        let mut wanted = vec![MESSAGE.to_owned()];
        let (headers, body) = match plan.speech {
            Speech::RunTool => {
                wanted.push(r#""success":true"#.to_owned());
                let body = json!({ "tool_id": plan.tool, "params": { "message": MESSAGE } });
                (String::new(), body)
            }
            Speech::Mcp2025 => {
                wanted.push(format!(r#""id":{PLACE}"#));
                (mcp_headers("2025-11-25", session), tools_call(plan, None))
            }
            Speech::Mcp2026 => {
                wanted.push(format!(r#""id":{PLACE}"#));
                let (headers, tool) = (mcp_headers("2026-07-28", None), &plan.tool);
                let headers = format!("{headers}mcp-method: tools/call\r\nmcp-name: {tool}\r\n");
                let meta = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {},
                });
                (headers, tools_call(plan, Some(meta)))
            }
        };
        let bytes = post(plan, &headers, &body);
        let places: Vec<usize> = memmem::find_iter(&bytes, PLACE).collect();
        ensure!(!places.is_empty(), "a call has no place for its number");
        let wanted = wanted.into_iter().map(String::into_bytes);
        let wanted = wanted.map(|text| {
            let place = memmem::find(&text, PLACE.as_bytes()).unwrap_or(usize::MAX);
            (text, place)
        });
        Ok(Self { places, wanted: wanted.collect(), bytes })
    }

    /// Puts the number of the next call in its places.
    pub(crate) fn number(&mut self, number: u32) {
        let mut digits = [0; PLACE.len()];
        let mut rest = number;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
        for &place in &self.places {
            write_at(&mut self.bytes, place, &digits);
        }
        for (text, place) in &mut self.wanted {
            write_at(text, *place, &digits);
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Fails unless the answer is that of the call.
    pub(crate) fn check(&self, answer: &Answer<'_>) -> Result<()> {
        answer.must_be_good()?;
        for (text, _) in &self.wanted {
            ensure!(
                memmem::find(answer.body, text).is_some(),
                "`{}` is missing in {}",
                String::from_utf8_lossy(text),
                String::from_utf8_lossy(answer.body)
            );
        }
        let is_error = memmem::find(answer.body, br#""isError":true"#).is_some();
        ensure!(!is_error, "the tool failed: {}", String::from_utf8_lossy(answer.body));
        Ok(())
    }
}

fn write_at(text: &mut [u8], place: usize, digits: &[u8]) {
    if let Some(there) = text.get_mut(place..).and_then(|text| text.get_mut(..digits.len())) {
        there.copy_from_slice(digits);
    }
}

/// Writes the greeting of MCP 2025-11-25.
pub(crate) fn initialize(plan: &Plan) -> Vec<u8> {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "bench", "version": "1" },
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    post(plan, &mcp_headers("2025-11-25", None), &body)
}

/// Writes what follows the greeting.
pub(crate) fn initialized(plan: &Plan, session: Option<&str>) -> Vec<u8> {
    let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    post(plan, &mcp_headers("2025-11-25", session), &body)
}

fn tools_call(plan: &Plan, meta: Option<Value>) -> Value {
    let number: u32 = PLACE.parse().unwrap_or_default();
    let mut params = json!({ "name": plan.tool, "arguments": { "message": MESSAGE } });
    if let (Some(meta), Some(params)) = (meta, params.as_object_mut()) {
        params.insert("_meta".to_owned(), meta);
    }
    json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params })
}

fn mcp_headers(revision: &str, session: Option<&str>) -> String {
    let session = session.map_or(String::new(), |id| format!("mcp-session-id: {id}\r\n"));
    format!(
        "accept: application/json, text/event-stream\r\nmcp-protocol-version: {revision}\r\n{session}"
    )
}

fn post(plan: &Plan, headers: &str, body: &Value) -> Vec<u8> {
    let (path, address, body) = (&plan.path, plan.address, body.to_string());
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         {headers}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
