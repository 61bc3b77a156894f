//! The file view of a strict sandbox: what is shown of the system, and where.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::{Sandbox, places::Places};
use crate::{
    Command,
    keeper::{Act, Arg, Plan},
};

/// Where the system's own file view is found while the new one is made.
const OLD: &str = "/.old";

/// What a folder of the child's own may hold: bytes, and files, which are memory of the kernel.
const SCRATCH: &str = "mode=1777,size=64m,nr_inodes=16k";

/// Folders of programs and what they need; links to others are kept as links.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// What programs read of the settings; names of users are no secret, passwords are.
const SETTINGS: [&str; 16] = [
    "/etc/alternatives",
    "/etc/ca-certificates.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
];

const DEVICES: [&str; 5] = ["full", "null", "random", "urandom", "zero"];

const DEVICE_LINKS: [(&str, &str); 4] = [
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
];

const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;
const NO_EXTRAS: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Read,
    Write,
}

/// Writes down how the child gets a file view of its own.
pub(super) fn show(plan: &mut Plan, command: &Command, sandbox: &Sandbox) -> io::Result<()> {
    plan.step(Act::Part, []);
    plan.step(Act::Tmpfs, [Arg::from("/tmp"), Arg::from("mode=0755,size=1m")]);
    folder(plan, Path::new("/tmp/.old"));
    plan.step(Act::Pivot, [Arg::from("/tmp"), Arg::from("/tmp/.old")]);
    devices(plan);
    folder(plan, Path::new("/proc"));
    plan.step(Act::Processes, [Arg::from("/proc")]);
    folder(plan, Path::new("/tmp"));
    plan.step(Act::Tmpfs, [Arg::from("/tmp"), Arg::from(SCRATCH)]);
    for link in SYSTEM.map(Path::new) {
        if let Ok(target) = fs::read_link(link) {
            plan.step(Act::Link, [Arg::from(&*target), Arg::from(link)]);
        }
    }
    let places = Places::of(command, sandbox)?;
    for (path, access) in wanted(&places)? {
        attach(plan, &path, access)?;
    }
    for path in &places.repositories {
        protect(plan, path)?;
    }
    plan.step(Act::Detach, [Arg::from(OLD)]);
    plan.step(Act::SealOne, [Arg::from("/"), Arg::from(READ_ONLY | NO_EXTRAS)]);
    Ok(())
}

/// Collects what is shown; a folder comes before what is in it.
fn wanted(places: &Places) -> io::Result<BTreeMap<PathBuf, Access>> {
    let mut wanted = BTreeMap::new();
    for path in SYSTEM.iter().chain(&SETTINGS).map(Path::new).filter(|path| path.exists()) {
        wanted.insert(path.to_owned(), Access::Read);
    }
    for path in &places.read {
        wanted.entry(path.clone()).or_insert(Access::Read);
    }
    for path in &places.write {
        wanted.insert(path.clone(), Access::Write);
    }
    if wanted.contains_key(Path::new("/")) {
        let message = "`/` cannot be shown in a strict sandbox; list what is needed of it";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    // Whoever was given another name of a place may be told its real name by the system.
    let real =
        wanted.iter().map(|(path, access)| Ok((path.canonicalize().map_err(at(path))?, *access)));
    for (path, access) in real.collect::<io::Result<Vec<_>>>()? {
        let known = wanted.entry(path).or_insert(access);
        *known = access.max(*known);
    }
    // Through a link of the system everything is found that is shown where the link leads.
    wanted.retain(|path, _| {
        !SYSTEM.iter().map(Path::new).any(|link| path.starts_with(link) && link.is_symlink())
    });
    // What lies in a folder that is shown anyway needs no place of its own.
    let shown: Vec<(PathBuf, Access)> =
        wanted.iter().map(|(path, access)| (path.clone(), *access)).collect();
    wanted.retain(|path, access| {
        let above = shown.iter().filter(|(other, _)| path != other && path.starts_with(other));
        above
            .max_by_key(|(other, _)| other.as_os_str().len())
            .is_none_or(|(_, other)| other < access)
    });
    Ok(wanted)
}

fn at(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

fn attach(plan: &mut Plan, path: &Path, access: Access) -> io::Result<()> {
    let real = path.canonicalize().map_err(at(path))?;
    for parent in path.ancestors().skip(1).collect::<Vec<_>>().into_iter().rev().skip(1) {
        folder(plan, parent);
    }
    if real.is_dir() {
        folder(plan, path);
    } else {
        plan.step(Act::File, [Arg::from(path)]);
    }
    plan.step(Act::Show, [Arg::from(&*old(&real)), Arg::from(path)]);
    let attributes = if access == Access::Read { READ_ONLY | NO_EXTRAS } else { NO_EXTRAS };
    plan.step(Act::Seal, [Arg::from(path), Arg::from(attributes)]);
    Ok(())
}

/// Shows a repository in a folder of the child once more, so that the child cannot change it.
///
/// Its hooks and settings are programs that others run, outside.
fn protect(plan: &mut Plan, repository: &Path) -> io::Result<()> {
    let folder = repository.parent().unwrap_or(repository);
    let real = folder.canonicalize().map_err(at(folder))?;
    for seen in [folder.join(".git"), real.join(".git")] {
        let source = old(&real).join(".git");
        plan.step(Act::ShowItself, [Arg::from(&*source), Arg::from(&*seen)]);
        plan.step(Act::Seal, [Arg::from(&*seen), Arg::from(READ_ONLY | NO_EXTRAS)]);
        if folder == real {
            break;
        }
    }
    Ok(())
}

/// Returns where a place is found while the new view is made.
fn old(real: &Path) -> PathBuf {
    Path::new(OLD).components().chain(real.components().skip(1)).collect()
}

fn devices(plan: &mut Plan) {
    folder(plan, Path::new("/dev"));
    for device in DEVICES {
        let path = format!("/dev/{device}");
        plan.step(Act::File, [Arg::from(path.as_str())]);
        let source = format!("{OLD}{path}");
        plan.step(Act::Show, [Arg::from(source.as_str()), Arg::from(path.as_str())]);
        // A device can be written to all the same, but not taken from others.
        let attributes = READ_ONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC;
        plan.step(Act::Seal, [Arg::from(path.as_str()), Arg::from(attributes)]);
    }
    for (target, path) in DEVICE_LINKS {
        plan.step(Act::Link, [Arg::from(target), Arg::from(path)]);
    }
    folder(plan, Path::new("/dev/shm"));
    plan.step(Act::Tmpfs, [Arg::from("/dev/shm"), Arg::from(SCRATCH)]);
}

fn folder(plan: &mut Plan, path: &Path) {
    plan.step(Act::Folder, [Arg::from(path), Arg::from(0o755)]);
}
