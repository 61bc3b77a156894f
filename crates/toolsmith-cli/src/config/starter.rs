//! The configuration file that `toolsmith init` writes: every key, commented out, at its default.

use serde_json::Value;

use super::{
    Settings,
    keys::{self, Row},
};

const INTRODUCTION: &str = "\
# The configuration of Toolsmith. Every line that begins with `# key:` shows a default;
# take the `# ` away to change it. `toolsmith config show` prints what is in force.
";

/// How long a comment may be.
const WIDTH: usize = 92;

/// Returns a configuration file with every key commented out at its default.
pub fn starter() -> String {
    let mut lines = vec![INTRODUCTION.trim_end().to_owned()];
    let mut settings = Settings::default();
    let mut open: Vec<&str> = Vec::new();
    for row in keys::settings() {
        let mut path: Vec<&str> = row.name.split('.').collect();
        let Some(key) = path.pop() else { continue };
        let same = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
        if path.is_empty() || same < path.len() {
            lines.push(String::new());
        }
        // Section names are not commented out: an empty section is allowed, and so one line at a
        // time can be switched on.
        for (depth, section) in path.iter().enumerate().skip(same) {
            lines.push(format!("{}{section}:", "  ".repeat(depth)));
        }
        let indent = "  ".repeat(path.len());
        let value = match (row.slot)(&mut settings).show() {
            Value::Null => String::new(),
            Value::String(word) => format!(" {word}"),
            other => format!(" {other}"),
        };
        lines.push(format!("{indent}# {}", explain(row)));
        lines.push(format!("{indent}# {key}:{value}"));
        open = path;
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Says what a key means, and which words it takes where they fit on the line.
fn explain(row: &Row) -> String {
    let expects = (row.slot)(&mut Settings::default()).expects();
    let both = format!("{} ({expects})", row.help);
    let has_words = expects.starts_with('`') && both.chars().count() <= WIDTH;
    if has_words { both } else { row.help.to_owned() }
}
