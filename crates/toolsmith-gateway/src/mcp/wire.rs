//! JSON-RPC as MCP speaks it: a message is read without copying, an answer is written at once.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::refusal::Refusal;
use crate::words;

/// The longest identifier of a request that is taken; some are kept for as long as a call runs.
const LONGEST_ID: usize = 1_024;

/// One message of the other side.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    /// It wants an answer.
    Request(Request<'a>),
    /// It tells something.
    Notification(Notification<'a>),
    /// It answers what we asked.
    Response(Response<'a>),
}

/// A message that wants an answer.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    /// What the answer must repeat.
    pub(crate) id: Id<'a>,
    /// What is wanted.
    pub(crate) method: Cow<'a, str>,
    /// The rest, not read yet.
    pub(crate) params: Option<&'a RawValue>,
}

/// A message that wants no answer.
#[derive(Debug)]
pub(crate) struct Notification<'a> {
    /// What is told.
    pub(crate) method: Cow<'a, str>,
    /// The rest, not read yet.
    pub(crate) params: Option<&'a RawValue>,
}

/// An answer to a request of ours.
#[derive(Debug)]
pub(crate) struct Response<'a> {
    /// Which request.
    pub(crate) id: Id<'a>,
    /// The result, or the error.
    pub(crate) outcome: Result<&'a RawValue, &'a RawValue>,
}

/// The identifier of a request, as its JSON text: it goes back to the byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id<'a>(&'a str);

impl<'a> Id<'a> {
    /// Takes the text of a string or of a whole number.
    fn of(raw: &'a RawValue) -> Option<Self> {
        let text = raw.get();
        let is_number = || {
            let digits = text.strip_prefix('-').unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_legal = text.len() <= LONGEST_ID && (text.starts_with('"') || is_number());
        is_legal.then_some(Self(text))
    }

    /// Returns the JSON text.
    pub(crate) fn as_json(self) -> &'a str {
        self.0
    }

    /// Takes JSON text that was an identifier before.
    pub(crate) fn from_json(text: &'a str) -> Self {
        Self(text)
    }
}

/// A message that is none, and what is known of whom to tell.
#[derive(Debug)]
pub(crate) struct Unreadable<'a> {
    /// The identifier, when that much could be read.
    pub(crate) id: Option<Id<'a>>,
    /// What to tell.
    pub(crate) refusal: Refusal,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Word<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Word<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// A text that is borrowed unless it has escapes.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Word<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// Keeps whatever is there, null too.
pub(crate) fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads one message.
pub(crate) fn read(text: &str) -> Result<Message<'_>, Unreadable<'_>> {
    let refused = |id, refusal| Unreadable { id, refusal };
    if text.trim_start().starts_with('[') {
        return Err(refused(None, Refusal::invalid_request("Send one message at a time.")));
    }
    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|error| {
        let refusal = match error.classify() {
            serde_json::error::Category::Data => Refusal::invalid_request(error.to_string()),
            _ => Refusal::unreadable(format!("The message is not JSON: {error}.")),
        };
        refused(None, refusal)
    })?;
    let id = envelope.id.map(Id::of);
    let known = id.flatten();
    if envelope.jsonrpc != Some(Word("2.0".into())) {
        let why = "A message of JSON-RPC has the member `\"jsonrpc\": \"2.0\"`.";
        return Err(refused(known, Refusal::invalid_request(why)));
    }
    if id == Some(None) {
        let why = "An `id` is a text or a whole number, and not long.";
        return Err(refused(None, Refusal::invalid_request(why)));
    }
    let Envelope { method, params, result, error, .. } = envelope;
    match (known, method, result, error) {
        (Some(id), Some(Word(method)), None, None) => {
            Ok(Message::Request(Request { id, method, params }))
        }
        (None, Some(Word(method)), None, None) => {
            Ok(Message::Notification(Notification { method, params }))
        }
        (Some(id), None, Some(result), None) => {
            Ok(Message::Response(Response { id, outcome: Ok(result) }))
        }
        (Some(id), None, None, Some(error)) => {
            Ok(Message::Response(Response { id, outcome: Err(error) }))
        }
        _ => {
            let why = "A message has a `method`, or an `id` with a `result` or an `error`.";
            Err(refused(known, Refusal::invalid_request(why)))
        }
    }
}

/// Reads the parameters of a message; none are an empty object.
pub(crate) fn params<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Result<T, Refusal> {
    serde_json::from_str(raw.map_or("{}", RawValue::get)).map_err(|error| {
        let why = words::plain(&error);
        Refusal::invalid_meta(format!("`params` cannot be read: {why}."))
    })
}

/// Writes the answer that a request is refused.
pub(crate) fn refusal(id: Option<Id<'_>>, refusal: &Refusal) -> Vec<u8> {
    let mut text = Vec::with_capacity(192);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    text.extend_from_slice(id.map_or("null", Id::as_json).as_bytes());
    text.extend_from_slice(br#","error":"#);
    put(&mut text, refusal);
    text.push(b'}');
    text
}

/// Writes a message that wants no answer.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    let mut text = Vec::with_capacity(192);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    put(&mut text, &method);
    text.extend_from_slice(br#","params":"#);
    put(&mut text, params);
    text.push(b'}');
    text
}

/// Writes a request of ours.
pub(crate) fn request(id: u64, method: &str, params: &impl Serialize) -> Vec<u8> {
    let mut text = Vec::with_capacity(256);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    put(&mut text, &id);
    text.extend_from_slice(br#","method":"#);
    put(&mut text, &method);
    text.extend_from_slice(br#","params":"#);
    put(&mut text, params);
    text.push(b'}');
    text
}

/// Appends a value as JSON.
pub(crate) fn put(text: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Memory takes every byte, and our values have no keys that are not texts.
    serde_json::to_writer(text, value).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_goes_back_to_the_byte() {
        for id in ["1", "-7", "\"a\"", r#""\u00e9\n""#, "123456789012345678901234567890"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"ping"}}"#);
            let Ok(Message::Request(request)) = read(&text) else { panic!("{id}") };
            assert_eq!(request.id.as_json(), id);
            let answer = refusal(Some(request.id), &Refusal::unknown_method("ping"));
            assert!(String::from_utf8(answer).unwrap().contains(&format!("\"id\":{id},")));
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_right_code() {
        let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"a"}}"#, "x".repeat(2_000));
        for (text, code) in [
            ("", -32700),
            ("{", -32700),
            ("nonsense", -32700),
            ("[]", -32600),
            ("1", -32600),
            ("{}", -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","method":7}"#, -32600),
            (long.as_str(), -32600),
        ] {
            let unreadable = read(text).unwrap_err();
            assert_eq!(unreadable.refusal.code(), code, "{text}");
        }
    }

    #[test]
    fn the_three_kinds_are_told_apart() {
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            Ok(Message::Notification(_))
        ));
        let answer = read(r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"m"}}"#);
        assert!(matches!(answer, Ok(Message::Response(Response { outcome: Err(_), .. }))));
        let answer = read(r#"{"jsonrpc":"2.0","id":3,"result":null}"#);
        assert!(matches!(answer, Ok(Message::Response(Response { outcome: Ok(_), .. }))));
    }
}
