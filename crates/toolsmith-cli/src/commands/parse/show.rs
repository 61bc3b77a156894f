//! What was read, as it is shown.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use toolsmith_dialects::{Event, ParsedCall, Reply};

use crate::output::{self, Colour, Pipe, harmless};

/// Returns the document of a whole reply.
pub(super) fn document(reply: &Reply) -> Value {
    let mut document = json!({
        "calls": reply.calls.iter().map(call).collect::<Vec<_>>(),
        "text": reply.text(),
        "problems": reply.problems,
    });
    if !reply.reasoning.is_empty() {
        document["reasoning"] = Value::from(reply.reasoning());
    }
    if !reply.set_aside.is_empty() {
        document["set_aside"] = reply.set_aside.iter().map(whole).collect();
    }
    document
}

/// A call as programs run it.
fn call(call: &ParsedCall) -> Value {
    let mut fields = json!({ "name": call.name, "arguments": call.arguments });
    if let Some(id) = &call.id {
        fields["id"] = json!(id);
    }
    fields
}

/// A call with where it stands and how it ended.
fn whole(parsed: &ParsedCall) -> Value {
    let mut fields = call(parsed);
    fields["state"] = json!(parsed.state);
    fields["start"] = json!(parsed.range.start);
    fields["end"] = json!(parsed.range.end);
    fields
}

/// Standard output while a reply comes.
pub(super) struct Shown {
    pipe: Pipe,
    /// How people see it; programs get events.
    colour: Option<Colour>,
    is_line_begun: bool,
}

impl Shown {
    /// Shows text and calls to people.
    pub(super) fn people(colour: Colour) -> Self {
        Self { pipe: Pipe::to_stdout(), colour: Some(colour), is_line_begun: false }
    }

    /// Prints one event a line for programs.
    pub(super) fn events() -> Self {
        Self { pipe: Pipe::to_stdout(), colour: None, is_line_begun: false }
    }

    /// Shows what has just been found.
    pub(super) fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match self.colour {
            Some(colour) => self.for_people(event, colour)?,
            None => writeln!(self.pipe, "{}", to_json(event))?,
        }
        self.pipe.flush()
    }

    /// Ends the last line.
    pub(super) fn end(&mut self) -> io::Result<()> {
        if self.is_line_begun {
            writeln!(self.pipe)?;
        }
        self.pipe.flush()
    }

    fn for_people(&mut self, event: &Event<'_>, colour: Colour) -> io::Result<()> {
        match event {
            Event::Text { text, .. } => {
                self.is_line_begun = !text.ends_with('\n');
                write!(self.pipe, "{}", harmless(text))
            }
            Event::Reasoning { text, .. } => {
                self.is_line_begun = !text.ends_with('\n');
                write!(self.pipe, "{}", colour.faint(&harmless(text)))
            }
            Event::ReasoningEnd { .. } => {
                let before = if std::mem::take(&mut self.is_line_begun) { "\n" } else { "" };
                writeln!(self.pipe, "{before}{}", colour.faint("(all of this was reasoning)"))
            }
            Event::CallEnd { call, .. } => {
                let name = colour.bold(&output::one_line(&call.name));
                let arguments = output::one_line(&call.arguments.to_string());
                let (mark, note) = if call.is_complete() {
                    (colour.green("call"), "")
                } else {
                    (colour.red("not to be run:"), " …")
                };
                let before = if std::mem::take(&mut self.is_line_begun) { "\n" } else { "" };
                writeln!(self.pipe, "{before}{mark} {name} {arguments}{note}")
            }
            Event::Problem(problem) => {
                let (start, end) = (problem.range.start, problem.range.end);
                output::tell(&format!("bytes {start}..{end}: {}", problem.message));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// An event as programs read it.
fn to_json(event: &Event<'_>) -> Value {
    match event {
        Event::Text { text, range } => {
            json!({ "type": "text", "text": text, "start": range.start, "end": range.end })
        }
        Event::Reasoning { text, range } => {
            json!({ "type": "reasoning", "text": text, "start": range.start, "end": range.end })
        }
        Event::ReasoningEnd { range } => {
            json!({ "type": "reasoning_end", "start": range.start, "end": range.end })
        }
        Event::CallStart { index, id, name } => {
            json!({ "type": "call_start", "index": index, "id": id, "name": name })
        }
        Event::Arguments { index, parameter, text } => {
            json!({ "type": "arguments", "index": index, "parameter": parameter, "text": text })
        }
        Event::CallEnd { index, call } => typed("call_end", Some(*index), whole(call)),
        Event::Problem(problem) => typed("problem", None, json!(problem)),
    }
}

/// Puts the type in front, where readers look for it.
fn typed(word: &str, index: Option<usize>, fields: Value) -> Value {
    let mut event = Map::from_iter([("type".to_owned(), json!(word))]);
    event.extend(index.map(|index| ("index".to_owned(), json!(index))));
    if let Value::Object(fields) = fields {
        event.extend(fields);
    }
    Value::Object(event)
}
