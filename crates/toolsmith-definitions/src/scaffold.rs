//! The beginning of a definition, for each kind: it is valid, and runs as it is.
//!
//! ```
//! use toolsmith_core::ToolName;
//! use toolsmith_definitions::scaffold;
//!
//! let text = scaffold::definition("command", &ToolName::new("greet")?).unwrap();
//! assert!(text.starts_with("# A tool that runs a program."));
//! # Ok::<(), toolsmith_core::ToolError>(())
//! ```

use toolsmith_core::ToolName;

/// The kinds that there is a beginning for.
pub const KINDS: [&str; 4] = ["http", "command", "javascript", "builtin"];

/// Returns the text of a definition of that kind; nothing when the kind is not known.
///
/// `rest` means `http`, as in an entry.
pub fn definition(kind: &str, name: &ToolName) -> Option<String> {
    let text = match kind {
        "http" | "rest" => HTTP,
        "command" => COMMAND,
        "javascript" => JAVASCRIPT,
        "builtin" => BUILTIN,
        _ => return None,
    };
    Some(text.replace("NAME", name.as_str()))
}

/// Returns arguments with which a fresh definition of that kind can be called.
pub fn example(kind: &str) -> &'static str {
    match kind {
        "http" | "rest" => "user=octocat",
        "command" => "who=world",
        "javascript" => "text='one two three'",
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
