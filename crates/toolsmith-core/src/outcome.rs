//! What came of a call.

use std::{borrow::Cow, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::{CallId, Text, Timestamp, ToolError};

/// What came of a call; in JSON `{call_id, tool_name, version, success, output, error,
/// started_at, duration_ms, metadata}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The identifier of the call, and of its record.
    pub call_id: CallId,
    /// The tool; as the caller wrote it when there is no such tool.
    pub tool_name: Text,
    /// The version that was chosen, when a tool was found.
    pub version: Option<Text>,
    /// The output, or why there is none.
    pub result: Result<Value, ToolError>,
    /// When the call arrived.
    pub started_at: Timestamp,
    /// How long it took, waiting included.
    pub duration: Duration,
    /// Notes of the engine: dropped parameters, reuse, deprecation, retries, artifacts.
    pub metadata: Map<String, Value>,
}

impl Outcome {
    /// Tells whether the call succeeded.
    pub fn is_success(&self) -> bool {
        self.result.is_ok()
    }

    /// Returns the output; null when the call failed.
    pub fn output(&self) -> &Value {
        self.result.as_ref().unwrap_or(&Value::Null)
    }

    /// Returns the error of a failed call.
    pub fn error(&self) -> Option<&ToolError> {
        self.result.as_ref().err()
    }
}

/// Returns milliseconds with the microseconds behind the point, as the JSON forms have them.
pub fn to_millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

/// The public JSON form, borrowed for writing.
#[derive(Serialize, JsonSchema)]
struct Written<'a> {
    call_id: CallId,
    tool_name: &'a str,
    version: Option<&'a str>,
    success: bool,
    output: &'a Value,
    error: Option<&'a ToolError>,
    started_at: Timestamp,
    duration_ms: f64,
    metadata: &'a Map<String, Value>,
}

/// The schema of the JSON form.
impl JsonSchema for Outcome {
    fn schema_name() -> Cow<'static, str> {
        "Outcome".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Written::json_schema(generator)
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written {
            call_id: self.call_id,
            tool_name: &self.tool_name,
            version: self.version.as_deref(),
            success: self.is_success(),
            output: self.output(),
            error: self.error(),
            started_at: self.started_at,
            duration_ms: to_millis(self.duration),
            metadata: &self.metadata,
        }
        .serialize(serializer)
    }
}

/// The public JSON form, as another program sent it.
#[derive(Deserialize)]
struct Read {
    call_id: CallId,
    tool_name: Text,
    version: Option<Text>,
    #[serde(default)]
    output: Value,
    error: Option<ToolError>,
    started_at: Timestamp,
    duration_ms: f64,
    #[serde(default)]
    metadata: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Read::deserialize(deserializer)?;
        let duration = Duration::try_from_secs_f64(read.duration_ms / 1_000.0);
        Ok(Self {
            call_id: read.call_id,
            tool_name: read.tool_name,
            version: read.version,
            result: read.error.map_or(Ok(read.output), Err),
            started_at: read.started_at,
            duration: duration.unwrap_or_default(),
            metadata: read.metadata,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(result: Result<Value, ToolError>) -> Outcome {
        Outcome {
            call_id: CallId::from_parts(Timestamp::from_millis(1_763_164_800_000), 1),
            tool_name: "echo".into(),
            version: Some("1.0.0".into()),
            result,
            started_at: Timestamp::from_millis(1_763_164_800_000),
            duration: Duration::from_micros(1_500),
            metadata: Map::new(),
        }
    }

    #[test]
    fn json_form_is_that_of_the_contract() {
        assert_eq!(
            serde_json::to_value(outcome(Ok(json!({"message": "hi"})))).unwrap(),
            json!({
                "call_id": "019a84cf-c400-7000-8000-000000000001",
                "tool_name": "echo",
                "version": "1.0.0",
                "success": true,
                "output": {"message": "hi"},
                "error": null,
                "started_at": "2025-11-15T00:00:00.000Z",
                "duration_ms": 1.5,
                "metadata": {}
            })
        );
    }

    #[test]
    fn it_survives_json_whether_it_succeeded_or_not() {
        for result in [Ok(json!(null)), Ok(json!([1])), Err(ToolError::failed("no"))] {
            let before = outcome(result);
            let text = serde_json::to_string(&before).unwrap();
            assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), before);
        }
    }
}
