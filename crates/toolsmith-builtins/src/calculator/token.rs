//! Splits an expression into numbers, names, operators and brackets.

use super::{
    literal,
    mistake::{Mistake, visible},
    number::Number,
};

const COMPARISON: &str = "is a comparison, which is not supported: an expression gives one number";

/// One piece of an expression.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// The piece as it was written.
    pub(super) text: &'a str,
    /// Its first character, counted from 1.
    pub(super) position: usize,
}

/// What a piece is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Number(Number),
    Name,
    Operator(Operator),
    Open,
    Close,
    Comma,
}

impl Kind {
    pub(super) fn is_close(self) -> bool {
        matches!(self, Self::Close)
    }

    pub(super) fn is_comma(self) -> bool {
        matches!(self, Self::Comma)
    }

    /// Tells whether a value can begin with it, signs apart.
    pub(super) fn begins_value(self) -> bool {
        matches!(self, Self::Number(_) | Self::Name | Self::Open)
    }
}

/// An operator between two values; `+` and `-` also stand before one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
}

impl Operator {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Modulo => "%",
            Self::Power => "**",
        }
    }

    pub(super) fn is_additive(self) -> bool {
        matches!(self, Self::Add | Self::Subtract)
    }

    pub(super) fn is_multiplicative(self) -> bool {
        matches!(self, Self::Multiply | Self::Divide | Self::FloorDivide | Self::Modulo)
    }
}

/// Splits an expression into its pieces.
pub(super) fn tokenize(expression: &str) -> Result<Vec<Token<'_>>, Mistake> {
    let mut reader = Reader { rest: expression, position: 1 };
    let mut tokens = Vec::new();
    while let Some(token) = reader.next_token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

/// What is left to split.
struct Reader<'a> {
    rest: &'a str,
    position: usize,
}

impl<'a> Reader<'a> {
    fn next_token(&mut self) -> Result<Option<Token<'a>>, Mistake> {
        self.take(self.rest.len() - self.rest.trim_start().len());
        let position = self.position;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let (kind, length) = if literal::starts_number(self.rest) {
            let (number, length) = literal::read(self.rest, position)?;
            (Kind::Number(number), length)
        } else if starts_name(first) {
            (Kind::Name, name_length(self.rest))
        } else {
            symbol(self.rest).ok_or_else(|| refuse(first, self.rest, position))?
        };
        Ok(Some(Token { kind, text: self.take(length), position }))
    }

    /// Takes so many bytes, which end a character.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.position += taken.chars().count();
        taken
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// A point belongs to the name, so that `math.sqrt` is one unknown name and not three mistakes.
fn name_length(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// Reads an operator, bracket or comma, also as Chinese keyboards write them.
fn symbol(text: &str) -> Option<(Kind, usize)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let is_doubled = chars.next() == Some(first);
    let kind = match first {
        '*' | '＊' if is_doubled => Kind::Operator(Operator::Power),
        '/' | '／' if is_doubled => Kind::Operator(Operator::FloorDivide),
        '+' | '＋' => Kind::Operator(Operator::Add),
        '-' | '−' | '－' => Kind::Operator(Operator::Subtract),
        '*' | '×' | '＊' => Kind::Operator(Operator::Multiply),
        '/' | '÷' | '／' => Kind::Operator(Operator::Divide),
        '%' | '％' => Kind::Operator(Operator::Modulo),
        '^' | '＾' => Kind::Operator(Operator::Power),
        '(' | '（' => Kind::Open,
        ')' | '）' => Kind::Close,
        ',' | '，' => Kind::Comma,
        _ => return None,
    };
    let is_pair = is_doubled && matches!(first, '*' | '＊' | '/' | '／');
    Some((kind, first.len_utf8() * if is_pair { 2 } else { 1 }))
}

/// Says what to write in place of a character that has no meaning here.
fn refuse(c: char, rest: &str, position: usize) -> Mistake {
    let reason = match c {
        '<' | '>' | '=' | '≤' | '≥' | '≠' | '≈' => COMPARISON,
        '!' if rest.starts_with("!=") => COMPARISON,
        '!' => "is not supported: write `factorial(n)` for n!",
        '[' | ']' | '{' | '}' => "is not supported: use the brackets `(` and `)`",
        '"' | '\'' | '`' | '“' | '”' | '‘' | '’' => {
            "begins a text, and only numbers can be computed"
        }
        '.' => "is not part of a number",
        _ if c.is_numeric() => "is not a digit from 0 to 9: write powers as `2**3`",
        _ => "has no meaning here: use numbers, + - * / // % **, brackets, constants and functions",
    };
    Mistake::at(position, format!("`{}` at position {position} {reason}.", visible(c)))
}
