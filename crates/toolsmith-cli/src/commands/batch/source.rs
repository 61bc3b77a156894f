//! The calls of a batch, read a chunk at a time.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    time::Duration,
};

use serde::{Deserialize, Deserializer, de::Error as _};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Call, Context, Map, Text, Value};

use crate::{args::call_timeout, exit::UsageError, files, params, wording::json_mistake};

/// How many calls are read and run at once.
const CHUNK: usize = 1_000;

/// How long a list may be, in bytes: unlike lines, it is read whole.
const LONGEST_LIST: usize = 64 << 20;

/// One call, as it is written.
#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a call such as {\"tool\": \"echo\", \"params\": {\"message\": \"hi\"}}"
)]
pub(super) struct Item {
    #[serde(alias = "name", alias = "tool_id")]
    tool: String,
    #[serde(default = "no_params", alias = "input")]
    params: Value,
    #[serde(default)]
    context: Asked,
}

/// What a call may say about itself.
#[derive(Debug, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a context such as {\"conversation_id\": \"c1\", \"timeout\": 5}"
)]
struct Asked {
    conversation_id: Option<Text>,
    thread_id: Option<Text>,
    task_id: Option<Text>,
    workflow_id: Option<Text>,
    #[serde(deserialize_with = "timeout")]
    timeout: Option<Duration>,
    priority: i32,
    idempotency_key: Option<Text>,
    variables: Map<String, Value>,
}

impl Item {
    /// Makes it a call of this process.
    pub(super) fn into_call(self, context: Context, cancel: &CancellationToken) -> Call {
        let asked = self.context;
        let context = Context {
            conversation_id: asked.conversation_id,
            thread_id: asked.thread_id,
            task_id: asked.task_id,
            workflow_id: asked.workflow_id,
            timeout: asked.timeout,
            priority: asked.priority,
            idempotency_key: asked.idempotency_key,
            variables: asked.variables,
            ..context
        };
        Call::new(self.tool, self.params).with_context(context).with_cancel(cancel.clone())
    }
}

fn no_params() -> Value {
    Value::Object(Map::new())
}

fn timeout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let Some(seconds) = Option::<f64>::deserialize(deserializer)? else { return Ok(None) };
    let wrong = || D::Error::custom("`timeout` is a number of seconds above 0, at most a year");
    call_timeout(seconds).ok_or_else(wrong).map(Some)
}

/// Where the calls come from.
pub(super) struct Source {
    input: Box<dyn BufRead + Send>,
    name: String,
    /// The line that was read last, from 1.
    line: usize,
    form: Form,
}

/// How the calls are written.
enum Form {
    /// Nothing was read yet.
    Unknown,
    /// One call a line.
    Lines,
    /// A list, of which these calls remain.
    List(std::vec::IntoIter<Item>),
}

impl Source {
    /// Opens a file, or standard input for `-`; nothing is read yet.
    pub(super) fn open(file: &str) -> Result<Self, UsageError> {
        if file == "-" {
            return Ok(Self::of(BufReader::new(io::stdin()), "standard input"));
        }
        let opened = File::open(file).map_err(|error| unreadable(file, &error))?;
        Ok(Self::of(BufReader::new(opened), file))
    }

    fn of(input: impl BufRead + Send + 'static, name: &str) -> Self {
        Self { input: Box::new(input), name: name.to_owned(), line: 0, form: Form::Unknown }
    }

    /// Reads the next calls; none at the end.
    ///
    /// A call that cannot be read is an error that says where, and then no call of its chunk runs.
    pub(super) fn next_chunk(&mut self) -> Result<Vec<Item>, UsageError> {
        if matches!(self.form, Form::Unknown) {
            self.skip_mark()?;
            self.form = if self.first_byte()? == Some(b'[') { self.list()? } else { Form::Lines };
        }
        match &mut self.form {
            Form::List(items) => Ok(items.by_ref().take(CHUNK).collect()),
            _ => self.lines(),
        }
    }

    /// Takes the mark that some editors put before UTF-8 text.
    fn skip_mark(&mut self) -> Result<(), UsageError> {
        let buffer = self.input.fill_buf().map_err(|error| unreadable(&self.name, &error))?;
        if buffer.starts_with(params::MARK.as_bytes()) {
            self.input.consume(params::MARK.len());
        }
        Ok(())
    }

    /// Returns the first byte that is no space, without taking it.
    fn first_byte(&mut self) -> Result<Option<u8>, UsageError> {
        loop {
            let buffer = self.input.fill_buf().map_err(|error| unreadable(&self.name, &error))?;
            let spaces = buffer.iter().take_while(|byte| byte.is_ascii_whitespace());
            let newlines = spaces.clone().filter(|byte| **byte == b'\n').count();
            let length = spaces.count();
            let first = buffer.get(length).copied();
            self.line += newlines;
            self.input.consume(length);
            if first.is_some() || length == 0 {
                return Ok(first);
            }
        }
    }

    fn list(&mut self) -> Result<Form, UsageError> {
        let text = files::read_all(&mut self.input, LONGEST_LIST).map_err(|error| {
            let reason = files::explain(&error);
            let name = &self.name;
            UsageError::new(format!("{name}: {reason}; write one call a line instead of a list"))
        })?;
        let items: Vec<Item> =
            serde_json::from_str(&text).map_err(|error| self.complaint(&error))?;
        Ok(Form::List(items.into_iter()))
    }

    fn lines(&mut self) -> Result<Vec<Item>, UsageError> {
        let mut items = Vec::new();
        let mut bytes = 0;
        while items.len() < CHUNK && bytes < params::MAX_BYTES {
            let mut line = Vec::new();
            let mut limited = (&mut self.input).take(params::MAX_BYTES as u64 + 1);
            let read = limited.read_until(b'\n', &mut line);
            if read.map_err(|error| unreadable(&self.name, &error))? == 0 {
                break;
            }
            if line.len() > params::MAX_BYTES {
                return Err(self.too_long());
            }
            bytes += line.len();
            if !line.trim_ascii().is_empty() {
                let item = serde_json::from_slice(&line);
                items.push(item.map_err(|error| self.complaint(&error))?);
            }
            self.line += 1;
        }
        Ok(items)
    }

    fn too_long(&self) -> UsageError {
        let (name, line) = (&self.name, self.line + 1);
        UsageError::new(format!("{name}, line {line}: longer than {} bytes", params::MAX_BYTES))
    }

    /// Says where in the whole source a mistake is.
    fn complaint(&self, error: &serde_json::Error) -> UsageError {
        let (name, line, column) = (&self.name, self.line + error.line(), error.column());
        let what = json_mistake(error);
        UsageError::new(format!("{name}, line {line}, column {column}: {what}"))
    }
}

fn unreadable(name: &str, error: &io::Error) -> UsageError {
    UsageError::new(format!("cannot read {name}: {}", files::explain(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: impl Into<Vec<u8>>) -> Source {
        Source::of(io::Cursor::new(text.into()), "calls")
    }

    fn names(text: &str) -> Result<Vec<String>, String> {
        let chunk = source(text).next_chunk().map_err(|error| error.to_string())?;
        Ok(chunk.into_iter().map(|item| item.tool).collect())
    }

    #[test]
    fn lines_and_lists_give_the_same_calls() {
        let expected = Ok(vec!["a".to_owned(), "b".to_owned()]);
        for text in [
            "{\"tool\": \"a\"}\n{\"name\": \"b\", \"input\": {}}",
            "\n\n  {\"tool\": \"a\", \"params\": {\"x\": 1}}\r\n\n{\"tool_id\": \"b\"}\n\n",
            "[{\"tool\": \"a\"}, {\"tool\": \"b\", \"context\": {\"timeout\": 0.5}}]",
            "\u{feff}{\"tool\": \"a\"}\n{\"tool\": \"b\"}",
            "\u{feff}[{\"tool\": \"a\"}, {\"tool\": \"b\"}]",
            "\n [\n{\"tool\": \"a\"},\n{\"tool\": \"b\"}\n]\n",
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
        for nothing in ["", "\n \n", "[]", "[ ]\n"] {
            assert_eq!(names(nothing), Ok(Vec::new()), "{nothing:?}");
        }
    }

    #[test]
    fn mistakes_say_where_and_what() {
        for (text, message) in [
            (
                "{\"tool\": \"a\"}\n\n{\"tol\": 1}",
                "calls, line 3, column 6: `tol` is not known here; there are `",
            ),
            (
                "\n{\"tool\": \"a\"",
                "calls, line 2, column 12: the JSON ends too early; something is not closed",
            ),
            ("{}", "calls, line 1, column 2: `tool` is missing"),
            ("7", "calls, line 1, column 1: expected a call such as {\"tool\": "),
            ("\n[{\"tool\": \"a\"},\n 7]", "calls, line 3, column 2: expected a call such as"),
            ("[{\"tool\": \"a\"}", "calls, line 1, column 14: the JSON ends too early"),
            (
                "{\"tool\": \"a\", \"context\": {\"timeout\": -1}}",
                "calls, line 1, column 40: `timeout` is a number of seconds above 0",
            ),
            (
                "{\"tool\": \"a\", \"context\": {\"allowed_paths\": [\"/\"]}}",
                "calls, line 1, column 41: `allowed_paths` is not known here",
            ),
            (
                "{\"tool\": \"a\", \"name\": \"b\"}",
                "calls, line 1, column 20: `tool` is given twice",
            ),
        ] {
            let error = names(text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        let latin1 = source(b"{\"tool\": \"caf\xe9\"}".to_vec()).next_chunk().unwrap_err();
        assert!(latin1.to_string().contains("it is not UTF-8 text"), "{latin1}");
    }

    #[test]
    fn chunks_keep_the_order_and_the_lines() {
        let lines: Vec<String> = (0..2_500).map(|n| format!("{{\"tool\": \"t{n}\"}}\n")).collect();
        let mut source = source(lines.concat() + "wrong");
        let mut sizes = Vec::new();
        let mut seen = 0;
        let error = loop {
            match source.next_chunk() {
                Ok(chunk) => {
                    for item in &chunk {
                        assert_eq!(item.tool, format!("t{seen}"));
                        seen += 1;
                    }
                    sizes.push(chunk.len());
                }
                Err(error) => break error.to_string(),
            }
        };
        assert_eq!(sizes, [1_000, 1_000]);
        assert!(error.starts_with("calls, line 2501, column 1: this is not valid JSON"), "{error}");
    }

    #[test]
    fn a_call_says_no_more_about_itself_than_it_may() {
        let text = r#"{"tool": "a", "params": {"x": 1}, "context": {"conversation_id": "c",
            "thread_id": "t", "task_id": "k", "workflow_id": "w", "timeout": 2, "priority": 3,
            "idempotency_key": "i", "variables": {"v": 1}}}"#;
        let item = source(text.replace('\n', "")).next_chunk().unwrap().remove(0);
        let ours = Context { caller_type: toolsmith_core::CallerType::Cli, ..Context::default() };
        let call = item.into_call(ours, &CancellationToken::new());
        let context = &call.context;
        assert_eq!(context.caller_type, toolsmith_core::CallerType::Cli);
        assert_eq!(context.conversation_id.as_deref(), Some("c"));
        assert_eq!((context.thread_id.as_deref(), context.priority), (Some("t"), 3));
        assert_eq!(context.timeout, Some(Duration::from_secs(2)));
        assert_eq!(context.idempotency_key.as_deref(), Some("i"));
        assert!(call.cancel.is_some());
    }
}
