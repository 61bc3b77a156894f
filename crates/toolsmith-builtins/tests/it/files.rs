//! File tools in ordinary use.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, sync::Arc};

use toolsmith_core::{Context, ErrorKind, Value, json};

use crate::workbench::Workbench;

fn message(bench: &Workbench, tool: &str, input: Value) -> String {
    match bench.call(tool, input) {
        Ok(output) => panic!("{tool}: {output}"),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn a_file_is_written_read_edited_moved_and_deleted() {
    let bench = Workbench::new();
    let written = bench.call("write_file", json!({ "path": "a/b/c.txt", "content": "one\ntwo\n" }));
    assert_eq!(written.unwrap(), json!({ "bytes_written": 8, "created": true }));
    let again = bench.call("write_file", json!({ "path": "a/b/c.txt", "content": "one two" }));
    assert_eq!(again.unwrap(), json!({ "bytes_written": 7, "created": false }));
    let edit = json!({ "path": "data/a/b/c.txt", "old_text": "two", "new_text": "2" });
    assert_eq!(bench.call("edit_file", edit).unwrap()["replacements"], 1);
    let move_it = json!({ "from": "a/b/c.txt", "to": "d/e.txt" });
    assert_eq!(bench.call("move_file", move_it).unwrap(), json!({ "success": true }));
    let path = bench.inside("d/e.txt");
    let read = bench.call("read_file", json!({ "path": path })).unwrap();
    assert_eq!(read["content"], "one 2");
    assert_eq!(bench.call("delete_file", json!({ "path": "d/e.txt" })).unwrap()["deleted"], true);
    assert_eq!(bench.call("get_file_info", json!({ "path": path })).unwrap()["exists"], false);
    assert_eq!(fs::read_dir(bench.inside("d")).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_missing_file_is_not_found_and_the_message_says_where_paths_begin() {
    let bench = Workbench::new();
    let start = bench.inside("").display().to_string();
    for (tool, input) in [
        ("read_file", json!({ "path": "no.txt" })),
        ("read_file", json!({ "path": "notes.txt/inside" })),
        ("edit_file", json!({ "path": "no.txt", "old_text": "a", "new_text": "b" })),
        ("delete_file", json!({ "path": "no/no.txt" })),
        ("move_file", json!({ "from": "no.txt", "to": "new/place.txt" })),
        ("list_files", json!({ "path": "no" })),
        ("glob_files", json!({ "path": "no", "pattern": "*" })),
        ("search_files", json!({ "path": "no", "pattern": "x" })),
    ] {
        let error = bench.call(tool, input).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ExecutionError, "{tool}: {error}");
        assert!(error.message().contains("not found"), "{tool}: {error}");
        assert!(error.message().contains(start.trim_end_matches('/')), "{tool}: {error}");
    }
    assert!(!bench.inside("new").exists(), "no folder is made for nothing");
}

#[test]
fn the_allowed_folder_is_made_by_the_first_write() {
    let bench = Workbench::new();
    fs::remove_dir_all(bench.inside("")).unwrap();
    assert!(message(&bench, "read_file", json!({ "path": "a.txt" })).contains("not found"));
    assert!(message(&bench, "list_files", json!({})).contains("not found"));
    assert_eq!(bench.call("get_file_info", json!({ "path": "a" })).unwrap()["exists"], false);
    bench.call("write_file", json!({ "path": "a.txt", "content": "x" })).unwrap();
    assert_eq!(bench.read("a.txt"), "x");
}

#[test]
fn the_context_replaces_the_allowed_folders() {
    let bench = Workbench::new();
    let folders: Arc<[PathBuf]> = Arc::from([bench.outside("")]);
    let context = Context { allowed_paths: Some(folders), ..Context::default() };
    let read = |path: &str| bench.call_as(context.clone(), "read_file", json!({ "path": path }));
    assert!(read("secret.txt").is_ok() && read("outside/secret.txt").is_ok());
    let inside = bench.inside("notes.txt").display().to_string();
    assert!(read(&inside).unwrap_err().message().contains("Access denied"));
    let nothing = Context { allowed_paths: Some(Arc::from([])), ..Context::default() };
    let denied = bench.call_as(nothing, "read_file", json!({ "path": "notes.txt" })).unwrap_err();
    assert_eq!(denied.kind(), ErrorKind::PermissionDenied);
    let relative: Arc<[PathBuf]> = Arc::from([PathBuf::from("./outside")]);
    let context = Context { allowed_paths: Some(relative), ..Context::default() };
    assert!(bench.call_as(context, "read_file", json!({ "path": "secret.txt" })).is_ok());
}

#[test]
fn a_long_file_is_read_in_pages_of_lines() {
    let bench = Workbench::new();
    let text: String =
        ["line 1\n", "line 2\n", "x\n", "\n", "5\n", "6\n", "7\n", "8\n", "9\n", "10\n"].concat();
    bench.write("long.txt", &text);
    let mut read = String::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let input = json!({ "path": "long.txt", "offset": offset, "limit": 3 });
        let page = bench.call("read_file", input).unwrap();
        read.push_str(page["content"].as_str().unwrap());
        offset = page["next_offset"].clone();
    }
    assert_eq!(read, text);
    let beyond = message(&bench, "read_file", json!({ "path": "long.txt", "offset": 11 }));
    assert!(beyond.contains("10 lines only"), "{beyond}");
    bench.write("empty.txt", "");
    let empty = bench.call("read_file", json!({ "path": "empty.txt" })).unwrap();
    assert_eq!((&empty["content"], &empty["next_offset"]), (&json!(""), &Value::Null));
}

#[test]
fn a_huge_file_is_never_held_whole() {
    let bench = Workbench::new();
    let file = fs::File::create(bench.inside("huge.bin")).unwrap();
    // A hole: the file has a size, but no bytes on the disk.
    file.set_len(1 << 40).unwrap();
    let page =
        bench.call("read_file", json!({ "path": "huge.bin", "encoding": "base64" })).unwrap();
    assert_eq!(page["next_offset"], 8 * 1024 * 1024);
    let last = json!({ "path": "huge.bin", "encoding": "base64", "offset": (1_u64 << 40) - 3 });
    assert_eq!(bench.call("read_file", last).unwrap()["content"], "AAAA");
    let line = message(&bench, "read_file", json!({ "path": "huge.bin" }));
    assert!(line.contains("longer than 8388608 bytes"), "{line}");
    let edit = json!({ "path": "huge.bin", "old_text": "a", "new_text": "b" });
    assert!(message(&bench, "edit_file", edit).contains("at most 8388608"));
    bench.write("lines.txt", "0123456789abcde\n".repeat(1024 * 1024));
    let page = bench.call("read_file", json!({ "path": "lines.txt" })).unwrap();
    assert_eq!(page["next_offset"], 512 * 1024);
}

#[test]
fn bytes_come_and_go_in_every_encoding() {
    let bench = Workbench::new();
    let bytes = [0, 255, 10, 128];
    bench.write("b.bin", bytes);
    let error = message(&bench, "read_file", json!({ "path": "b.bin" }));
    assert!(error.contains("not UTF-8") && error.contains("`base64`"), "{error}");
    for encoding in ["base64", "latin1"] {
        let input = json!({ "path": "b.bin", "encoding": encoding });
        let content = bench.call("read_file", input).unwrap()["content"].clone();
        let copy = json!({ "path": "copy.bin", "content": content, "encoding": encoding });
        assert_eq!(bench.call("write_file", copy).unwrap()["bytes_written"], 4);
        assert_eq!(fs::read(bench.inside("copy.bin")).unwrap(), bytes, "{encoding}");
    }
    let piece = json!({ "path": "b.bin", "encoding": "base64", "offset": 1, "limit": 2 });
    let piece = bench.call("read_file", piece).unwrap();
    assert_eq!((&piece["content"], &piece["next_offset"]), (&json!("/wo="), &json!(3)));
}

#[test]
fn a_written_file_keeps_its_mode_and_a_failed_write_changes_nothing() {
    let bench = Workbench::new();
    bench.write("run.sh", "old");
    fs::set_permissions(bench.inside("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    bench.call("write_file", json!({ "path": "run.sh", "content": "new" })).unwrap();
    let mode = fs::metadata(bench.inside("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
    let wrong = json!({ "path": "run.sh", "content": "?", "encoding": "base64" });
    assert!(bench.call("write_file", wrong).is_err());
    let folder = json!({ "path": ".", "content": "x" });
    assert!(message(&bench, "write_file", folder).contains("is a folder"));
    assert_eq!(bench.read("run.sh"), "new");
    assert_eq!(fs::read_dir(bench.inside("")).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn a_full_folder_is_not_deleted_and_an_empty_one_is() {
    let bench = Workbench::new();
    bench.write("full/a.txt", "x");
    let full = message(&bench, "delete_file", json!({ "path": "full" }));
    assert!(full.contains("not empty") && full.contains("delete what is in it"), "{full}");
    bench.call("delete_file", json!({ "path": "full/a.txt" })).unwrap();
    bench.call("delete_file", json!({ "path": "full" })).unwrap();
    assert!(!bench.inside("full").exists());
    for path in [".", "../data", bench.inside("").to_str().unwrap()] {
        let root = message(&bench, "delete_file", json!({ "path": path }));
        assert!(root.contains("Access denied"), "{root}");
    }
}

#[test]
fn nothing_is_replaced_by_moving() {
    let bench = Workbench::new();
    bench.write("other.txt", "keep");
    bench.write("folder/x", "keep");
    for to in ["other.txt", "folder", "."] {
        let refused = message(&bench, "move_file", json!({ "from": "notes.txt", "to": to }));
        assert!(refused.contains("already"), "{refused}");
    }
    assert_eq!(bench.read("other.txt"), "keep");
    bench.call("move_file", json!({ "from": "folder", "to": "a/moved" })).unwrap();
    assert_eq!(bench.read("a/moved/x"), "keep");
    let into = message(&bench, "move_file", json!({ "from": "a", "to": "a/b/c" }));
    assert!(into.contains("not possible"), "{into}");
}

#[test]
fn an_ambiguous_edit_changes_nothing_and_says_how_often() {
    let bench = Workbench::new();
    let input = json!({ "path": "notes.txt", "old_text": "line", "new_text": "LINE" });
    let refused = message(&bench, "edit_file", input);
    assert!(refused.contains("occurs 2 times, in lines 1, 2"), "{refused}");
    assert_eq!(bench.read("notes.txt"), "first line\nsecond line\n");
    let all = json!({
        "path": "notes.txt", "old_text": "line", "new_text": "LINE", "replace_all": true
    });
    assert_eq!(bench.call("edit_file", all).unwrap()["replacements"], 2);
    assert_eq!(bench.read("notes.txt"), "first LINE\nsecond LINE\n");
    let missing = json!({ "path": "notes.txt", "old_text": "third", "new_text": "" });
    assert!(message(&bench, "edit_file", missing).contains("does not occur"));
}

#[test]
fn files_are_listed_and_found_by_patterns() {
    let bench = Workbench::new();
    bench.write("src/a.rs", "fn a() {}");
    bench.write("src/deep/b.rs", "fn b() {}");
    bench.write("src/deep/c.md", "# c");
    let paths = |output: &Value| -> Vec<String> {
        let files = output["files"].as_array().unwrap().iter();
        files.map(|file| file["path"].as_str().or(file.as_str()).unwrap().to_owned()).collect()
    };
    let flat = bench.call("list_files", json!({ "path": "." })).unwrap();
    assert_eq!(paths(&flat), ["notes.txt", "src"]);
    assert_eq!(flat["files"][1]["is_dir"], true);
    let deep = json!({ "path": "src", "recursive": true, "pattern": "*.rs" });
    let deep = bench.call("list_files", deep).unwrap();
    assert_eq!(paths(&deep), ["src/a.rs", "src/deep/b.rs"]);
    let by_path = json!({ "path": "src", "recursive": true, "pattern": "deep/*" });
    let by_path = bench.call("list_files", by_path).unwrap();
    assert_eq!(paths(&by_path), ["src/deep/b.rs", "src/deep/c.md"]);
    for (pattern, expected) in [
        ("**/*.rs", vec!["src/a.rs", "src/deep/b.rs"]),
        ("*", vec!["notes.txt"]),
        ("src/*/*.{md,txt}", vec!["src/deep/c.md"]),
        ("./src/*", vec!["src/a.rs"]),
        ("nothing", vec![]),
    ] {
        let found = bench.call("glob_files", json!({ "pattern": pattern })).unwrap();
        assert_eq!(paths(&found), expected, "{pattern}");
    }
    let absolute = json!({ "path": bench.inside("src/deep"), "pattern": "*.rs" });
    let absolute = paths(&bench.call("glob_files", absolute).unwrap());
    assert_eq!(absolute, [bench.inside("src/deep/b.rs").display().to_string()]);
    assert!(message(&bench, "glob_files", json!({ "pattern": "[" })).contains("pattern"));
    let file = message(&bench, "list_files", json!({ "path": "notes.txt" }));
    assert!(file.contains("is a file"), "{file}");
}

#[test]
fn listing_and_walking_have_limits() {
    let bench = Workbench::new();
    for number in 0..5_050 {
        fs::write(bench.inside(&format!("{number:05}")), "").unwrap();
    }
    let many = bench.call("list_files", json!({})).unwrap();
    assert_eq!(
        (many["files"].as_array().unwrap().len(), &many["truncated"]),
        (5_000, &json!(true))
    );
    let deep = "level/".repeat(60);
    bench.write(&format!("deep/{deep}end.txt"), "needle");
    let found = bench.call("glob_files", json!({ "path": "deep", "pattern": "**/end.txt" }));
    assert_eq!(found.unwrap(), json!({ "files": [], "truncated": true }));
}

#[test]
fn a_call_whose_caller_has_gone_stops_and_writes_nothing() {
    let bench = Workbench::new();
    for (tool, input) in [
        ("list_files", json!({})),
        ("glob_files", json!({ "pattern": "*" })),
        ("search_files", json!({ "pattern": "line" })),
        ("read_file", json!({ "path": "notes.txt", "offset": 1 })),
        ("write_file", json!({ "path": "notes.txt", "content": "late" })),
        ("edit_file", json!({ "path": "notes.txt", "old_text": "first", "new_text": "late" })),
    ] {
        let error = bench.call_too_late(tool, input).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{tool}: {error}");
    }
    assert_eq!(bench.read("notes.txt"), "first line\nsecond line\n");
    assert_eq!(fs::read_dir(bench.inside("")).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn lines_are_found_by_regular_expressions() {
    let bench = Workbench::new();
    bench.write("src/a.rs", "one\r\nTODO: write\n");
    bench.write("src/b.bin", b"TODO\0binary");
    bench.write("src/c.txt", b"\xff TODO latin\n");
    bench.write("src/long.txt", format!("{}TODO{}", "x".repeat(200_000), "y".repeat(200_000)));
    let found = bench.call("search_files", json!({ "pattern": "TODO" })).unwrap();
    let lines: Vec<_> = found["matches"].as_array().unwrap().iter().collect();
    assert_eq!(lines.len(), 3, "{found}");
    assert_eq!(lines[0], &json!({ "path": "src/a.rs", "line": 2, "text": "TODO: write" }));
    assert!(lines[2]["text"].as_str().unwrap().chars().count() <= 302);
    let few = json!({ "pattern": "todo", "ignore_case": true, "limit": 1 });
    let few = bench.call("search_files", few).unwrap();
    assert_eq!((few["matches"].as_array().unwrap().len(), &few["truncated"]), (1, &json!(true)));
    let one = json!({ "pattern": "TODO", "path": "src", "glob": "*.rs" });
    assert_eq!(bench.call("search_files", one).unwrap()["files_searched"], 1);
    let file = json!({ "pattern": "^second", "path": "notes.txt" });
    assert_eq!(bench.call("search_files", file).unwrap()["matches"][0]["line"], 2);
    assert!(message(&bench, "search_files", json!({ "pattern": "(" })).contains("expression"));
    // In an engine that goes back and forth, this one takes longer than anyone waits.
    bench.write("evil.txt", "a".repeat(50_000));
    let evil = json!({ "pattern": "^(a+)+$x", "path": "evil.txt" });
    assert_eq!(bench.call("search_files", evil).unwrap()["matches"], json!([]));
}

#[test]
fn links_that_stay_inside_work() {
    let bench = Workbench::new();
    bench.write("sub/real.txt", "real");
    bench.link("link.txt", "sub/real.txt");
    bench.link("folder", "sub");
    bench.link("sub/up", "../notes.txt");
    bench.link("future", "sub/future.txt");
    for (path, content) in
        [("link.txt", "real"), ("folder/real.txt", "real"), ("sub/up", "first line\nsecond line\n")]
    {
        let read = bench.call("read_file", json!({ "path": path })).unwrap();
        assert_eq!(read["content"], content, "{path}");
    }
    bench.call("write_file", json!({ "path": "link.txt", "content": "new" })).unwrap();
    assert_eq!(bench.read("sub/real.txt"), "new");
    assert!(fs::symlink_metadata(bench.inside("link.txt")).unwrap().is_symlink());
    bench.call("write_file", json!({ "path": "future", "content": "there" })).unwrap();
    assert_eq!(bench.read("sub/future.txt"), "there");
    bench.call("write_file", json!({ "path": "folder/more.txt", "content": "x" })).unwrap();
    assert_eq!(bench.read("sub/more.txt"), "x");
    let listed = bench.call("list_files", json!({ "path": ".", "pattern": "link.txt" })).unwrap();
    assert_eq!(listed["files"][0]["is_link"], true);
    bench.call("delete_file", json!({ "path": "link.txt" })).unwrap();
    assert_eq!(bench.read("sub/real.txt"), "new");
    bench.link("one", "two");
    bench.link("two", "one");
    for tool in ["read_file", "get_file_info", "list_files"] {
        let looped = message(&bench, tool, json!({ "path": "one" }));
        assert!(looped.contains("Access denied"), "{tool}: {looped}");
    }
    assert!(bench.call("write_file", json!({ "path": "one", "content": "x" })).is_err());
}
