//! The rules for files of a standard sandbox, held by Landlock.

use std::{
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Once,
};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, Scope, path_beneath_rules,
};
use tracing::warn;

use super::places::Places;

/// What every program may read: the system, without the homes of users.
const READABLE: [&str; 13] = [
    "/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/proc", "/run",
    "/sbin", "/sys", "/usr",
];

/// What every program may write to.
const WRITABLE: [&str; 5] = ["/dev/full", "/dev/null", "/dev/shm", "/dev/zero", "/tmp"];

/// The newest rules that we know; an older kernel holds those that it has.
const NEWEST: ABI = ABI::V6;

/// Makes the rules; nothing, and a warning, where the kernel has no Landlock.
pub(super) fn make(places: &Places) -> Option<OwnedFd> {
    match rules(places) {
        Ok(Some(rules)) => Some(rules),
        Ok(None) => {
            warn_once("this kernel has no Landlock (Linux 5.13 has it, when it is switched on)");
            None
        }
        Err(error) => {
            warn_once(&error.to_string());
            None
        }
    }
}

fn rules(places: &Places) -> Result<Option<OwnedFd>, RulesetError> {
    let everything = AccessFs::from_all(NEWEST);
    let reading = AccessFs::from_read(NEWEST);
    let readable = READABLE.iter().map(Path::new).chain(places.read.iter().map(PathBuf::as_path));
    let writable = WRITABLE.iter().map(Path::new).chain(places.write.iter().map(PathBuf::as_path));
    let created = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(path_beneath_rules(readable, reading))?
        .add_rules(path_beneath_rules(writable, everything))?;
    Ok(created.into())
}

fn warn_once(why: &str) {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        warn!("`sandbox: standard` does not limit which files its tools see: {why}");
    });
}
