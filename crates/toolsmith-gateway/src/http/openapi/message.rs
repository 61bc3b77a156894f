//! Messages of MCP, as the description shows them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// A message of JSON-RPC 2.0; what is in it, the MCP specification says.
#[derive(Debug)]
pub(in crate::http) enum Message {}

impl JsonSchema for Message {
    fn schema_name() -> Cow<'static, str> {
        "Message".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A message of JSON-RPC 2.0; what is in it, the MCP specification says.",
            "type": "object",
            "additionalProperties": true,
            "required": ["jsonrpc"],
            "properties": {
                "jsonrpc": { "const": "2.0" },
                "id": { "type": ["string", "integer", "null"] },
                "method": { "type": "string" },
                "params": { "type": "object" },
                "result": { "type": "object" },
                "error": {
                    "type": "object",
                    "additionalProperties": true,
                    "required": ["code", "message"],
                    "properties": {
                        "code": { "type": "integer" },
                        "message": { "type": "string" },
                    },
                },
            },
        })
    }
}
