//! Results on standard output: text for people, or one JSON document.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

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
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
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
}
