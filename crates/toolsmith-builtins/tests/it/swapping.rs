//! Links that are swapped in while a tool runs, thousands of times.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use toolsmith_core::{ErrorKind, ToolError, json};

use crate::workbench::{CANARY, Workbench};

/// How often each tool is called while somebody swaps.
const TRIES: usize = 2_000;

/// How many swaps must have happened meanwhile.
const SWAPS: u64 = 2_000;

/// Exchanges a folder and a link to the outside, in one step of the kernel, until told to stop.
fn swap(bench: &Workbench, stop: &AtomicBool, swaps: &AtomicU64) {
    let (place, other) = (bench.inside("place"), bench.inside("other"));
    let exchange = || renameat_with(CWD, &place, CWD, &other, RenameFlags::EXCHANGE).unwrap();
    while !stop.load(Ordering::Relaxed) {
        exchange();
        // The folder has the other name here; a tool may have taken the file out of it.
        fs::write(other.join("secret.txt"), "harmless").unwrap();
        exchange();
        swaps.fetch_add(1, Ordering::Relaxed);
    }
}

/// Swaps a file and a link to a file outside in the same place, in turn.
fn swap_file(bench: &Workbench, stop: &AtomicBool, swaps: &AtomicU64) {
    let place = bench.inside("file.txt");
    let (real, link) = (bench.inside("real.txt"), bench.inside("link"));
    while !stop.load(Ordering::Relaxed) {
        fs::write(&real, "harmless").ok();
        fs::rename(&real, &place).ok();
        std::os::unix::fs::symlink("../outside/secret.txt", &link).ok();
        fs::rename(&link, &place).ok();
        swaps.fetch_add(1, Ordering::Relaxed);
    }
}

fn attack(path: &str, swapper: fn(&Workbench, &AtomicBool, &AtomicU64)) {
    let bench = Workbench::new();
    let before = bench.world();
    fs::create_dir(bench.inside("place")).unwrap();
    bench.link("other", "../outside");
    let (stop, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.and_then(Path::to_str).unwrap_or(".");
    let calls = [
        ("read_file", json!({ "path": path })),
        ("write_file", json!({ "path": path, "content": "overwritten" })),
        ("edit_file", json!({ "path": path, "old_text": "a", "new_text": "A" })),
        ("get_file_info", json!({ "path": path })),
        ("list_files", json!({ "path": folder, "recursive": true })),
        ("search_files", json!({ "path": folder, "pattern": "canary" })),
        ("glob_files", json!({ "path": folder, "pattern": "**/full/*" })),
        ("move_file", json!({ "from": path, "to": "taken.txt" })),
        ("move_file", json!({ "from": "notes.txt", "to": path })),
        ("delete_file", json!({ "path": path })),
    ];
    let (mut tries, mut read, mut denied) = (0, 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| swapper(&bench, &stop, &swaps));
        let begun = Instant::now();
        // The swapper must have had its turns too; a minute is enough for the slowest machine.
        let is_slow = || begun.elapsed() > Duration::from_mins(1);
        while tries < TRIES || (swaps.load(Ordering::Relaxed) < SWAPS && !is_slow()) {
            for (tool, input) in &calls {
                let outcome = bench.call(tool, input.clone());
                if *tool == "read_file" {
                    read += usize::from(outcome.is_ok());
                    let is_denied = |error: &ToolError| error.kind() == ErrorKind::PermissionDenied;
                    denied += usize::from(outcome.as_ref().is_err_and(is_denied));
                }
                let told = match outcome {
                    Ok(output) => output.to_string(),
                    Err(error) => error.to_string(),
                };
                let is_held = !told.contains(CANARY) && !told.contains("full/secret");
                if !is_held {
                    stop.store(true, Ordering::Relaxed);
                }
                assert!(is_held, "{tool}: {told}");
            }
            fs::remove_file(bench.inside("taken.txt")).ok();
            fs::write(bench.inside("notes.txt"), "notes").ok();
            tries += 1;
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(swaps.load(Ordering::Relaxed) >= SWAPS, "too few swaps: {swaps:?}");
    // Both sides of the swap were met, or nothing would have been shown.
    let figures = format!("{read} read, {denied} denied, {swaps:?} swaps, {tries} tries");
    assert!(read >= 20 && denied >= 20, "{figures}");
    assert_eq!(bench.world(), before);
}

#[test]
fn a_folder_swapped_for_a_link_leads_nowhere() {
    attack("place/secret.txt", swap);
}

#[test]
fn a_file_swapped_for_a_link_leads_nowhere() {
    attack("file.txt", swap_file);
}
