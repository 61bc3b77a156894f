//! Redaction by value: known secrets are taken out of everything that leaves the engine.

use std::{
    borrow::Cow,
    collections::{HashSet, VecDeque},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem::Finder;
use parking_lot::RwLock;
use serde_json::{Map, Value};

use crate::{Secret, Text, ToolError};

/// Secrets shorter than this are not searched for: they would hit innocent text.
const SHORTEST: usize = 8;

/// Secrets longer than this are searched for one by one: an automaton of them would be huge.
const LONG: usize = 256;

/// How many spellings of each sort are remembered; the oldest are forgotten first.
///
/// Tokens and files change while a program runs, and every one that was ever used would make all
/// later searches slower.
const MOST_SHORT: usize = 4_096;
const MOST_LONG: usize = 256;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// Knows the secrets in use and takes them out of text; cheap to clone, shared by its clones.
///
/// ```
/// use toolsmith_core::{Redactor, Secret};
///
/// let redactor = Redactor::default();
/// redactor.add(&Secret::new("sk-12345678".to_owned()));
/// assert_eq!(redactor.text("key=sk-12345678"), "key=***");
/// ```
#[derive(Clone, Default)]
pub struct Redactor(Arc<Shared>);

/// Read by every call of every thread: alone in its cache lines, or others' writes would slow it.
#[derive(Default)]
#[repr(align(128))]
struct Shared {
    /// Most engines know no secret: then nobody takes the lock, not even to read.
    has_any: AtomicBool,
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    spellings: HashSet<String>,
    short: VecDeque<String>,
    search: Option<AhoCorasick>,
    long: VecDeque<Finder<'static>>,
}

impl Redactor {
    /// Remembers a secret, in the spellings in which it can appear.
    pub fn add(&self, secret: &Secret) {
        let plain = secret.expose();
        // Every use of a secret comes by here, so what is known already must cost next to nothing.
        if plain.len() < SHORTEST || self.0.known.read().spellings.contains(plain) {
            return;
        }
        let mut known = self.0.known.write();
        known.learn(plain.clone());
        for spelling in spellings(plain) {
            known.learn(spelling);
        }
        drop(known);
        self.0.has_any.store(true, Relaxed);
    }

    /// Tells whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        !self.0.has_any.load(Relaxed)
    }

    /// Takes secrets out of a text.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let known = self.0.known.read();
        // The long ones first: a short secret may be a part of one.
        let mut clean = Cow::Borrowed(text);
        for long in &known.long {
            if let Some(without) = without(long, &clean) {
                clean = Cow::Owned(without);
            }
        }
        match &known.search {
            Some(search) if search.is_match(&*clean) => {
                Cow::Owned(search.replace_all(&clean, &vec![MASK; known.short.len()]))
            }
            _ => clean,
        }
    }

    /// Takes secrets out of a name or an identifier.
    pub fn label(&self, label: &Text) -> Text {
        match self.text(label) {
            Cow::Borrowed(_) => label.clone(),
            Cow::Owned(clean) => clean.into(),
        }
    }

    /// Takes secrets out of every string and key of a value, in place.
    pub fn value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => self.fields(fields),
            Value::Number(number) => {
                if matches!(self.text(&number.to_string()), Cow::Owned(_)) {
                    *value = Value::String(MASK.to_owned());
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Takes secrets out of every key and value of an object, in place.
    pub fn fields(&self, fields: &mut Map<String, Value>) {
        if self.is_empty() {
            return;
        }
        let dirty = fields.keys().any(|key| matches!(self.text(key), Cow::Owned(_)));
        if dirty {
            let old = std::mem::take(fields);
            *fields = old.into_iter().map(|(k, v)| (self.text(&k).into_owned(), v)).collect();
        }
        fields.values_mut().for_each(|field| self.value(field));
    }

    /// Takes secrets out of what an error says.
    #[must_use]
    pub fn error(&self, error: ToolError) -> ToolError {
        if self.is_empty() {
            return error;
        }
        let message = self.text(error.message()).into_owned();
        let mut details = error.details().clone();
        self.value(&mut details);
        error.with_message(message).with_details(details)
    }
}

impl Known {
    fn learn(&mut self, spelling: String) {
        if !self.spellings.insert(spelling.clone()) {
            return;
        }
        if spelling.len() > LONG {
            return self.learn_long(&spelling);
        }
        self.short.push_back(spelling);
        if self.short.len() > MOST_SHORT
            && let Some(oldest) = self.short.pop_front()
        {
            self.spellings.remove(&oldest);
        }
        let mut builder = AhoCorasick::builder();
        match builder.match_kind(MatchKind::LeftmostLongest).build(&self.short) {
            Ok(search) => self.search = Some(search),
            // What was found before is still found, and this one in the slower way.
            Err(_) => {
                if let Some(spelling) = self.short.pop_back() {
                    self.learn_long(&spelling);
                }
            }
        }
    }

    fn learn_long(&mut self, spelling: &str) {
        self.long.push_back(Finder::new(spelling.as_bytes()).into_owned());
        if self.long.len() > MOST_LONG
            && let Some(oldest) = self.long.pop_front()
            && let Ok(oldest) = std::str::from_utf8(oldest.needle())
        {
            self.spellings.remove(oldest);
        }
    }
}

/// Returns the other spellings in which a secret can come back: upstreams echo what they were sent.
fn spellings(plain: &str) -> [String; 5] {
    // Inside JSON text quotes and newlines are escaped, by some writers all but ASCII too.
    let escaped = serde_json::to_string(plain).unwrap_or_else(|_| "\"\"".to_owned());
    let escaped = escaped[1..escaped.len() - 1].to_owned();
    let mut ascii = String::with_capacity(escaped.len());
    for c in escaped.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| write(&mut ascii, "\\u", *unit, 4));
        }
    }
    // In addresses: as a whole, as a form, and as a path, where more may stand as it is.
    let whole = percent(plain, b"-._~");
    let form = percent(plain, b"-._* ").replace(' ', "+");
    let path = percent(plain, b"-._~!$&'()*+,;=:@/|[]^\\");
    [escaped, ascii, whole, form, path]
}

/// Writes letters, digits and some other bytes as they are, and the rest as `%XX`.
fn percent(text: &str, free: &[u8]) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || free.contains(&byte) {
            written.push(char::from(byte));
        } else {
            write(&mut written, "%", byte.into(), 2);
        }
    }
    written
}

/// Writes a sign and a number in hexadecimal digits: big ones after `%`, as is usual there.
fn write(text: &mut String, sign: &str, number: u16, digits: u32) {
    text.push_str(sign);
    for place in (0..digits).rev() {
        let digit = char::from_digit(u32::from(number >> (4 * place)) & 15, 16).unwrap_or('0');
        text.push(if sign == "%" { digit.to_ascii_uppercase() } else { digit });
    }
}

/// Returns a text without one secret; nothing when it is not in it.
fn without(secret: &Finder<'_>, text: &str) -> Option<String> {
    let (mut clean, mut after) = (String::new(), 0);
    for at in secret.find_iter(text.as_bytes()) {
        // A secret is text, so it begins and ends between characters.
        clean.push_str(text.get(after..at).unwrap_or_default());
        clean.push_str(MASK);
        after = at + secret.needle().len();
    }
    (after > 0).then(|| clean + text.get(after..).unwrap_or_default())
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} spellings)", self.0.known.read().spellings.len())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redactor(secrets: &[&str]) -> Redactor {
        let redactor = Redactor::default();
        for secret in secrets {
            redactor.add(&Secret::new((*secret).to_owned()));
        }
        redactor
    }

    #[test]
    fn secrets_disappear_from_keys_and_values_at_any_depth() {
        let mut value = json!({"a": ["x secret-one y"], "secret-one": {"b": "secret-two!"}});
        redactor(&["secret-one", "secret-two"]).value(&mut value);
        assert_eq!(value, json!({"a": ["x *** y"], "***": {"b": "***!"}}));
    }

    #[test]
    fn escaped_spellings_inside_json_text_are_found() {
        let secret = "line1\nline2\"q\"";
        let text = serde_json::to_string(secret).unwrap();
        assert_eq!(redactor(&[secret]).text(&text), "\"***\"");
    }

    #[test]
    fn a_secret_made_of_digits_is_found_in_a_number_too() {
        let mut value = json!({"pin": 1_234_567_890, "n": 7});
        redactor(&["1234567890"]).value(&mut value);
        assert_eq!(value, json!({"pin": "***", "n": 7}));
    }

    #[test]
    fn short_values_are_left_alone() {
        assert_eq!(redactor(&["abc"]).text("abcdef"), "abcdef");
    }

    #[test]
    fn long_secrets_disappear_also_when_they_hold_short_ones() {
        let long = format!("short-one {}", "line of a key\n".repeat(40));
        let redactor = redactor(&["short-one", &long]);
        assert_eq!(redactor.text(&format!("<{long}>")), "<***>");
        assert_eq!(redactor.text("a short-one b"), "a *** b");
        let escaped = serde_json::to_string(&long).unwrap();
        assert_eq!(redactor.text(&escaped), "\"***\"");
    }

    #[test]
    fn what_is_learnt_has_an_end_and_the_newest_stay() {
        let redactor = Redactor::default();
        for number in 0..2 * MOST_LONG {
            redactor.add(&Secret::new(format!("{number:08}{}", "x".repeat(LONG))));
        }
        let newest = format!("{:08}{}", 2 * MOST_LONG - 1, "x".repeat(LONG));
        assert_eq!(redactor.text(&newest), "***");
        assert!(redactor.0.known.read().spellings.len() <= MOST_LONG);
    }

    #[test]
    fn secrets_are_found_in_the_spellings_of_addresses_and_of_other_writers_of_json() {
        let redactor = redactor(&["pa ss/w+rd\"é=&1"]);
        for spelling in [
            "pa+ss%2Fw%2Brd%22%C3%A9%3D%261",
            "pa%20ss%2Fw%2Brd%22%C3%A9%3D%261",
            "pa%20ss/w+rd%22%C3%A9=&1",
            "pa ss/w+rd\\\"\\u00e9=&1",
        ] {
            assert_eq!(redactor.text(spelling), "***", "{spelling}");
        }
    }
}
