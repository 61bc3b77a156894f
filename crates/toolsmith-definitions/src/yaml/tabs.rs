//! Tabs do not indent: what the parser lets pass at the beginning of a text is refused here.
//!
//! Between brackets, as in JSON, tabs are spaces like any other.

use saphyr_parser::{Event, Span};

use super::YamlError;

/// Looks at the beginnings of lines that have tabs in them.
pub(super) struct Tabs<'t> {
    /// The lines of the text; none when there is no tab in it.
    lines: Vec<&'t str>,
    /// Whether each open list or map is written between brackets.
    open: Vec<bool>,
}

impl<'t> Tabs<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let lines = if text.contains('\t') { text.lines().collect() } else { Vec::new() };
        Self { lines, open: Vec::new() }
    }

    /// Looks at nothing.
    pub(super) fn ignored() -> Self {
        Self { lines: Vec::new(), open: Vec::new() }
    }

    /// Refuses a key or an item whose line is indented with a tab.
    pub(super) fn check(&mut self, event: &Event<'_>, span: Span) -> Result<(), YamlError> {
        if self.lines.is_empty() {
            return Ok(());
        }
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_inside = self.open.last() == Some(&true);
                let is_flow = is_inside || self.is_bracket_before(span);
                self.open.push(is_flow);
                if is_flow {
                    return Ok(());
                }
            }
            Event::MappingEnd | Event::SequenceEnd => {
                self.open.pop();
                return Ok(());
            }
            Event::Scalar(..) if self.open.last() == Some(&false) => {}
            _ => return Ok(()),
        }
        let (line, column) = (span.start.line(), span.start.col() + 1);
        let indent = self.indent(line);
        let is_first = indent.chars().count() + 1 == column;
        if is_first && indent.contains('\t') { Err(error(line, column)) } else { Ok(()) }
    }

    /// Explains an error of the parser in a line that is indented with a tab.
    pub(super) fn explain(&self, line: usize, column: usize) -> Option<YamlError> {
        let is_flow = self.open.last() == Some(&true);
        (!is_flow && self.indent(line).contains('\t')).then(|| error(line, column))
    }

    fn indent(&self, line: usize) -> &'t str {
        let line = line.checked_sub(1).and_then(|line| self.lines.get(line)).copied();
        let line = line.unwrap_or_default();
        let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
        line.get(..end).unwrap_or_default()
    }

    fn is_bracket_before(&self, span: Span) -> bool {
        let line = span.end.line().checked_sub(1).and_then(|line| self.lines.get(line));
        let place = span.end.col().checked_sub(1);
        let last = line.zip(place).and_then(|(line, place)| line.chars().nth(place));
        matches!(last, Some('{' | '['))
    }
}

fn error(line: usize, column: usize) -> YamlError {
    let message = "this is not valid YAML: a tab indents this line; use spaces".to_owned();
    YamlError { line, column, message }
}
