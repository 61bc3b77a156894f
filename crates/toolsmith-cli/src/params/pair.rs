//! One argument of the command line: `key=value` or `key:=JSON`.

use serde_json::Value;

use super::{
    Origin, Read, parse_json, read_named,
    types::{self, Type, Types},
};
use crate::exit::UsageError;

/// One argument, taken apart.
pub(super) struct Pair<'a> {
    pub(super) key: &'a str,
    form: Form,
    text: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `key=value`: the schema decides.
    Typed,
    /// `key:=value`: JSON.
    Json,
}

impl<'a> Pair<'a> {
    /// Takes an argument apart.
    pub(super) fn parse(argument: &'a str) -> Result<Self, UsageError> {
        let Some((key, text)) = argument.split_once('=') else {
            return Err(UsageError::new(format!(
                "`{argument}` is not KEY=VALUE; write {argument}=…, or give JSON with --params"
            )));
        };
        let (key, form) = match key.strip_suffix(':') {
            Some(key) => (key, Form::Json),
            None => (key, Form::Typed),
        };
        if key.is_empty() {
            return Err(UsageError::new(format!("`{argument}` has no key before the `=`")));
        }
        Ok(Self { key, form, text })
    }

    /// Returns the value that it gives.
    pub(super) fn value(&self, schema: &Value, read: Read<'_>) -> Result<Value, UsageError> {
        let (content, origin) = match self.text.strip_prefix('@') {
            Some(literal) if literal.starts_with('@') => (literal.to_owned(), Origin::Argument),
            Some("") => {
                let key = self.key;
                return Err(UsageError::new(format!(
                    "`{key}=@` names no file; a plain `@` is written `{key}=@@`"
                )));
            }
            Some(path) => (read_named(self.key, path, read)?, Origin::Elsewhere),
            None => (self.text.to_owned(), Origin::Argument),
        };
        match self.form {
            Form::Json => parse_json(self.key, &content, origin),
            Form::Typed => {
                let types = types::of_property(schema, self.key);
                typed(self.key, content, origin, &types)
            }
        }
    }
}

/// Reads text as the first of the allowed types that it fits; text where nothing fits.
fn typed(key: &str, text: String, origin: Origin, types: &Types<'_>) -> Result<Value, UsageError> {
    if types.is_word(&text) {
        return Ok(Value::String(text));
    }
    let word = text.trim();
    if types.allow(Type::Number)
        && let Some(number) = number(word)
    {
        return Ok(number);
    }
    if types.allow(Type::Boolean)
        && let Ok(value) = word.parse::<bool>()
    {
        return Ok(Value::Bool(value));
    }
    // Where text is allowed, `null` is text: `key:=null` says the other thing.
    if types.allow(Type::Null) && !types.allow(Type::String) && word == "null" {
        return Ok(Value::Null);
    }
    let looks_like = match word.as_bytes().first() {
        Some(b'[') => types.allow(Type::Array),
        Some(b'{') => types.allow(Type::Object),
        _ => false,
    };
    if !looks_like {
        return Ok(Value::String(text));
    }
    match parse_json(key, word, origin) {
        Err(_) if types.allow(Type::String) => Ok(Value::String(text)),
        result => result,
    }
}

/// Reads a number as JSON does, and as people write it: `.5`, `+3`.
fn number(word: &str) -> Option<Value> {
    let json = serde_json::from_str(word).ok().filter(Value::is_number);
    let whole = || word.parse::<i64>().ok().map(Value::from);
    // Names such as `inf` are numbers to Rust only.
    let is_decimal = word.bytes().any(|byte| byte.is_ascii_digit());
    let decimal = || word.parse::<f64>().ok().filter(|n| is_decimal && n.is_finite());
    json.or_else(whole).or_else(|| decimal().map(Value::from))
}
