//! Aligned tables for people; wide characters take two columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::{Colour, one_line};

/// Between two columns.
const GAP: &str = "  ";

/// How many columns a cell takes at most: what is longer would fill the screen.
const WIDEST: usize = 120;

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

    /// Adds a row; missing cells are empty, and long ones are cut.
    pub fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(|text| cell(&text.into())).collect());
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

/// Cuts a text to at most that many columns, and says so by `…`.
pub fn shorten(text: &str, columns: usize) -> String {
    let mut short = String::new();
    let mut width = 0;
    for character in text.chars() {
        width += character.width().unwrap_or(1);
        if width > columns {
            // The mark takes the place of the last column.
            while short.width() + 1 > columns && short.pop().is_some() {}
            short.push('…');
            return short;
        }
        short.push(character);
    }
    short
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

fn cell(text: &str) -> String {
    shorten(&one_line(text), WIDEST)
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
    fn long_text_is_cut_between_characters() {
        assert_eq!(shorten("four", 4), "four");
        assert_eq!(shorten("fives", 4), "fiv…");
        assert_eq!(shorten("计算器", 5), "计算…");
        assert_eq!(shorten("计算器", 4), "计…");
        assert_eq!(shorten("", 4), "");
        assert_eq!(shorten(&"x".repeat(1 << 20), 60).chars().count(), 60);
    }

    #[test]
    fn long_cells_are_cut() {
        let mut table = Table::new(&["A", "B"]);
        table.row(["x".repeat(100_000), "y".to_owned()]);
        assert_eq!(
            table.render(Colour::Off).lines().last(),
            Some(format!("{}…  y", "x".repeat(119)).as_str())
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
