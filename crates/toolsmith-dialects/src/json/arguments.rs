//! Reads the JSON arguments of a call.

use std::ops::Range;

use serde_json::{Map, Value};

use super::read_plain;
use crate::{CallState, Fix, ProblemKind, Repairs, output::Output, repair};

/// Reads arguments that a dialect writes as one JSON object, and notes what is odd.
///
/// No text at all and `null` are no arguments. An object inside a JSON string is unpacked. What
/// cannot be read comes back as the raw string, and its call is not to be run.
pub(crate) fn read_arguments(
    raw: &str,
    range: Range<usize>,
    out: &mut Output<'_>,
) -> (Value, CallState) {
    if raw.trim().is_empty() {
        return (Value::Object(Map::new()), CallState::Complete);
    }
    let Some((value, fixes)) = read(raw, out.settings.repairs) else {
        out.problem(
            ProblemKind::UnreadableArguments,
            range,
            "the arguments are not a JSON object, and cannot be repaired; write them as one, with quotes inside strings escaped",
        );
        return (Value::String(raw.to_owned()), CallState::Unreadable);
    };
    for fix in fixes {
        out.problem(fix.kind(), range.clone(), fix.as_str());
    }
    (value, CallState::Complete)
}

fn read(raw: &str, repairs: Repairs) -> Option<(Value, Vec<Fix>)> {
    let (value, mut fixes) = match read_plain(raw) {
        Ok((value, is_repeated)) => (value, repeated(is_repeated)),
        Err(_) if repairs == Repairs::Refuse => return None,
        Err(_) => repair(raw).map(|repaired| (repaired.value, repaired.fixes))?,
    };
    match value {
        Value::Object(_) => Some((value, fixes)),
        Value::Null => Some((Value::Object(Map::new()), fixes)),
        Value::String(inner) if repairs == Repairs::Try => {
            let (inner, is_repeated) = read_plain(&inner).ok().filter(|(v, _)| v.is_object())?;
            fixes.push(Fix::DoubleEncoded);
            fixes.extend(repeated(is_repeated));
            Some((inner, fixes))
        }
        _ => None,
    }
}

fn repeated(is_repeated: bool) -> Vec<Fix> {
    if is_repeated { vec![Fix::RepeatedKey] } else { Vec::new() }
}
