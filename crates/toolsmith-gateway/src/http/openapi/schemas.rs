//! The schemas of what is sent and answered.

use toolsmith_core::{Value, json};

/// Returns every schema by its name.
pub(super) fn all() -> Value {
    json!({
        "Any": {},
        "Error": {
            "type": "object",
            "required": ["error"],
            "properties": { "error": {
                "type": "object",
                "required": ["type", "message"],
                "properties": { "type": { "type": "string" }, "message": { "type": "string" } },
            } },
        },
        "Health": {
            "type": "object",
            "required": ["status", "version", "uptime_s"],
            "properties": { "status": { "enum": ["ok", "degraded"] } },
        },
        "Sign": object(&["status"]),
        "Call": call(),
        "Calls": {
            "type": "object",
            "required": ["calls"],
            "additionalProperties": false,
            "properties": { "calls": {
                "type": "array",
                "maxItems": 1_000,
                "items": { "$ref": "#/components/schemas/Call" },
            } },
        },
        "Begun": object(&["call_id"]),
        "Outcome": object(&[
            "call_id", "tool_name", "success", "output", "error", "started_at", "duration_ms",
            "metadata",
        ]),
        "OutcomeOrError": { "anyOf": [
            { "$ref": "#/components/schemas/Outcome" },
            { "$ref": "#/components/schemas/Error" },
        ] },
        "Outcomes": object(&["outcomes"]),
        "Report": object(&["call_id", "state"]),
        "Question": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": false,
            "properties": {
                "message": { "type": "string" },
                "chat_id": { "type": ["string", "null"] },
            },
        },
        "Reply": object(&["response", "chat_id"]),
        "Verdict": {
            "type": "object",
            "required": ["decision"],
            "additionalProperties": false,
            "properties": { "decision": { "enum": ["approve", "deny"] } },
        },
    })
}

fn object(required: &[&str]) -> Value {
    json!({ "type": "object", "required": required })
}

fn call() -> Value {
    let text = json!({ "type": ["string", "null"] });
    json!({
        "type": "object",
        "required": ["tool_id"],
        "additionalProperties": false,
        "properties": {
            "tool_id": { "type": "string" },
            "params": { "type": ["object", "null"] },
            "context": {
                "type": ["object", "null"],
                "additionalProperties": false,
                "properties": {
                    "conversation_id": text,
                    "thread_id": text,
                    "task_id": text,
                    "workflow_id": text,
                    "timeout": { "type": ["number", "null"], "exclusiveMinimum": 0 },
                    "priority": {
                        "type": ["integer", "null"],
                        "minimum": i32::MIN,
                        "maximum": i32::MAX,
                    },
                    "idempotency_key": text,
                    "variables": { "type": "object" },
                },
            },
        },
    })
}
