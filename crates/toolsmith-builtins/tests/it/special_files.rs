//! Pipes, sockets and devices: refused at once, without holding a thread.

use std::{
    os::unix::net::UnixListener,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use toolsmith_core::{Value, json};

use crate::workbench::Workbench;

/// Far more than a refusal takes, far less than anyone would hold a pipe for.
const AT_ONCE: Duration = Duration::from_secs(5);

fn calls(path: &str) -> [(&'static str, Value); 6] {
    [
        ("read_file", json!({ "path": path })),
        ("read_file", json!({ "path": path, "encoding": "base64" })),
        ("write_file", json!({ "path": path, "content": "x" })),
        ("edit_file", json!({ "path": path, "old_text": "a", "new_text": "b" })),
        ("search_files", json!({ "path": path, "pattern": "x" })),
        ("list_files", json!({ "path": path })),
    ]
}

#[test]
fn a_pipe_and_a_socket_are_refused_and_never_waited_for() {
    let bench = Workbench::new();
    mknodat(CWD, bench.inside("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _socket = UnixListener::bind(bench.inside("socket")).unwrap();
    bench.link("to_pipe", "pipe");
    let begun = Instant::now();
    for path in ["pipe", "socket", "to_pipe"] {
        for (tool, input) in calls(path) {
            let error = bench.call(tool, input).unwrap_err();
            let is_told = error.message().contains("plain files") || tool == "list_files";
            assert!(is_told, "{tool} {path}: {error}");
        }
    }
    let found = bench.call("search_files", json!({ "pattern": "line" })).unwrap();
    assert_eq!(found["files_searched"], 1, "a walk passes pipes and sockets by");
    let globbed = bench.call("glob_files", json!({ "pattern": "*" })).unwrap();
    assert_eq!(globbed["files"], json!(["notes.txt"]));
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    let seen = bench.call("get_file_info", json!({ "path": "pipe" })).unwrap();
    assert_eq!(seen["exists"], true);
    bench.call("delete_file", json!({ "path": "pipe" })).unwrap();
}

#[test]
fn devices_are_refused_where_a_folder_has_them() {
    let bench = Workbench::new();
    let context = toolsmith_core::Context {
        allowed_paths: Some(std::sync::Arc::from([std::path::PathBuf::from("/dev")])),
        ..toolsmith_core::Context::default()
    };
    let begun = Instant::now();
    for path in ["/dev/zero", "/dev/null", "/dev/tty"] {
        for (tool, input) in calls(path) {
            let error = bench.call_as(context.clone(), tool, input).unwrap_err();
            assert!(!error.message().is_empty(), "{tool} {path}");
        }
    }
    // The links of /dev lead to /proc: into another file system, by magic.
    for path in ["/dev/stdin", "/dev/fd/0", "/dev/fd"] {
        let denied = bench.call_as(context.clone(), "read_file", json!({ "path": path }));
        let error = denied.unwrap_err();
        let is_refused =
            error.message().contains("Access denied") || error.message().contains("not found");
        assert!(is_refused, "{path}: {error}");
    }
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
}

#[test]
fn magic_links_of_proc_lead_nowhere_even_where_everything_is_allowed() {
    let bench = Workbench::new();
    let context = toolsmith_core::Context {
        allowed_paths: Some(std::sync::Arc::from([std::path::PathBuf::from("/")])),
        ..toolsmith_core::Context::default()
    };
    if !std::path::Path::new("/proc/self/root").exists() {
        return toolsmith_testing::skip("there is no /proc here");
    }
    for path in ["/proc/self/root/etc/passwd", "/proc/self/fd/0", "/proc/self/cwd/Cargo.toml"] {
        let read = bench.call_as(context.clone(), "read_file", json!({ "path": path }));
        assert!(read.unwrap_err().message().contains("Access denied"), "{path}");
    }
}
