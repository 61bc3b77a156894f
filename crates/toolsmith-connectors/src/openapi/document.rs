//! The document: which version it is, and what its references mean.

use std::{cell::RefCell, collections::HashMap};

use toolsmith_core::Value;

use super::{ImportError, wording};

/// How many references may lead to each other.
const HOPS: usize = 32;

/// A document that is being imported.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) root: &'a Value,
    pub(super) dialect: Dialect,
    /// Texts that were made short: one schema is described for many operations.
    briefs: RefCell<HashMap<(*const u8, usize, usize), String>>,
}

/// How a document speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Swagger 2.0.
    Two,
    /// OpenAPI 3.
    Three,
}

impl<'a> Document<'a> {
    /// Finds out what a document is.
    pub(super) fn open(root: &'a Value) -> Result<Self, ImportError> {
        let word = |key: &str| match root.get(key) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        if !root.is_object() {
            return Err(ImportError::new("it is no OpenAPI document: it is not a map of keys"));
        }
        let dialect = match (word("openapi"), word("swagger")) {
            (Some(version), _) if version == "3" || version.starts_with("3.") => Dialect::Three,
            (None, Some(version)) if version == "2" || version.starts_with("2.") => Dialect::Two,
            (Some(version), _) | (None, Some(version)) => {
                let version: String = version.chars().take(20).collect();
                return Err(ImportError::new(format!(
                    "its version is `{version}`; known are OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0"
                )));
            }
            (None, None) => {
                return Err(ImportError::new(
                    "it is no OpenAPI document: it has neither `openapi: 3.…` nor `swagger: \"2.0\"`",
                ));
            }
        };
        Ok(Self { root, dialect, briefs: RefCell::default() })
    }

    /// Returns the title, on one line.
    pub(super) fn title(&self) -> String {
        wording::brief(text_at(self.root, "/info/title").unwrap_or("API"), 100)
    }

    /// Returns the version of the API, on one line.
    pub(super) fn version(&self) -> String {
        match self.root.pointer("/info/version") {
            Some(Value::String(text)) => wording::brief(text, 40),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Makes a text of the document short.
    pub(super) fn brief(&self, text: &str, most: usize) -> String {
        // Texts of the document stay where they are, so their place tells them apart.
        let key = (text.as_ptr(), text.len(), most);
        let mut briefs = self.briefs.borrow_mut();
        briefs.entry(key).or_insert_with(|| wording::brief(text, most)).clone()
    }

    /// Returns what a reference means; only those into the document itself are followed.
    pub(super) fn find(&self, reference: &str) -> Result<&'a Value, String> {
        let shown: String = reference.chars().take(120).collect();
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(format!("it refers to another document, which is not read: `{shown}`"));
        };
        let pointer = unescaped(pointer);
        let found = self.root.pointer(&pointer);
        found.ok_or_else(|| format!("it refers to `{shown}`, which is not in the document"))
    }

    /// Follows references to something that is none.
    pub(super) fn follow(&self, value: &'a Value) -> Result<&'a Value, String> {
        let mut value = value;
        for _ in 0..HOPS {
            let Some(reference) = reference_of(value) else { return Ok(value) };
            value = self.find(reference)?;
        }
        Err("its references lead in a circle".to_owned())
    }
}

/// Returns the reference that a value is.
pub(super) fn reference_of(value: &Value) -> Option<&str> {
    value.get("$ref").and_then(Value::as_str)
}

/// Returns a text further inside a value.
pub(super) fn text_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// Undoes the escapes of an address: a pointer may be written with them.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut place = 0;
    while let Some(byte) = bytes.get(place) {
        let pair = (digit(bytes.get(place + 1)), digit(bytes.get(place + 2)));
        if let (b'%', (Some(high), Some(low))) = (byte, pair) {
            plain.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
            place += 3;
        } else {
            plain.push(*byte);
            place += 1;
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}
