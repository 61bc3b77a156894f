//! Builds the targets with the flags of `fuzz/.cargo/config.toml`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The targets: a program in `fuzz/src/bin`, a folder in `fuzz/corpus`, a check in the tests.
pub(super) const TARGETS: [&str; 3] = ["parse", "repair", "round_trip"];

/// Where the build has put things.
#[derive(Debug)]
pub(super) struct Built {
    /// The folder for all that fuzzing leaves behind.
    pub(super) folder: PathBuf,
    /// The programs by the names of their targets.
    pub(super) programs: BTreeMap<String, PathBuf>,
}

/// Builds all targets.
pub(super) fn targets(root: &Path) -> anyhow::Result<Built> {
    let folder = target_folder(root)?.join("fuzz");
    let output = Command::new("cargo")
        // Not locked: the lock file here follows the crates of the workspace beside it.
        .args(["build", "--release", "--quiet"])
        .args(["--message-format", "json-render-diagnostics", "--target-dir"])
        .arg(&folder)
        // Cargo reads the flags from the folder that it runs in, unless the environment has some.
        .current_dir(root.join("fuzz"))
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        bail!("the fuzz targets could not be built; they need a C++ compiler");
    }
    Ok(Built { folder, programs: programs(&String::from_utf8_lossy(&output.stdout)) })
}

fn target_folder(root: &Path) -> anyhow::Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .context("cargo could not be started")?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    let folder = metadata["target_directory"].as_str();
    Ok(folder.context("cargo metadata names no target folder")?.into())
}

/// Reads the programs out of what cargo says about its build, one JSON object a line.
fn programs(messages: &str) -> BTreeMap<String, PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages
        .filter_map(|message| {
            let name = message["target"]["name"].as_str()?.to_owned();
            Some((name, message["executable"].as_str()?.into()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_programs_are_read_from_the_messages_of_cargo() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"core"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"parse"},"executable":"/t/release/parse"}
{"reason":"build-finished","success":true}"#;
        let programs = programs(messages);
        assert_eq!(programs.len(), 1);
        assert_eq!(programs["parse"], Path::new("/t/release/parse"));
    }

    #[test]
    fn every_target_has_a_program_and_a_corpus() {
        let fuzz = crate::root().join("fuzz");
        let bins = fs::read_dir(fuzz.join("src/bin")).unwrap();
        let mut bins: Vec<_> =
            bins.map(|file| file.unwrap().path().file_stem().unwrap().to_owned()).collect();
        bins.sort();
        assert_eq!(bins, TARGETS);
        assert!(TARGETS.iter().all(|target| fuzz.join("corpus").join(target).is_dir()));
    }
}
