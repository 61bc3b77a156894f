//! The `toolsmith` binary.

use std::process::ExitCode;

use toolsmith_cli::config::Environment;

fn main() -> ExitCode {
    toolsmith_cli::run(std::env::args_os(), Environment::of_process())
}
