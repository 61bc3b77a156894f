//! The data folder, its database, and the room that is left.

use std::{
    fs,
    path::{Path, PathBuf},
};

use toolsmith_store::{Access, Store, StoreConfig, StoreError};

use super::{
    Patient,
    check::{Finding, Job},
    program,
};
use crate::{Session, compose, files, runtime, wording::bytes};

/// Below this a disk is as good as full, in bytes.
const LITTLE: u64 = 100_000_000;

const ENABLES: &str = "records of calls, statistics, artifacts";

const FREE: &str =
    "make room, or choose another folder with --data; `df` (coreutils) tells how much";

pub(super) fn jobs(session: &Session, patient: &Patient) -> Vec<Job> {
    let folder = match compose::data_folder(&patient.settings, &session.environment) {
        Ok(folder) => folder,
        Err(why) => {
            let why = why.to_string();
            let look = move || Finding::broken(why);
            return vec![Job::new("data folder", ENABLES, "set the variable, or --data DIR", look)];
        }
    };
    let (first, second, third) = (folder.clone(), folder.clone(), folder);
    let environment = patient.environment.clone();
    vec![
        Job::new("data folder", ENABLES, "choose another folder with --data", move || {
            writable(&first)
        }),
        Job::new("database", ENABLES, "move the file away; a fresh one is made", move || {
            database(&second)
        }),
        Job::new("disk space", ENABLES, FREE, move || {
            let Some(df) = program::find("df", &environment) else {
                return Finding::missing("there is no program `df` to ask");
            };
            let place = existing(&third).display().to_string();
            match program::ask(&df, &["-Pk", &place], &environment) {
                Ok(table) => space(&table),
                Err(why) => Finding::missing(format!("df: {why}")),
            }
        }),
    ]
}

/// Tries to write; a folder that is not there yet is made by the first call, so its parent counts.
fn writable(folder: &Path) -> Finding {
    let shown = folder.display();
    let place = existing(folder);
    let file = place.join(format!(".toolsmith-doctor.{}", std::process::id()));
    let written = fs::write(&file, b"can this be written?");
    fs::remove_file(&file).ok();
    match written {
        Ok(()) if place == folder => Finding::ok(format!("{shown} can be written")),
        Ok(()) => Finding::ok(format!("{shown} is made by the first call")),
        Err(error) => {
            let why = files::explain(&error);
            Finding::broken(format!("cannot write to {}: {why}", place.display()))
        }
    }
}

fn existing(folder: &Path) -> PathBuf {
    let is_there = |place: &&Path| place.is_dir() || place.as_os_str().is_empty();
    let place = folder.ancestors().find(is_there).unwrap_or(Path::new("/"));
    if place.as_os_str().is_empty() { PathBuf::from(".") } else { place.to_owned() }
}

fn database(folder: &Path) -> Finding {
    let config = StoreConfig { access: Access::ReadOnly, ..StoreConfig::at(folder) };
    let opened = runtime::block_on(async { Ok(Store::open(config).await) });
    match opened {
        Ok(Ok(_)) => Finding::ok(format!("{} can be read", folder.display())),
        Ok(Err(StoreError::Missing { .. })) => Finding::ok("none yet; the first call makes it"),
        Ok(Err(StoreError::Older { .. })) => {
            Finding::ok("of an older version; the next call brings it up to date")
        }
        Ok(Err(error)) => Finding::broken(error.to_string()),
        Err(error) => Finding::broken(error.to_string()),
    }
}

/// Reads the table of `df`: the fourth column of the last line is what is left, in 1,024 bytes.
fn space(table: &str) -> Finding {
    let last = table.lines().last().unwrap_or_default();
    let Some(left) = last.split_whitespace().nth(3).and_then(|left| left.parse::<u64>().ok())
    else {
        return Finding::missing("the answer of `df` cannot be read");
    };
    let left = left.saturating_mul(1_024);
    if left < LITTLE {
        Finding::broken(format!("{} left", bytes(left)))
    } else {
        Finding::ok(format!("{} left", bytes(left)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::check::Status;

    #[test]
    fn the_room_that_is_left_is_read_from_the_table() {
        let table = |left: &str| {
            format!(
                "Filesystem 1024-blocks Used Available Capacity Mounted on\noverlay 100 1 {left} 3% /\n"
            )
        };
        let plenty = space(&table("5000000"));
        assert_eq!((plenty.status, plenty.detail.as_str()), (Status::Ok, "5.1 GB left"));
        assert_eq!(space(&table("12")).status, Status::Broken);
        assert_eq!(space("df: unknown").status, Status::Missing);
        assert_eq!(space("").status, Status::Missing);
    }
}
