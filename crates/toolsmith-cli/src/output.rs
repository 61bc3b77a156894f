//! Results on standard output: text for people, or one JSON document.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use serde::Serialize;
use serde_json::{Map, Value};

/// Who reads the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A person: text and tables.
    People,
    /// A program: one JSON document and nothing else.
    Json,
}

/// Whether text may be coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// The reader is a terminal and wants it.
    On,
    /// The reader is a file, a pipe, or somebody who said no.
    Off,
}

impl Colour {
    /// Makes a text bold.
    pub fn bold(self, text: &str) -> String {
        self.style("1", text)
    }

    /// Makes a text faint.
    pub fn faint(self, text: &str) -> String {
        self.style("2", text)
    }

    /// Makes a text red.
    pub fn red(self, text: &str) -> String {
        self.style("31", text)
    }

    /// Makes a text green.
    pub fn green(self, text: &str) -> String {
        self.style("32", text)
    }

    fn style(self, code: &str, text: &str) -> String {
        match self {
            Self::On if !text.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }
}

/// Where results go, and how.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Who reads them.
    pub form: Form,
    /// Whether text is coloured.
    pub colour: Colour,
}

impl Output {
    /// Prints to standard output, in colour when that is a terminal.
    pub fn to_stdout(form: Form) -> Self {
        let colour = if io::stdout().is_terminal() { Colour::On } else { Colour::Off };
        Self { form, colour }
    }

    /// The same without colours.
    #[must_use]
    pub fn without_colour(self) -> Self {
        Self { colour: Colour::Off, ..self }
    }

    /// Prints a result in the form that its reader wants.
    pub fn show<T: Serialize>(
        self,
        value: &T,
        text: impl FnOnce(Colour) -> String,
    ) -> io::Result<()> {
        match self.form {
            Form::Json => print_json(value),
            Form::People => print(&text(self.colour)),
        }
    }
}

/// Prints a JSON document: on one line for programs, indented on a terminal.
pub fn print_json<T: Serialize>(value: &T) -> io::Result<()> {
    let text = if io::stdout().is_terminal() {
        serde_json::to_string_pretty(value)?
    } else {
        serde_json::to_string(value)?
    };
    print(&(text + "\n"))
}

/// Writes to standard output; a reader who has left, as `head` does, is no error.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    unless_left(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Writes a line to standard error, without control characters; nobody has to read it.
pub fn tell(line: &str) {
    writeln!(io::stderr(), "{}", harmless(line)).ok();
}

/// Replaces control characters but line breaks: text from outside must not steer the terminal.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

/// Replaces all control characters, so that a text takes one line.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Standard output for much that comes piece by piece; it remembers when its reader has left.
#[derive(Debug)]
pub struct Pipe {
    out: BufWriter<Stdout>,
    has_left: bool,
}

impl Pipe {
    /// Opens standard output.
    pub fn to_stdout() -> Self {
        Self { out: BufWriter::with_capacity(1 << 16, io::stdout()), has_left: false }
    }

    /// Tells whether there is no reader any more.
    pub fn has_reader_left(&self) -> bool {
        self.has_left
    }

    fn notice<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.has_left |= matches!(&result, Err(error) if is_broken_pipe(error));
        result
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.notice(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.notice(flushed)
    }
}

/// One JSON document around a list whose items come one by one: `{"key": [item, …]}`.
///
/// Nothing is printed before the first item or the end, so that an error can take its place.
#[derive(Debug)]
pub struct JsonList {
    pipe: Pipe,
    key: &'static str,
    is_begun: bool,
}

impl JsonList {
    /// Prepares a list under a key.
    pub fn new(key: &'static str) -> Self {
        Self { pipe: Pipe::to_stdout(), key, is_begun: false }
    }

    /// Tells whether anything was printed.
    pub fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// Tells whether there is no reader any more.
    pub fn has_reader_left(&self) -> bool {
        self.pipe.has_reader_left()
    }

    /// Adds an item, on a line of its own.
    pub fn push<T: Serialize>(&mut self, item: &T) -> io::Result<()> {
        let item = serde_json::to_string(item)?;
        let before = if self.is_begun { ",".to_owned() } else { self.beginning() };
        self.is_begun = true;
        unless_left(write!(self.pipe, "{before}\n{item}"))
    }

    /// Hands what was printed so far to the reader.
    pub fn flush(&mut self) -> io::Result<()> {
        unless_left(self.pipe.flush())
    }

    /// Ends the document, with more fields behind the list.
    pub fn end(mut self, more: &Map<String, Value>) -> io::Result<()> {
        let before = if self.is_begun { "\n".to_owned() } else { self.beginning() };
        let fields = more.iter().map(|(key, value)| format!(",{}:{value}", Value::from(&**key)));
        let fields: Vec<String> = fields.collect();
        let ended = writeln!(self.pipe, "{before}]{}}}", fields.concat());
        unless_left(ended.and_then(|()| self.pipe.flush()))
    }

    fn beginning(&self) -> String {
        format!("{{{}:[", Value::from(self.key))
    }
}

fn unless_left(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        result => result,
    }
}

fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_escapes_only_when_they_are_on() {
        assert_eq!(Colour::On.red("no"), "\u{1b}[31mno\u{1b}[0m");
        assert_eq!(Colour::On.bold(""), "");
        assert_eq!(Colour::Off.green("yes"), "yes");
        assert_eq!(Colour::Off.faint("x"), "x");
    }

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(harmless("a\u{1b}[31m\r\n\u{9b}中"), "a [31m \n 中");
        assert_eq!(one_line("a\u{1b}[31m\r\n\u{9b}中"), "a [31m   中");
    }
}
