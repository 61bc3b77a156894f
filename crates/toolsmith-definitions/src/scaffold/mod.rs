//! The beginning of a definition, for each kind: it is valid, and runs as it is.
//!
//! ```
//! use toolsmith_core::ToolName;
//! use toolsmith_definitions::scaffold;
//!
//! let files = scaffold::files("command", &ToolName::new("greet")?).unwrap();
//! assert_eq!(files[0].path, "greet.yaml");
//! assert!(files[0].text.starts_with("# A tool that runs a program."));
//! # Ok::<(), toolsmith_core::ToolError>(())
//! ```

mod plain;
mod services;

use toolsmith_core::ToolName;

/// The kinds that there is a beginning for.
pub const KINDS: [&str; 8] =
    ["http", "command", "javascript", "builtin", "process", "python", "container", "remote"];

/// What `COUNTING` stands for: most beginnings count words, each in its own way.
const COUNTING: &str = "\
name: NAME
version: \"1.0.0\"
description: Counts the words of a text.
";

/// What `OF_A_TEXT` stands for.
const OF_A_TEXT: &str = "\
# What a call must give. Other types: number, integer, boolean, array, object, any.
parameters:
  - name: text
    type: string
    required: true
    description: The text.
";

/// A file of a fresh tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it stands, from the folder of the definition.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// Returns the files of a tool of that kind, its definition first; nothing for unknown kinds.
///
/// `rest` means `http`, as in an entry.
pub fn files(kind: &str, name: &ToolName) -> Option<Vec<File>> {
    let files: &[(&str, &str)] = match kind {
        "http" | "rest" => &[("NAME.yaml", plain::HTTP)],
        "command" => &[("NAME.yaml", plain::COMMAND)],
        "javascript" => &[("NAME.yaml", plain::JAVASCRIPT)],
        "builtin" => &[("NAME.yaml", plain::BUILTIN)],
        "process" => &services::PROCESS,
        "python" => &services::PYTHON,
        "container" => &services::CONTAINER,
        "remote" => &services::REMOTE,
        _ => return None,
    };
    let named = |text: &str| {
        let whole = text.replace("COUNTING\n", COUNTING).replace("OF_A_TEXT\n", OF_A_TEXT);
        whole.replace("NAME", name.as_str())
    };
    let named = files.iter().map(|(path, text)| File { path: named(path), text: named(text) });
    Some(named.collect())
}

/// Returns arguments with which a fresh definition of that kind can be called.
pub fn example(kind: &str) -> &'static str {
    match kind {
        "http" | "rest" => "user=octocat",
        "command" => "who=world",
        "javascript" | "process" | "python" | "container" | "remote" => "text='one two three'",
        "builtin" => "message=hello",
        _ => "",
    }
}
