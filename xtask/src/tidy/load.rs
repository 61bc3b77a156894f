//! Reads the real tree: the files from git, the crates from cargo.

use std::{fs, path::Path, process::Command};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::tree::{Dependency, File, Package, Section, Tree};

/// Reads every file that is or could be committed, and what cargo knows of the crates.
pub(crate) fn tree(root: &Path) -> anyhow::Result<Tree> {
    Ok(Tree { files: files(root)?, packages: packages(root)? })
}

fn files(root: &Path) -> anyhow::Result<Vec<File>> {
    // Git refuses a folder of another user, as in a container that mounts the clone; listing
    // names runs nothing of it.
    let listed = output(
        root,
        "git",
        &["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    )?;
    let listed = String::from_utf8(listed).context("a file name is not UTF-8")?;
    let mut paths: Vec<&str> = listed.split_terminator('\0').collect();
    paths.sort_unstable();
    paths.dedup();
    Ok(paths.into_iter().filter_map(|path| file(root, path)).collect())
}

/// Reads one file; nothing when it is listed but deleted, or is a folder.
fn file(root: &Path, path: &str) -> Option<File> {
    let bytes = fs::read(root.join(path)).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    Some(File { path: path.to_owned(), text: text.unwrap_or_default() })
}

fn packages(root: &Path) -> anyhow::Result<Vec<Package>> {
    let metadata = ["metadata", "--no-deps", "--format-version", "1"];
    // Without `--offline` cargo may want the registry before it answers; most often it need not.
    let offline: Vec<&str> = metadata.iter().copied().chain(["--offline"]).collect();
    let text = output(root, "cargo", &offline).or_else(|_| output(root, "cargo", &metadata))?;
    let metadata: Value = serde_json::from_slice(&text).context("cargo metadata is not JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    packages.iter().map(|value| package(root, value)).collect()
}

fn package(root: &Path, value: &Value) -> anyhow::Result<Package> {
    let name = value["name"].as_str().context("a package has no name")?;
    let manifest = value["manifest_path"].as_str().context("a package has no manifest")?;
    let manifest = Path::new(manifest).strip_prefix(root.canonicalize()?)?;
    let dependencies = value["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(Package {
        name: name.to_owned(),
        description: value["description"].as_str().unwrap_or_default().to_owned(),
        manifest: manifest.to_string_lossy().replace('\\', "/"),
        dependencies: dependencies.iter().filter_map(dependency).collect(),
    })
}

fn dependency(value: &Value) -> Option<Dependency> {
    let name = value["name"].as_str()?;
    let section = match value["kind"].as_str() {
        Some("dev") => Section::Dev,
        Some("build") => Section::Build,
        _ => Section::Normal,
    };
    let key = value["rename"].as_str().unwrap_or(name);
    Some(Dependency { name: name.to_owned(), key: key.to_owned(), section })
}

fn output(root: &Path, program: &str, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .with_context(|| format!("{program} could not be started"))?;
    if !output.status.success() {
        bail!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_real_tree_can_be_read() {
        let tree = tree(&crate::root()).unwrap();
        assert!(tree.text("xtask/src/tidy/load.rs").contains("the_real_tree_can_be_read"));
        let xtask = tree.packages.iter().find(|package| package.name == "xtask").unwrap();
        assert_eq!(xtask.manifest, "xtask/Cargo.toml");
        assert!(xtask.dependencies.iter().any(|listed| listed.name == "serde_json"));
    }
}
