//! A folder in which the binary runs, with an environment of its own.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// Where the programs of commands are.
pub(crate) const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin";

/// A folder to run the command in.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        self.write(name, text);
        self
    }

    /// Writes a file; folders come into being.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The command, with nothing of the environment of the test.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolsmith"));
        command.env_clear().current_dir(self.path()).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    /// Runs a command whose environment has these variables, and a path on which programs are.
    pub(crate) fn run_knowing(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        Ran::of(command.env("PATH", PROGRAMS).envs(variables.iter().copied()))
    }

    /// Runs a command that reads this text from its standard input.
    pub(crate) fn run_reading(&self, arguments: &[&str], text: &str) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let text = text.to_owned();
        // A command that refuses its input early closes the pipe, which is not the test's matter.
        let writing = std::thread::spawn(move || stdin.write_all(text.as_bytes()).ok());
        let ran = Ran::from_output(child.wait_with_output().unwrap());
        writing.join().unwrap();
        ran
    }

    /// Runs a command that must succeed in silence, and returns what it printed.
    pub(crate) fn print(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        ran.stdout
    }

    /// Runs a command with `--json` that must succeed, and returns its document.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.json()
    }
}

/// Replaces what differs from run to run: ids, times, durations, and the columns they widen.
pub(crate) fn steady(check: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[id]");
    settings.add_filter(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "[time]");
    settings.add_filter(r"\d+(\.\d+)? m?s\b", "[took]");
    // How the calculator points at a mistake is told by its own tests.
    settings.add_filter(r"(Division by zero at position 2\.).*", "$1");
    settings.add_filter(r" {2,}", "  ");
    settings.bind(check);
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        Self::from_output(command.output().unwrap())
    }

    pub(crate) fn from_output(output: Output) -> Self {
        let Output { status, stdout, stderr } = output;
        Self {
            code: status.code(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }

    /// What went wrong: `error.type` of the document.
    pub(crate) fn error_type(&self) -> String {
        self.json()["error"]["type"].as_str().unwrap_or_default().to_owned()
    }

    /// The whole of standard output as one JSON document.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Asks again and again until it is so; fails when it never is.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !is_so() {
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "never: {what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
