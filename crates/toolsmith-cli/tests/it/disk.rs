//! Disks that are full, and folders that cannot be written.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use toolsmith_testing::skip;

use crate::support::{Place, Ran};

/// A small file system of its own in a folder, gone when it is dropped.
struct Disk(PathBuf);

impl Disk {
    /// Makes one; nothing where this user may not.
    fn mount(folder: &Path, size: &str) -> Option<Self> {
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder);
        let mounted = mount.stderr(Stdio::null()).status().ok()?;
        mounted.success().then(|| Self(folder.to_owned()))
    }

    fn make_read_only(&self) {
        let mut mount = Command::new("mount");
        assert!(mount.args(["-o", "remount,ro"]).arg(&self.0).status().unwrap().success());
    }

    /// Takes all the room that is left, and returns the file that holds it.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filling");
        let mut file = File::create(&path).unwrap();
        while file.write_all(&[0; 4_096]).is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).status().ok();
    }
}

/// A place whose data folder lies on a small disk.
fn place_with_disk(size: &str) -> Option<(Disk, Place)> {
    let place = Place::new().with("toolsmith.yaml", "data_directory: disk/records\n");
    fs::create_dir(place.path().join("disk")).unwrap();
    let disk = Disk::mount(&place.path().join("disk"), size)?;
    Some((disk, place))
}

fn run_echo(place: &Place, durability: &str) -> Ran {
    let mut command = place.command(&["run", "echo", "message=hi", "--json"]);
    Ran::of(command.env("TOOLSMITH_RECORDS_DURABILITY", durability))
}

/// What spec S2 wants where nothing can be written.
fn assert_batched_answers_and_sync_refuses(place: &Place, reason: &str) {
    let batched = run_echo(place, "batched");
    assert_eq!(batched.code, Some(0), "{batched:?}");
    assert_eq!(batched.json()["success"], true);
    assert!(batched.stderr.contains("WARN 1 record not kept: "), "{batched:?}");
    assert!(batched.stderr.contains(reason), "{batched:?}");
    let sync = run_echo(place, "sync");
    assert_eq!((sync.code, sync.error_type().as_str()), (Some(7), "rejected"), "{sync:?}");
}

#[test]
fn a_read_only_folder_is_read_and_calls_go_on_without_records() {
    let Some((disk, place)) = place_with_disk("4m") else {
        return skip("only root can mount a disk");
    };
    assert_eq!(run_echo(&place, "batched").code, Some(0));
    disk.make_read_only();
    assert_batched_answers_and_sync_refuses(&place, "read-only");
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 1);
    assert_eq!(place.json(&["calls", "list"])["calls"].as_array().unwrap().len(), 1);
    let pruned = place.run(&["calls", "prune", "--keep", "1"]);
    assert_eq!(pruned.code, Some(1));
    assert!(pruned.stderr.contains("read-only"), "{pruned:?}");
}

#[test]
fn a_read_only_place_without_a_folder_is_no_obstacle_either() {
    let Some((disk, place)) = place_with_disk("64k") else {
        return skip("only root can mount a disk");
    };
    disk.make_read_only();
    assert_batched_answers_and_sync_refuses(&place, "Read-only file system");
    assert_eq!(place.json(&["calls", "list"])["calls"].as_array().unwrap().len(), 0);
}

#[test]
fn a_full_disk_loses_records_and_nothing_else() {
    let Some((disk, place)) = place_with_disk("2m") else {
        return skip("only root can mount a disk");
    };
    assert_eq!(run_echo(&place, "sync").code, Some(0));
    let filling = disk.fill();
    assert_batched_answers_and_sync_refuses(&place, "the disk is full");
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 1);
    fs::remove_file(filling).unwrap();
    assert_eq!(run_echo(&place, "sync").code, Some(0));
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 2);
}

#[test]
fn a_disk_that_fills_up_under_way_stops_promises_and_never_hangs() {
    let Some((_disk, place)) = place_with_disk("2m") else {
        return skip("only root can mount a disk");
    };
    let message = "x".repeat(60_000);
    let call = serde_json::json!({"tool": "echo", "params": {"message": message}}).to_string();
    let place = place.with("calls.jsonl", &format!("{call}\n").repeat(40));
    let mut command = place.command(&["batch", "calls.jsonl", "--json"]);
    let ran = Ran::of(command.env("TOOLSMITH_RECORDS_DURABILITY", "sync"));
    assert_eq!(ran.code, Some(7), "{}", ran.stderr);
    let document = ran.json();
    let outcomes = document["outcomes"].as_array().unwrap();
    let answered = outcomes.iter().filter(|outcome| outcome["success"] == true).count();
    assert_eq!(outcomes.len(), 40);
    assert!(answered > 0 && answered < 40, "{answered}");
    let kept = place.json(&["calls", "stats"])["total_calls"].as_u64().unwrap();
    // Only calls that were under way when the disk was found full have run without a record.
    assert!(answered as u64 - kept <= 10, "{answered} answered, {kept} kept");
}
