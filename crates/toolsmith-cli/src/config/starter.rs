//! The configuration file that `toolsmith init` writes: every key, commented out, at its default.

use serde_json::Value;

use super::{Settings, keys};

const INTRODUCTION: &str = "\
# The configuration of Toolsmith. Every line that begins with `# key:` shows a default;
# take the `# ` away to change it. `toolsmith config show` prints what is in force.
";

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
        lines.push(format!("{indent}# {}", row.help));
        lines.push(format!("{indent}# {key}:{value}"));
        open = path;
    }
    lines.push(String::new());
    lines.join("\n")
}
