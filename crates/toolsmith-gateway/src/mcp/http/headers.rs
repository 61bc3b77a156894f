//! Headers that repeat what a message says: both must agree.

use axum::http::HeaderMap;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;

use crate::mcp::{
    meta::Meta,
    refusal::Refusal,
    wire::{Request, Word, params},
};

/// The header that names the session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// The header that names the revision.
pub(crate) const REVISION: &str = "mcp-protocol-version";

const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// Returns the text of a header, without the space around it.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[derive(Default, Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    name: Option<Word<'a>>,
    #[serde(borrow)]
    uri: Option<Word<'a>>,
    #[serde(borrow, rename = "taskId")]
    task: Option<Word<'a>>,
}

/// Checks that the headers of a request say what it says itself; there are none on stdio.
pub(crate) fn check(
    headers: Option<&HeaderMap>,
    request: &Request<'_>,
    meta: Option<&Meta<'_>>,
    tool: Option<&str>,
) -> Result<(), Refusal> {
    let Some(headers) = headers else { return Ok(()) };
    let agree = |header: &str, said: &str| {
        let written = text(headers, header);
        if written.and_then(decoded).as_deref() == Some(said) {
            return Ok(());
        }
        let written = written.map_or("is missing".to_owned(), |text| format!("says `{text}`"));
        let why = format!("The header `{header}` {written}, and the message says `{said}`.");
        Err(Refusal::header_mismatch(why.chars().take(500).collect::<String>()))
    };
    agree(METHOD, &request.method)?;
    if let Some(revision) = meta.and_then(|meta| meta.revision.as_ref()) {
        agree(REVISION, &revision.0)?;
    }
    match (request.method.as_ref(), tool) {
        (_, Some(tool)) => agree(NAME, tool),
        (
            "prompts/get" | "resources/read" | "tasks/get" | "tasks/update" | "tasks/cancel",
            None,
        ) => {
            let named: Named<'_> = params(request.params)?;
            match named.name.or(named.uri).or(named.task) {
                Some(said) => agree(NAME, &said.0),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Returns what a header means: a text as it is, or Base64 in its marks.
pub(crate) fn decoded(written: &str) -> Option<String> {
    let inner = written.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match inner {
        Some(inner) => String::from_utf8(STANDARD.decode(inner).ok()?).ok(),
        None => Some(written.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_marks_is_base64_and_any_other_is_itself() {
        assert_eq!(decoded("plain").as_deref(), Some("plain"));
        assert_eq!(decoded("=?base64?SGVsbG8=?=").as_deref(), Some("Hello"));
        assert_eq!(decoded("=?base64?SGVsbG8=").as_deref(), Some("=?base64?SGVsbG8="));
        for wrong in ["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?="] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }
}
