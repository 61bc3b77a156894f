//! Questions of tools, put to whoever sits at the terminal.

mod field;
mod lines;
mod terminal;

pub(crate) use self::terminal::Terminal;
