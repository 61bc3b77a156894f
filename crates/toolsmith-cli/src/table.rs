//! Aligned tables for people; wide characters take two columns.

use unicode_width::UnicodeWidthStr;

use crate::output::Colour;

/// Between two columns.
const GAP: &str = "  ";

/// Rows of text in columns.
///
/// ```
/// use toolsmith_cli::{output::Colour, table::Table};
///
/// let mut table = Table::new(&["NAME", "TITLE"]);
/// table.row(["echo", "回声"]);
/// assert_eq!(table.render(Colour::Off), "NAME  TITLE\necho  回声\n");
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Makes a table with these columns.
    pub fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|cell| (*cell).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell.into())).collect());
    }

    /// Tells whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the text, one line a row, the header in bold.
    pub fn render(&self, colour: Colour) -> String {
        let widths: Vec<usize> = (0..self.header.len()).map(|n| self.width(n)).collect();
        let mut text = colour.bold(&line(&self.header, &widths)) + "\n";
        for row in &self.rows {
            text.push_str(&line(row, &widths));
            text.push('\n');
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.chain(self.header.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        line.push_str(cell);
        line.push_str(&" ".repeat(width.saturating_sub(cell.width())));
        line.push_str(GAP);
    }
    line.truncate(line.trim_end().len());
    line
}

/// Replaces line breaks and other control characters, which would break the table or the terminal.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other_in_any_script() {
        let mut table = Table::new(&["NAME", "WHAT", "N"]);
        table.row(["计算器", "math", "1"]);
        table.row(["echo", "says it again", ""]);
        table.row(["a\nb\u{1b}[31m"]);
        assert_eq!(
            table.render(Colour::Off),
            "NAME      WHAT           N\n\
             计算器    math           1\n\
             echo      says it again\n\
             a b [31m\n"
        );
    }

    #[test]
    fn only_the_header_is_styled() {
        let mut table = Table::new(&["A"]);
        assert!(table.is_empty());
        table.row(["x"]);
        assert_eq!(table.render(Colour::On), "\u{1b}[1mA\u{1b}[0m\nx\n");
    }
}
