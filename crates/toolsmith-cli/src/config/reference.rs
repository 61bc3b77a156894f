//! The reference page of the configuration, made from the table of keys.

use serde_json::Value;

use super::{
    Settings,
    keys::{ROWS, Row, settings},
};

const INTRODUCTION: &str = "\
# Configuration

<!-- Made from the table of keys in toolsmith-cli; do not edit by hand. -->

Settings come from four places; the first that has a value wins:

1. flags of the command line (`--tools`, `--data`, `--log`),
2. variables of the environment,
3. the file `toolsmith.yaml` in the current folder, or the one that `--config FILE` names,
4. the defaults.

`toolsmith config show` prints what is in force and where each value came from. An unknown key or
variable is an error. In the file, the parts of a dotted key are sections; `limits.queue_size: 5` on
one line means the same. In the environment, lists and maps are written as JSON. Relative paths are
relative to the current folder.

## Keys
";

const TWINS: &str = "
## Other ways to write a key

The section `tools:` of older configurations is accepted as it is. A setting that both its key and
its older form set, to different values, is an error.
";

const TEMPLATES: &str = "
## Variables in values

| In a text | Becomes |
|---|---|
| `${NAME}` | the variable of the environment |
| `${NAME:default}` | the same, or the default when it is not set |
| `${file:path}` | the content of the file, without a newline at its end |
| `$${` | a plain `${` |

Texts are filled in when they are used. A variable that is not set and has no default is a warning
when the configuration is read, and an error of what needs it. What came from a variable or a file
is a secret: it is shown as `***`. So are keys and the variables of MCP servers, wherever they were
written.

Words, numbers, `true` and `false` may be written so too: `log: \"${LEVEL:warn}\"`. They are filled
in when the configuration is read, a variable that is not set is an error then, and they are shown as
they are.
";

/// Returns the reference page of the configuration as Markdown.
pub fn reference() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str(&table("Default", settings().map(|row| (row, default_of(row)))));
    page.push_str(TWINS);
    let twins = ROWS.iter().filter_map(|row| row.twin_of.map(|key| (row, format!("`{key}`"))));
    page.push_str(&table("Stands for", twins));
    page.push_str(TEMPLATES);
    page
}

fn table(third: &str, rows: impl Iterator<Item = (&'static Row, String)>) -> String {
    let mut lines = vec![
        String::new(),
        format!("| Key | Expects | {third} | Variable | Meaning |"),
        "|---|---|---|---|---|".to_owned(),
    ];
    for (row, third) in rows {
        let expects = (row.slot)(&mut Settings::default()).expects();
        let (name, variable, help) = (row.name, row.variable(), row.help);
        lines.push(format!("| `{name}` | {expects} | {third} | `{variable}` | {help} |"));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn default_of(row: &Row) -> String {
    match (row.slot)(&mut Settings::default()).show() {
        Value::Null => "none".to_owned(),
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}
