//! The beginnings of tools that are one file.

pub(super) const HTTP: &str = r#"# A tool that asks a web service.
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

pub(super) const COMMAND: &str = r#"# A tool that runs a program.
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

pub(super) const JAVASCRIPT: &str = r"# A tool that is a function of JavaScript, without access to files or the network.
COUNTING
category: data

OF_A_TEXT

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
";

pub(super) const BUILTIN: &str = r#"# A built-in tool under another name and description.
name: NAME
version: "1.0.0"
description: Gives a message back.

entry:
  type: builtin
  # What is not said here (the parameters, the output) is taken from the built-in tool.
  handler: echo
"#;
