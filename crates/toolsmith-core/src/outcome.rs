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

    /// Writes the JSON form, to the byte as serde does.
    ///
    /// Every call over HTTP ends with it: names that need no escaping are written as they are.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let Written { call_id, tool_name, version, success, output, error, .. } = self.written();
        let mut text = Vec::with_capacity(512);
        put(&mut text, br#"{"call_id":"#, &call_id)?;
        put(&mut text, br#","tool_name":"#, tool_name)?;
        put(&mut text, br#","version":"#, &version)?;
        put(&mut text, br#","success":"#, &success)?;
        put(&mut text, br#","output":"#, output)?;
        put(&mut text, br#","error":"#, &error)?;
        put(&mut text, br#","started_at":"#, &self.started_at)?;
        put(&mut text, br#","duration_ms":"#, &to_millis(self.duration))?;
        put(&mut text, br#","metadata":"#, &self.metadata)?;
        text.push(b'}');
        Ok(text)
    }

    fn written(&self) -> Written<'_> {
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
    }
}

fn put(
    text: &mut Vec<u8>,
    name: &[u8],
    value: &(impl Serialize + ?Sized),
) -> serde_json::Result<()> {
    text.extend_from_slice(name);
    serde_json::to_writer(text, value)
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
        self.written().serialize(serializer)
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
    fn it_is_written_as_serde_writes_it() {
        let mut cut = outcome(Ok(json!({ "a": [1, "\"x\"\n", null] })));
        cut.metadata.insert("output_cut".to_owned(), json!({ "bytes": 7 }));
        cut.tool_name = "a \"quoted\" name".into();
        cut.version = None;
        let failed = outcome(Err(ToolError::validation("wrong").with_details(json!([1]))));
        for outcome in [cut, failed, outcome(Ok(Value::Null))] {
            let text = String::from_utf8(outcome.to_json().unwrap()).unwrap();
            assert_eq!(text, serde_json::to_string(&outcome).unwrap());
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
