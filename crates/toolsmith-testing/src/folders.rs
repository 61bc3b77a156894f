//! Where the project stands, and where its build puts things.

use std::path::{Path, PathBuf};

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Returns the target folder: the one of the environment, else the one beneath the root.
#[expect(
    clippy::disallowed_methods,
    reason = "the test command says where it put things through cargo's own variable"
)]
pub(crate) fn target() -> PathBuf {
    let chosen = std::env::var("CARGO_TARGET_DIR").ok().filter(|chosen| !chosen.is_empty());
    target_beneath(&root(), chosen.as_deref())
}

/// An absolute choice stands for itself; a relative one is meant from the root.
fn target_beneath(root: &Path, chosen: Option<&str>) -> PathBuf {
    root.join(chosen.unwrap_or("target"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("crates/toolsmith-testing/Cargo.toml").is_file());
        assert!(root().join("Cargo.lock").is_file());
    }

    #[test]
    fn the_environment_may_put_the_target_folder_elsewhere() {
        let root = Path::new("/project");
        assert_eq!(target_beneath(root, None), Path::new("/project/target"));
        assert_eq!(target_beneath(root, Some("/cache/target")), Path::new("/cache/target"));
        assert_eq!(target_beneath(root, Some("out")), Path::new("/project/out"));
    }
}
