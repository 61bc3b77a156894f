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

mod services;

use toolsmith_core::ToolName;

/// The kinds that there is a beginning for.
pub const KINDS: [&str; 8] =
    ["http", "command", "javascript", "builtin", "process", "python", "container", "remote"];

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
        "http" | "rest" => &[("NAME.yaml", HTTP)],
        "command" => &[("NAME.yaml", COMMAND)],
        "javascript" => &[("NAME.yaml", JAVASCRIPT)],
        "builtin" => &[("NAME.yaml", BUILTIN)],
        "process" => &services::PROCESS,
        "python" => &services::PYTHON,
        "container" => &services::CONTAINER,
        "remote" => &services::REMOTE,
        _ => return None,
    };
    let named = |text: &str| text.replace("NAME", name.as_str());
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

const HTTP: &str = r#"# A tool that asks a web service.
name: NAME
version: "1.0.0"
description: Looks up a user of GitHub by login name.
category: http

# What a call must give. Other types: number, integer, boolean, array, object, any.
parameters:
  - name: user
    type: string
    required: true
    description: The login name, for example octocat.
    validation:
      pattern: "^[A-Za-z0-9-]+$"

entry:
  type: http
  # ${VAR} is taken from the environment, ${VAR:default} has a value when it is not set there.
  base_url: ${GITHUB_API_URL:https://api.github.com}
  method: GET
  # {user} is the parameter of that name.
  path: /users/{user}

annotations:
  read_only: true
  open_world: true
"#;

const COMMAND: &str = r#"# A tool that runs a program.
name: NAME
version: "1.0.0"
description: Greets someone.
category: custom

# What a call must give. Other types: number, integer, boolean, array, object, any.
parameters:
  - name: who
    type: string
    default: world
    description: Whom to greet.

entry:
  type: command
  # The program gets its arguments as they are, never through a shell.
  command: printf
  # {who} is the parameter of that name.
  args: ["hello, %s\n", "{who}"]

annotations:
  read_only: true
"#;

const JAVASCRIPT: &str = r#"# A tool that is a function of JavaScript, without access to files or the network.
name: NAME
version: "1.0.0"
description: Counts the words of a text.
category: data

# What a call must give. Other types: number, integer, boolean, array, object, any.
parameters:
  - name: text
    type: string
    required: true
    description: The text.

entry:
  type: javascript
  code: |
    function main(input) {
      const words = input.text.split(/\s+/).filter((word) => word.length > 0);
      return { words: words.length };
    }

output:
  type: object
  properties:
    words: integer

annotations:
  read_only: true
  idempotent: true
"#;

const BUILTIN: &str = r#"# A built-in tool under another name and description.
name: NAME
version: "1.0.0"
description: Gives a message back.

entry:
  type: builtin
  # What is not said here (the parameters, the output) is taken from the built-in tool.
  handler: echo
"#;
