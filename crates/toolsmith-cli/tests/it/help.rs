//! What `--help` says.

use insta::assert_snapshot;

use crate::support::Place;

#[test]
fn the_program_lists_its_words() {
    assert_snapshot!(Place::new().print(&["--help"]), @r#"
    Tools for AI agents: register, run, record and serve them

    Usage: toolsmith [OPTIONS] <COMMAND>

    Commands:
      serve        Serve the tools to other programs, over HTTP
      mcp          Give the tools to an MCP client, over standard input and output
      run          Call a tool
      batch        Call many tools at once
      tools        Find, check, make and switch tools
      render       Show tools to a model in its dialect
      parse        Read the calls in the reply of a model
      calls        Look at the records of calls: list, count, export, remove
      artifacts    Look at outputs that were too large to show whole
      approvals    Decide about calls that wait for a person
      keys         Make, list and revoke the keys of callers
      import       Make tools of what is there already
      export       Hand tools to other systems
      config       Look at the configuration
      doctor       Look what is installed, reachable and configured, and what is missing
      init         Prepare a folder: a configuration, a place for tools
      completions  Print completions for a shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Global options:
          --config <FILE>  Read this configuration [default: toolsmith.yaml when it is there]
          --tools <DIR>    Read tool definitions from this folder; may be repeated [default: tools]
          --data <DIR>     Keep the database and artifacts in this folder [default: .toolsmith]
          --log <LEVEL>    Log this much: off, error, warn, info, debug or trace [default: warn]
          --json           Print one JSON document on standard output and nothing else there

    Examples:
      toolsmith serve                                  serve the tools to other programs
      toolsmith run echo message=hi                    call a tool
      toolsmith run calculator expression='2*(3+4)'    call another
      toolsmith tools list                             see what there is
      toolsmith calls list                             see what was called
      toolsmith init                                   prepare this folder
    "#);
}

#[test]
fn a_run_explains_its_input_and_its_codes() {
    assert_snapshot!(Place::new().print(&["run", "--help"]), @r#"
    Call a tool

    Usage: toolsmith run [OPTIONS] <NAME> [KEY=VALUE]...

    Arguments:
      <NAME>          The tool, with a version where it matters: NAME, NAME@1.2.0, NAME@^1
      [KEY=VALUE]...  Its input

    Options:
          --params <JSON|@FILE|->  The whole input as JSON, from a file, or from standard input;
                                   KEY=VALUE goes on top
          --dry-run                Check the call, print its input, and stop before it runs
          --conversation <ID>      The conversation that the call belongs to
          --timeout <SECONDS>      How long the call may take
      -h, --help                   Print help

    Global options:
          --config <FILE>  Read this configuration [default: toolsmith.yaml when it is there]
          --tools <DIR>    Read tool definitions from this folder; may be repeated [default: tools]
          --data <DIR>     Keep the database and artifacts in this folder [default: .toolsmith]
          --log <LEVEL>    Log this much: off, error, warn, info, debug or trace [default: warn]
          --json           Print one JSON document on standard output and nothing else there

    Examples:
      toolsmith run echo message=hello
      toolsmith run calculator expression='2*(3+4)' --json
      toolsmith run echo message=@note.txt
      echo '{"expression": "1/3"}' | toolsmith run calculator --params - precision=2

    A value is typed by the tool's schema: `n=3` is a number where the schema says so.
    `key:=JSON` gives JSON, `key=@FILE` the content of a file, `key=@@x` the text `@x`.

    The output goes to standard output: the field `result` or the only field of an object, text as
    it is, everything else as JSON; --json prints the whole outcome. Ctrl-C cancels the call, a
    second one ends at once.

    Exit codes: 0 success, 1 the tool failed, 2 wrong arguments or configuration, 3 no such tool,
    4 wrong input, 5 not allowed, 6 out of time, 7 refused for now, 130 cancelled.
    "#);
}

#[test]
fn every_word_has_examples() {
    let place = Place::new();
    for words in [
        "run",
        "batch",
        "tools list",
        "tools search",
        "tools show",
        "tools validate",
        "tools new",
        "tools enable",
        "tools disable",
        "tools accept",
        "tools start",
        "tools stop",
        "tools reload",
        "render",
        "parse",
        "calls list",
        "calls show",
        "calls stats",
        "calls summary",
        "calls export",
        "calls prune",
        "artifacts list",
        "artifacts show",
        "import openapi",
        "import mcp",
        "import toml",
        "import registry",
        "export registry",
        "config show",
        "doctor",
        "init",
        "completions",
    ] {
        let mut arguments: Vec<&str> = words.split(' ').collect();
        arguments.push("--help");
        let help = place.print(&arguments);
        assert!(help.contains(&format!("Examples:\n  toolsmith {words}")), "{help}");
    }
}
