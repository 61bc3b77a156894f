//! Runs one target.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, bail};

use super::build::Built;

/// The longest input: longer ones are slower and say little more.
const LONGEST: &str = "-max_len=700";

/// An input that takes longer is a find: no reader may take more than linear time.
const SLOWEST: &str = "-timeout=10";

/// One target and its folders.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// The corpus of the repository.
    kept: PathBuf,
    /// What earlier runs here have found.
    found: PathBuf,
    /// Where inputs that break a law are put.
    pub(super) broken: PathBuf,
    pub(super) log: PathBuf,
    dictionary: PathBuf,
}

impl Target {
    /// Finds the program of a target, and makes its folders.
    pub(super) fn new(root: &Path, built: &Built, name: &str) -> anyhow::Result<Self> {
        let program = built.programs.get(name);
        let target = Self {
            name: name.to_owned(),
            program: program.with_context(|| format!("cargo built no `{name}`"))?.clone(),
            kept: root.join("fuzz/corpus").join(name),
            found: built.folder.join("found").join(name),
            broken: built.folder.join("broken").join(name),
            log: built.folder.join(format!("{name}.log")),
            dictionary: root.join("fuzz/dialects.dict"),
        };
        for folder in [&target.kept, &target.found, &target.broken] {
            fs::create_dir_all(folder)?;
        }
        Ok(target)
    }

    /// Starts the target for a bounded time.
    pub(super) fn start(&self, seconds: u64) -> anyhow::Result<Child> {
        let mut command = self.command()?;
        command
            .args([&format!("-max_total_time={seconds}"), LONGEST, SLOWEST])
            // Long inputs from the beginning: the corpus has some already.
            .args(["-len_control=0", "-print_final_stats=1"])
            .arg(format!("-dict={}", self.dictionary.display()))
            // The first folder is where new inputs are put.
            .args([&self.found, &self.kept]);
        command.spawn().with_context(|| format!("`{}` could not be started", self.name))
    }

    /// Makes the kept corpus the smallest that reaches what it and the finds reach.
    pub(super) fn merge(&self) -> anyhow::Result<()> {
        let smallest = self.found.with_extension("smallest");
        fs::remove_dir_all(&smallest).ok();
        fs::create_dir_all(&smallest)?;
        let mut command = self.command()?;
        // Kept is what reaches a place, not what reaches it more often: a tenth of the files.
        command.args(["-merge=1", "-use_counters=0", LONGEST, SLOWEST]);
        command.args([&smallest, &self.kept, &self.found]);
        if !command.status()?.success() {
            bail!("the corpus of `{}` could not be merged; see {}", self.name, self.log.display());
        }
        for file in fs::read_dir(&self.kept)? {
            let file = file?;
            if is_of_the_fuzzer(&file.file_name().to_string_lossy()) {
                fs::remove_file(file.path())?;
            }
        }
        for file in fs::read_dir(&smallest)? {
            let file = file?;
            fs::copy(file.path(), self.kept.join(file.file_name()))?;
        }
        fs::remove_dir_all(&smallest)?;
        Ok(())
    }

    fn command(&self) -> anyhow::Result<Command> {
        let log = File::create(&self.log)?;
        let mut command = Command::new(&self.program);
        command
            .arg(format!("-artifact_prefix={}/", self.broken.display()))
            // The message of the check says what broke; the way there is always the same.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        Ok(command)
    }
}

/// Tells whether an input has the name that the fuzzer gives, a hash; one with a name from a person
/// shows a fault that was mended, and stays.
fn is_of_the_fuzzer(name: &str) -> bool {
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_a_person_has_named_are_not_the_fuzzers() {
        assert!(is_of_the_fuzzer("402a7aadafdc699f690ecce6082eee0af1f98cb0"));
        assert!(!is_of_the_fuzzer("auto-first-document"));
    }
}
