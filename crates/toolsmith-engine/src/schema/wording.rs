//! Words for models: names, values and lists as they appear in messages.

use serde_json::{Map, Value, json};

use super::types;

/// The longest text in an `actual`.
const LONG: usize = 200;

/// The longest text or value in a sentence.
const SHORT: usize = 80;

/// The most values in an `expected`.
const LISTED: usize = 50;

/// The most values in a sentence.
const SAID: usize = 12;

/// The longest description that is repeated in a message.
const DESCRIPTION: usize = 160;

/// Returns the place of a JSON Pointer as people write it: `` `filters[2].name` ``.
pub(super) fn place(path: &str, subject: &str) -> String {
    if path.is_empty() {
        return subject.to_owned();
    }
    let mut name = String::from("`");
    for segment in path.split('/').skip(1) {
        let segment = unescaped(segment);
        if name.len() > 1 && segment.bytes().all(|byte| byte.is_ascii_digit()) {
            name.push('[');
            name.push_str(&segment);
            name.push(']');
        } else {
            if name.len() > 1 {
                name.push('.');
            }
            name.push_str(&cut(&segment, SHORT));
        }
    }
    name.push('`');
    name
}

/// Undoes the escapes of a segment of a JSON Pointer.
pub(super) fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// Returns a type with its article.
pub(super) fn with_article(word: &str) -> String {
    match word {
        "null" => word.to_owned(),
        "array" | "integer" | "object" => format!("an {word}"),
        _ => format!("a {word}"),
    }
}

/// Returns a value as it is said in a sentence: short ones literally, large ones in words.
pub(super) fn said(value: &Value) -> String {
    match value {
        Value::String(text) => Value::String(cut(text, SHORT)).to_string(),
        Value::Array(_) | Value::Object(_) if !is_short(value, SHORT) => summary(value),
        _ => value.to_string(),
    }
}

/// Returns a value that has the wrong type, with its type where the two are easily confused.
pub(super) fn said_with_type(value: &Value) -> String {
    match value {
        Value::String(_) => format!("the string {}", said(value)),
        Value::Array(_) | Value::Object(_) if is_short(value, SHORT) => {
            format!("the {} {value}", types::word(value))
        }
        _ => said(value),
    }
}

/// Returns a value shortened for `actual`.
pub(super) fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text, LONG)),
        Value::Array(_) | Value::Object(_) if !is_short(value, LONG) => {
            Value::String(summary(value))
        }
        _ => value.clone(),
    }
}

/// Returns the values of an `enum` shortened for `expected`.
pub(super) fn shortened_list(values: &[Value]) -> Value {
    values.iter().take(LISTED).map(shortened).collect()
}

/// Returns values as a list in a sentence.
pub(super) fn listed<'a>(values: impl ExactSizeIterator<Item = &'a Value>) -> String {
    joined(values.len(), values.map(said))
}

/// Returns names as a list in a sentence.
pub(super) fn listed_names(names: &[&str]) -> String {
    joined(names.len(), names.iter().map(|name| format!("`{}`", cut(name, SHORT))))
}

/// Returns names for `expected`.
pub(super) fn shortened_names(names: &[&str]) -> Value {
    names.iter().take(LISTED).map(|name| json!(cut(name, LONG))).collect()
}

/// Returns "a string or null" for a list of types.
pub(super) fn either(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| with_article(word)).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "nothing".to_owned(),
    }
}

/// Returns one type as a word, several as a list.
pub(super) fn one_or_list(words: &[&str]) -> Value {
    match words {
        [] => Value::Null,
        [word] => json!(word),
        words => json!(words),
    }
}

/// Returns a count with its noun.
pub(super) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns a description as the end of a sentence, if it is short or begins with a short one.
pub(super) fn described(schema: &Map<String, Value>) -> Option<String> {
    let whole = schema.get("description")?.as_str()?.trim();
    let line = whole.lines().next()?.trim_end();
    let text = if line.len() <= DESCRIPTION {
        line
    } else {
        let end = line.find(". ")?;
        line.get(..end).filter(|sentence| sentence.len() <= DESCRIPTION)?
    };
    let is_whole = text.ends_with(['.', '!', '?']);
    (!text.is_empty()).then(|| format!("{text}{}", if is_whole { "" } else { "." }))
}

/// Cuts a text to so many characters.
pub(super) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn summary(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("array of {}", counted(items.len() as u64, "item")),
        Value::Object(fields) => format!("object with {}", counted(fields.len() as u64, "field")),
        _ => types::word(value).to_owned(),
    }
}

fn joined(count: usize, words: impl Iterator<Item = String>) -> String {
    let mut list = words.take(SAID).collect::<Vec<_>>().join(", ");
    if count > SAID {
        list = format!("{list} and {} more", count - SAID);
    }
    list
}

/// Tells whether a value is written in so many bytes, without writing a large one.
fn is_short(value: &Value, bytes: usize) -> bool {
    fn spend(value: &Value, left: &mut usize) -> Option<()> {
        let own = match value {
            Value::Null | Value::Bool(_) => 5,
            Value::Number(_) => 8,
            Value::String(text) => text.len() + 2,
            Value::Array(items) => {
                *left = left.checked_sub(2 + items.len())?;
                return items.iter().try_for_each(|item| spend(item, left));
            }
            Value::Object(fields) => {
                *left = left.checked_sub(2 + fields.len())?;
                return fields.iter().try_for_each(|(name, field)| {
                    *left = left.checked_sub(name.len() + 3)?;
                    spend(field, left)
                });
            }
        };
        *left = left.checked_sub(own)?;
        Some(())
    }
    let mut left = bytes;
    spend(value, &mut left).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_people_do() {
        assert_eq!(place("", "The input"), "The input");
        assert_eq!(place("/filters/2/name", ""), "`filters[2].name`");
        assert_eq!(place("/a~1b/~0c", ""), "`a/b.~c`");
    }

    #[test]
    fn long_values_are_cut_and_large_ones_summed_up() {
        let long = "é".repeat(500);
        assert_eq!(shortened(&json!(long)).as_str().unwrap().chars().count(), 201);
        assert_eq!(shortened(&json!([1, 2, 3])), json!([1, 2, 3]));
        assert_eq!(shortened(&json!(vec![1; 1000])), json!("array of 1000 items"));
        assert_eq!(shortened(&json!({"a": long})), json!("object with 1 field"));
    }

    #[test]
    fn long_lists_end_in_a_number() {
        let values: Vec<Value> = (0..20).map(|n| json!(n)).collect();
        assert!(listed(values.iter()).ends_with("11 and 8 more"));
        assert_eq!(either(&["string", "integer", "null"]), "a string, an integer or null");
    }

    #[test]
    fn only_short_descriptions_are_repeated() {
        let of = |text: &str| described(json!({"description": text}).as_object().unwrap());
        assert_eq!(of("the sum").unwrap(), "the sum.");
        assert_eq!(of(&format!("The sum. {}", "x".repeat(500))).unwrap(), "The sum.");
        assert_eq!(of(&"x".repeat(500)), None);
    }
}
