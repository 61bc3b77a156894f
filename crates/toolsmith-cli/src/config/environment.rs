//! A snapshot of the environment; nothing else in the project reads the real one.

use std::{collections::BTreeMap, fmt, fs, io, path::Path};

use toolsmith_core::Variables;

use crate::files;

/// The longest file that `${file:path}` reads, in bytes.
const MAX_FILE: usize = 1 << 20;

/// The variables of a process, as they were when it started.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    unreadable: Vec<String>,
}

impl Environment {
    /// Takes the variables of this process.
    pub fn of_process() -> Self {
        let mut environment = Self::default();
        for (name, value) in std::env::vars_os() {
            let Ok(name) = name.into_string() else { continue };
            match value.into_string() {
                Ok(value) => drop(environment.variables.insert(name, value)),
                Err(_) => environment.unreadable.push(name),
            }
        }
        environment
    }

    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Returns every variable.
    pub fn all(&self) -> BTreeMap<String, String> {
        self.variables.clone()
    }

    /// Returns the variables whose names begin so, in alphabetical order.
    pub fn beginning_with<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.variables
            .iter()
            .filter(move |(name, _)| name.starts_with(prefix))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the names of variables whose values are not text.
    pub fn unreadable(&self) -> impl Iterator<Item = &str> {
        self.unreadable.iter().map(String::as_str)
    }

    /// Tells whether the user asks for no colours (<https://no-color.org>).
    pub fn forbids_colour(&self) -> bool {
        self.get("NO_COLOR").is_some_and(|value| !value.is_empty())
            || self.get("TERM") == Some("dumb")
    }
}

impl Variables for Environment {
    fn variable(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    fn file(&self, path: &str) -> Result<String, String> {
        let read = || {
            // Opening a pipe would wait for somebody who writes to it.
            if !fs::metadata(path)?.is_file() {
                return Err(io::Error::other("it is no regular file"));
            }
            files::read_text(Path::new(path), MAX_FILE)
        };
        let mut text = read().map_err(|error| {
            format!("cannot read the file `{path}`: {}", files::explain(&error))
        })?;
        // Editors and `echo` end a file with a newline that is no part of the secret.
        if text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        Ok(text)
    }

    fn has_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables =
            variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, unreadable: Vec::new() }
    }
}

/// Values may be secrets, so only the names are shown.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_never_printed() {
        let environment = Environment::from_iter([("KEY", "hunter2")]);
        assert_eq!(format!("{environment:?}"), r#"{"KEY"}"#);
        assert_eq!(environment.get("KEY"), Some("hunter2"));
    }

    #[test]
    fn files_lose_their_last_newline() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "line\nline\r\n").unwrap();
        let environment = Environment::default();
        assert_eq!(environment.file(&path.display().to_string()).unwrap(), "line\nline");
        assert_eq!(
            environment.file("/nowhere/at/all").unwrap_err(),
            "cannot read the file `/nowhere/at/all`: there is no such file"
        );
        assert_eq!(
            environment.file("/dev/null").unwrap_err(),
            "cannot read the file `/dev/null`: it is no regular file"
        );
    }

    #[test]
    fn colour_is_forbidden_by_no_color_and_dumb_terminals() {
        assert!(Environment::from_iter([("NO_COLOR", "1")]).forbids_colour());
        assert!(Environment::from_iter([("TERM", "dumb")]).forbids_colour());
        assert!(!Environment::from_iter([("NO_COLOR", "")]).forbids_colour());
    }
}
