//! The answer to a request, written member by member into one buffer.

use serde::Serialize;
use toolsmith_core::{Map, Value};

use super::{
    revision::Revision,
    wire::{Id, put},
};

/// For how long a client may show a list without asking again.
const FRESH_MS: u32 = 5_000;

/// Who we are, for the `_meta` of every answer.
const SIGNATURE: &str = concat!(
    r#""io.modelcontextprotocol/serverInfo":{"name":"toolsmith","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}"#
);

/// How long an answer may be kept by the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// For a while: changes are told to whoever listens.
    ForAWhile,
    /// Not at all.
    Now,
}

/// The result of a request, under construction.
#[derive(Debug)]
pub(crate) struct Writing {
    text: Vec<u8>,
    revision: Revision,
    is_begun: bool,
    meta: Map<String, Value>,
}

impl Writing {
    /// Begins the answer to a request.
    pub(crate) fn to(id: Id<'_>, revision: Revision) -> Self {
        let mut text = Vec::with_capacity(512);
        text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        text.extend_from_slice(id.as_json().as_bytes());
        text.extend_from_slice(br#","result":{"#);
        Self { text, revision, is_begun: false, meta: Map::new() }
    }

    /// Begins a member, and returns where its value is written.
    pub(crate) fn member(&mut self, name: &str) -> &mut Vec<u8> {
        if self.is_begun {
            self.text.push(b',');
        }
        self.is_begun = true;
        put(&mut self.text, name);
        self.text.push(b':');
        &mut self.text
    }

    /// Writes a member.
    pub(crate) fn put(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        put(self.member(name), value);
    }

    /// Writes the members of an object; those that every answer has are kept for the end.
    pub(crate) fn put_all(&mut self, members: Map<String, Value>) {
        for (name, value) in members {
            match (name.as_str(), value) {
                ("_meta", Value::Object(meta)) => self.meta.extend(meta),
                ("_meta" | "resultType" | "ttlMs" | "cacheScope", _) => {}
                (name, value) => self.put(name, &value),
            }
        }
    }

    /// Says for how long the answer holds, where clients keep answers.
    pub(crate) fn holds(&mut self, freshness: Freshness) {
        if self.revision.is_stateless() {
            let millis = if freshness == Freshness::ForAWhile { FRESH_MS } else { 0 };
            self.put("ttlMs", &millis);
            // What is listed depends on who asks.
            self.put("cacheScope", "private");
        }
    }

    /// Adds something that is no part of the result itself.
    pub(crate) fn note(&mut self, name: &str, value: Value) {
        self.meta.insert(name.to_owned(), value);
    }

    /// Ends a result that is complete.
    pub(crate) fn end(self) -> Vec<u8> {
        self.end_as("complete")
    }

    /// Ends a result of a type.
    pub(crate) fn end_as(mut self, result_type: &str) -> Vec<u8> {
        if self.revision.is_stateless() {
            self.put("resultType", result_type);
            self.meta.remove("io.modelcontextprotocol/serverInfo");
            let others = std::mem::take(&mut self.meta);
            let text = self.member("_meta");
            text.push(b'{');
            text.extend_from_slice(SIGNATURE.as_bytes());
            for (name, value) in &others {
                text.push(b',');
                put(text, name);
                text.push(b':');
                put(text, value);
            }
            text.push(b'}');
        } else if !self.meta.is_empty() {
            let meta = std::mem::take(&mut self.meta);
            self.put("_meta", &meta);
        }
        self.text.extend_from_slice(b"}}");
        self.text
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    fn written(revision: Revision) -> Value {
        let mut writing = Writing::to(Id::from_json("7"), revision);
        writing.put("tools", &["a"]);
        writing.holds(Freshness::Now);
        writing.note("toolsmith/a", json!(1));
        serde_json::from_slice(&writing.end()).unwrap()
    }

    #[test]
    fn an_answer_has_what_its_revision_wants() {
        let old = written(Revision::Nov2025);
        let meta = json!({ "toolsmith/a": 1 });
        assert_eq!(
            old,
            json!({ "jsonrpc": "2.0", "id": 7, "result": { "tools": ["a"], "_meta": meta } })
        );
        let new = written(Revision::Jul2026);
        assert_eq!(new["result"]["resultType"], "complete");
        assert_eq!(new["result"]["ttlMs"], 0);
        let name = &new["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
        assert_eq!(name, "toolsmith");
        assert_eq!(new["result"]["_meta"]["toolsmith/a"], 1);
    }

    #[test]
    fn an_empty_result_is_an_empty_object() {
        let text = Writing::to(Id::from_json("\"x\""), Revision::Nov2025).end();
        assert_eq!(text, br#"{"jsonrpc":"2.0","id":"x","result":{}}"#);
    }
}
